import { z } from 'zod';
import { ComparisonShare } from './comparison.ts';
import { Carrier, Country, Region } from './location.ts';
import { Result, VantageRef } from './result.ts';
import { ProbeSettings, TargetUrl } from './target.ts';

/** Most vantages of a measurement. */
export const MAX_MEASUREMENT_VANTAGES = 200;
/** Most places that the form of a target probes from before it is stored. */
export const PROBE_FIRST_VANTAGES = 5;
/** Most targets that the form of a rule probes. */
export const PROBE_FIRST_TARGETS = 3;
/** Most locations of a selection: every region of China with each known carrier. */
export const MAX_MEASUREMENT_LOCATIONS = 300;
/** Most measurements that one key (the dashboard counts as one), and all keys for one host, may create in a minute, unless the environment says otherwise. */
export const MEASUREMENTS_A_MINUTE = { key: 10, host: 30 } as const;
/** Most measurements that are kept at once: of more, the oldest are deleted. */
export const MAX_MEASUREMENTS_KEPT = 1_000;
/** How long answers are awaited, seconds. */
export const MEASUREMENT_SECONDS = 60;
/** How long a measurement is kept, days. */
export const MEASUREMENT_DAYS = 7;
/** A prober that was not heard for so long (seconds) is away: one that runs asks for tasks more often. */
export const PROBER_AWAY_SECONDS = 60;
/** Longest time of one probe, ms. */
export const MEASUREMENT_TIMEOUT_MS = 30_000;
/** How long a prober's request for tasks is held while there are none, seconds. */
export const TASKS_HELD_SECONDS = 25;
/** Most Results in one message of a prober. */
export const MAX_ANSWERS = 200;

/** The settings of a target that need no secret and make no further probe. */
export const MeasurementSettings = ProbeSettings.pick({
  alpn: true,
  tlsVersion: true,
  compression: true,
  certificateCompression: true,
  sni: true,
  family: true,
  address: true,
  resolver: true,
  verify: true,
  http: true,
  caPem: true,
  expect: true,
  timeouts: true,
})
  .extend({
    sigalgs: z.enum(['RSA', 'ECDSA']).nullable().default(null).meta({ description: 'requests this certificate type' }),
  })
  .meta({ id: 'MeasurementSettings' });
export type MeasurementSettings = z.infer<typeof MeasurementSettings>;

/** Vantages that have all of the given properties. */
export const MeasurementLocation = z
  .strictObject({
    country: Country.optional(),
    region: Region.optional(),
    carrier: Carrier.optional(),
    limit: z.number().int().min(1).max(MAX_MEASUREMENT_VANTAGES).optional().meta({
      description: 'most vantages, spread evenly over the matching ones in order of region and carrier',
    }),
  })
  .refine((location) => Object.values(location).some((value) => value !== undefined), {
    error: 'must have a country, region, carrier or limit',
  })
  .meta({ id: 'MeasurementLocation', minProperties: 1 });
export type MeasurementLocation = z.infer<typeof MeasurementLocation>;

export const MeasurementCreate = z
  .strictObject({
    url: TargetUrl.optional(),
    targetId: z.uuid().optional().meta({ description: 'in place of `url`: that of this target' }),
    settings: MeasurementSettings.optional().meta({
      description:
        'default: those of the target, or of a target with the origin of `url`, without their secrets; else the defaults of each',
    }),
    vantageIds: z.array(z.uuid()).min(1).max(MAX_MEASUREMENT_VANTAGES).optional(),
    locations: z.array(MeasurementLocation).min(1).max(MAX_MEASUREMENT_LOCATIONS).optional().meta({
      description: 'adds the vantages of each; without `vantageIds` and `locations`: all vantages',
    }),
  })
  .refine(({ url, targetId }) => (url === undefined) !== (targetId === undefined), {
    path: ['url'],
    error: 'or targetId must be given, and only one of them',
  })
  .meta({ id: 'MeasurementCreate', oneOf: [{ required: ['url'] }, { required: ['targetId'] }] });
export type MeasurementCreate = z.infer<typeof MeasurementCreate>;

