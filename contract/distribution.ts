import { z } from 'zod';
import { generatedUntil, handshakes, locationFilter, ordered, orderedError, time } from './query.ts';
import { CONNECTION_PROPERTIES, METRIC_TABLE, METRICS } from './vocabulary.ts';

// How the values of a range are distributed, and what its connections were made of: what the panels of a trend show.

const asked = {
  target: z.uuid(),
  from: time.optional().meta({ description: 'default: 24 hours before `to`' }),
  to: time.optional().meta({ description: 'default: now' }),
  ...locationFilter,
};

const DURATIONS = METRICS.filter((metric) => METRIC_TABLE[metric].unit === 'ms');

export const DistributionQuery = z
  .strictObject({ ...asked, metric: z.enum(DURATIONS).default('tls'), variant: handshakes })
  .refine(ordered, orderedError)
  .meta({ id: 'DistributionQuery' });
export type DistributionQuery = z.infer<typeof DistributionQuery>;

const window = z.object({
  from: z.string(),
  to: z.string(),
  n: z.number().int().meta({ description: 'successful, clean results' }),
  p50: z.number().nullable().meta({ description: 'ms' }),
  p95: z.number().nullable().meta({ description: 'ms' }),
  shares: z.array(z.number()).meta({ description: '0 to 1, one a bin; empty without any result in both windows' }),
});

export const Distribution = z
  .object({
    edges: z
      .array(z.number())
      .meta({ description: 'ms, of the bins, one more than these; equally wide by their logarithms' }),
    now: window,
    before: window.meta({ description: 'as long, and ends where the range begins' }),
  })
  .meta({ id: 'Distribution' });
export type Distribution = z.infer<typeof Distribution>;

export const MakeupQuery = z
  .strictObject({ ...asked, property: z.enum(CONNECTION_PROPERTIES) })
  .refine(ordered, orderedError)
  .meta({ id: 'MakeupQuery' });
export type MakeupQuery = z.infer<typeof MakeupQuery>;

export const Makeup = z
  .object({
    stepSeconds: z.number().int(),
    sampleSeconds: z.number().int().meta({ description: 'so much of each step is looked at' }),
    since: z.string().nullable().meta({ description: 'from when on results are kept; null: for all of the range' }),
    generatedUntil,
    lines: z
      .array(
        z.object({
          value: z.string().meta({ description: '`none` where a connection has none' }),
          points: z
            .array(z.tuple([z.string(), z.number().nullable()]))
            .meta({ description: '`[instant, share]`, 0 to 1; null without a handshake' }),
        }),
      )
      .meta({ description: 'one a value, the most frequent first' }),
  })
  .meta({ id: 'Makeup' });
export type Makeup = z.infer<typeof Makeup>;
