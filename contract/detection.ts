import { z } from 'zod';
import { instant } from './bounds.ts';
import { Cause } from './explanation.ts';
import { Carrier, Region } from './location.ts';
import { flag, list, ordered, orderedError, PageQuery, time } from './query.ts';

const KINDS = ['spike', 'regression', 'improvement'] as const;
export const DetectionKind = z.enum(KINDS).meta({ id: 'DetectionKind' });

/** What the detector found at one series: part of an incident, or, where it has none, a note in the series' log. */
export const Detection = z
  .object({
    id: z.uuid(),
    kind: DetectionKind,
    metric: z.string().meta({ description: '`tls`, `tcp`, `firstByte` or `failures`' }),
    cause: Cause,
    at: instant.meta({ description: 'when it was found' }),
    changeAt: instant.meta({ description: 'when the change began' }),
    targetId: z.uuid(),
    targetName: z.string().nullable().meta({ description: 'null: it was removed' }),
    vantageId: z.uuid(),
    vantageName: z.string().nullable(),
    region: z.string().nullable(),
    carrier: z.string().nullable(),
    beforeMs: z.number().nullable().meta({ description: 'the level before, ms; of failures a share, 0 to 1' }),
    afterMs: z.number().nullable().meta({ description: 'the typical level since' }),
    incidentIds: z.array(z.uuid()).meta({ description: 'an incident a rule; none: too small to be shown' }),
    demo: z.boolean(),
  })
  .meta({ id: 'Detection' });
export type Detection = z.infer<typeof Detection>;

export const DetectionsQuery = z
  .strictObject({
    ...PageQuery.shape,
    target: z.uuid().optional(),
    vantage: z.uuid().optional(),
    region: list(Region, 100).optional(),
    carrier: list(Carrier, 100).optional(),
    kind: list(DetectionKind, KINDS.length).optional(),
    incident: flag.optional().meta({
      description: '`false`: only those of no incident, which are too small to be shown; `true`: only the others',
    }),
    from: time.optional().meta({ description: 'onset at or after' }),
    to: time.optional().meta({ description: 'onset before' }),
  })
  .refine(ordered, orderedError)
  .meta({ id: 'DetectionsQuery' });
export type DetectionsQuery = z.infer<typeof DetectionsQuery>;
