import { z } from 'zod';
import { importedUntil, ordered, orderedError, RANGES, time } from './query.ts';
import { TargetsQuery } from './target.ts';
import { Metric, Stat, Unit } from './vocabulary.ts';

export const TargetFiguresQuery = z
  .strictObject({
    ...TargetsQuery.shape,
    metric: Metric.default('tls'),
    stat: Stat.default('p50'),
    from: time.optional().meta({ description: 'default: 24 hours before `to`' }),
    to: time.optional().meta({ description: 'default: now' }),
    range: z.enum(RANGES).optional().meta({ description: 'until now, in place of `from` and `to`' }),
    groupBy: z.enum(['none', 'region', 'carrier']).default('none'),
  })
  .refine(ordered, orderedError)
  .refine(({ range, from, to }) => range === undefined || (from === undefined && to === undefined), {
    path: ['range'],
    error: 'stands in place of from and to: leave one out',
  })
  .meta({ id: 'TargetFiguresQuery' });
export type TargetFiguresQuery = z.infer<typeof TargetFiguresQuery>;

const figure = {
  value: z.number().nullable().meta({ description: 'null: no results' }),
  n: z.number().int().meta({ description: 'how many results it is of' }),
};

export const TargetFigures = z
  .object({
    metric: Metric,
    stat: Stat,
    unit: Unit,
    from: z.string(),
    to: z.string(),
    data: z.array(
      z.object({
        id: z.uuid(),
        name: z.string(),
        demo: z.boolean(),
        generatedUntil: z.iso.datetime().nullable().meta({ description: 'as of `Series`' }),
        importedUntil,
        ...figure,
        groups: z
          .array(z.object({ region: z.string().optional(), carrier: z.string().optional(), ...figure }))
          .meta({ description: 'each region or carrier with results, as `groupBy` says; else empty' }),
      }),
    ),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'TargetFigures' });
export type TargetFigures = z.infer<typeof TargetFigures>;
