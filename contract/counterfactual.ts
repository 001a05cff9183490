import { z } from 'zod';
import { instant } from './bounds.ts';

/** What the times of an incident's series would be without it, and what they are. */
export const IncidentCounterfactual = z
  .object({
    withoutMs: z.number().meta({
      description:
        'the level before (`affected.before`), by the median of what unaffected series of the same targets moved by meanwhile',
    }),
    nowMs: z.number().meta({ description: 'the level since: `affected.after`' }),
    series: z.number().int().min(1).meta({ description: 'affected series: `affected.series`' }),
    siblings: z.number().int().min(3).meta({ description: 'unaffected series that were compared' }),
    at: instant.meta({ description: 'results up to here were compared' }),
  })
  .meta({ id: 'IncidentCounterfactual' });
export type IncidentCounterfactual = z.infer<typeof IncidentCounterfactual>;
