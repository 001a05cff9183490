import { z } from 'zod';
import { instant } from './bounds.ts';

/** What the times of an incident's series would be by now without it, and what they are. */
export const IncidentCounterfactual = z
  .object({
    withoutMs: z.number().meta({
      description:
        'median over its series of what they would be: the level before, by the usual change from its hours to these, by how unaffected series moved beyond theirs',
    }),
    nowMs: z.number().meta({ description: 'median over the same series of what they are' }),
    series: z.number().int().min(1).meta({ description: 'series that were measured enough' }),
    siblings: z.number().int().min(0).meta({
      description:
        'unaffected series that were compared: of the same paths (causes `tls`, `server`), or of the same target (`network`); 0: too few, or no cause that says what series share',
    }),
    at: instant.meta({
      description: 'of which instant it is: of what is over, of its last minutes, of an improvement, when it was found',
    }),
  })
  .meta({ id: 'IncidentCounterfactual' });
export type IncidentCounterfactual = z.infer<typeof IncidentCounterfactual>;