export const MeasurementVantage = z
  .object({
    vantage: VantageRef,
    state: z.enum(['pending', 'taken', 'done', 'failed']).meta({
      description:
        '`pending`: not taken by its prober yet; `taken`: being probed; `done`: the Result is ok; `failed`: the Result is not ok, or there is none',
    }),
    reason: z.enum(['prober_away', 'not_taken', 'no_answer', 'cancelled']).nullable().meta({
      description:
        'why a failed one has no Result: its prober was away when the measurement was created, did not ask for it, did not answer in time, or the measurement was cancelled; else null',
    }),
    result: Result.nullable().meta({ description: '`targetId` is null: it belongs to no target' }),
  })
  .meta({ id: 'MeasurementVantage' });
export type MeasurementVantage = z.infer<typeof MeasurementVantage>;

export const MeasurementCounts = z
  .object({
    total: z.number().int(),
    pending: z.number().int().meta({ description: 'vantages that are `pending` or `taken`' }),
    done: z.number().int(),
    failed: z.number().int(),
    cancelled: z.number().int().meta({
      description: 'of the `failed`, those whose `reason` is `cancelled`: pages do not count them as failures',
    }),
  })
  .meta({ id: 'MeasurementCounts' });
export type MeasurementCounts = z.infer<typeof MeasurementCounts>;

const state = {
  finished: z.boolean().meta({ description: 'no vantage is `pending` or `taken` any more' }),
  counts: MeasurementCounts,
};

export const ListedMeasurement = z
  .object({
    id: z.uuid(),
    url: z.string(),
    demo: z.boolean(),
    createdBy: z.string(),
    createdAt: z.iso.datetime(),
    endsAt: z.iso.datetime().meta({ description: 'answers are awaited until then' }),
    expiresAt: z.iso.datetime().meta({ description: 'it is deleted then' }),
    cancelledAt: z.iso.datetime().nullable(),
    shared: z.boolean().meta({ description: 'a link shows it without sign-in' }),
    ...state,
  })
  .meta({ id: 'ListedMeasurement' });
export type ListedMeasurement = z.infer<typeof ListedMeasurement>;

export const Measurement = ListedMeasurement.extend({
  settings: MeasurementSettings,
  vantages: z.array(MeasurementVantage).meta({ description: 'in order of region and carrier' }),
}).meta({ id: 'Measurement' });
export type Measurement = z.infer<typeof Measurement>;

export const MeasurementShare = ComparisonShare.meta({ id: 'MeasurementShare' });
export type MeasurementShare = z.infer<typeof MeasurementShare>;

/** Data of the events `answers` and `end`: what has come since the event before. */
export const MeasurementProgress = z
  .object({ ...state, vantages: z.array(MeasurementVantage) })
  .meta({ id: 'MeasurementProgress' });
export type MeasurementProgress = z.infer<typeof MeasurementProgress>;

/** A probe that a prober is to make once, now. */
export const MeasurementTask = z
  .object({
    measurementId: z.uuid(),
    url: z.string(),
    vantage: VantageRef,
    demo: z.boolean(),
    timeoutMs: z.number().int().min(100),
    settings: ProbeSettings,
    allowPrivate: z.boolean(),
  })
  .meta({ id: 'MeasurementTask' });
export type MeasurementTask = z.infer<typeof MeasurementTask>;

export const MeasurementTasks = z
  .object({
    data: z.array(MeasurementTask),
    cancelled: z.array(z.uuid()).meta({ description: 'measurements whose tasks are not to be begun any more' }),
  })
  .meta({ id: 'MeasurementTasks' });
export type MeasurementTasks = z.infer<typeof MeasurementTasks>;

/** Results of tasks of one measurement. Each is parsed separately: an invalid one does not cost the others. */
export const MeasurementAnswers = z
  .strictObject({ measurementId: z.uuid(), results: z.array(z.unknown()).min(1).max(MAX_ANSWERS) })
  .meta({ id: 'MeasurementAnswers' });
export type MeasurementAnswers = z.infer<typeof MeasurementAnswers>;

export const MeasurementReport = z
  .object({
    accepted: z.number().int(),
    duplicates: z.number().int().meta({ description: 'answered already, or cancelled' }),
    rejected: z.array(z.object({ index: z.number().int(), field: z.string().nullable(), message: z.string() })),
  })
  .meta({ id: 'MeasurementReport' });
export type MeasurementReport = z.infer<typeof MeasurementReport>;
