import { z } from 'zod';
import { IncidentKind, Severity } from './incident-vocabulary.ts';

import { Carrier, Region } from './location.ts';
import { Managed } from './managed.ts';
import { RULE_METRICS, Stat, WATCHED_METRICS } from './vocabulary.ts';

export const RULE_KINDS = ['detector', 'threshold', 'down', 'certificate', 'staple', 'silent'] as const;
export const RuleKind = z.enum(RULE_KINDS).meta({ id: 'RuleKind' });
export type RuleKind = z.infer<typeof RuleKind>;

export const WatchedMetric = z.enum(WATCHED_METRICS).meta({ id: 'WatchedMetric' });
export type WatchedMetric = z.infer<typeof WatchedMetric>;

/** Longest window of a rule, and longest distance of reminders, in minutes: a day, a week. */
const MAX_WINDOW_MINUTES = 1_440;
const MAX_REMINDER_MINUTES = 10_080;
const windowMinutes = z.number().int().min(1).max(MAX_WINDOW_MINUTES);
const share = z.number().min(0).max(1);

/** No threshold to choose: docs/detection.md says what is found. */
export const DetectorParams = z.strictObject({
  kinds: z
    .array(IncidentKind.extract(['spike', 'regression', 'improvement']))
    .min(1)
    .max(3)
    .default(['spike', 'regression', 'improvement']),
  falsePagesPerWeek: z.number().min(0.1).max(1_000).nullish().meta({
    description:
      'about so many false pages a week for all series together, however many there are: what fewer series show than that allows is listed, and sends no message until more join (a spike: until half an hour has passed); null: no budget',
  }),
});

/** Opens where the statistic over the window is above or below a fixed value, in a cell with enough results. */
export const ThresholdParams = z
  .strictObject({
    stat: Stat.default('p95'),
    above: z.number().nullable().default(null).meta({ description: 'in the unit of metric and stat' }),
    below: z.number().nullable().default(null),
    windowMinutes: windowMinutes.default(10),
    minResults: z.number().int().min(1).max(100_000).default(5),
  })
  .refine(({ above, below }) => (above === null) !== (below === null), {
    path: ['above'],
    error: 'give either above or below',
  })
  .meta({
    oneOf: ['above', 'below'].map((limit) => ({ required: [limit], properties: { [limit]: { type: 'number' } } })),
  });

/** A target is down where all of a vantage's results failed by the target's or the resolver's fault, at enough of the vantages that are to measure it. */
export const DownParams = z.strictObject({
  windowMinutes: windowMinutes.max(60).default(5),
  share: share.default(0.5).meta({
    description: 'share of the expected vantages, silent ones included, that must fail; in addition to minCells',
  }),
});

export const CertificateParams = z.strictObject({
  days: z.number().int().min(1).max(365).default(14).meta({
    description:
      'days until the certificate expires; of a certificate that lives no longer than that, a third of its lifetime',
  }),
});

/** Only where the certificate names a responder. */
export const StapleParams = z.strictObject({
  hitRatio: share.default(0.5).meta({ description: 'opens below this ratio' }),
  windowMinutes: windowMinutes.default(60),
  minHandshakes: z.number().int().min(1).max(100_000).default(20),
});

export const SilentParams = z.strictObject({
  periods: z
    .number()
    .int()
    .min(2)
    .max(1_000)
    .default(5)
    .meta({ description: 'periods of the vantage’s most frequent check' }),
});

const filters = {
  targetIds: z.array(z.uuid()).max(1_000),
  regions: z.array(Region).max(500),
  carriers: z.array(Carrier).max(100),
};
const name = z.string().trim().min(1).max(200);
const minCells = z.number().int().min(1).max(1_000).meta({
  description: 'least number of series (a target at a vantage) that opens an incident',
});
const reminderMinutes = z.number().int().min(5).max(MAX_REMINDER_MINUTES).nullable().meta({
  description: 'minutes between reminders of an open incident; null: no reminders',
});

const common = {
  name,
  enabled: z.boolean().default(true),
  targetIds: filters.targetIds.default([]),
  regions: filters.regions.default([]),
  carriers: filters.carriers.default([]),
  minCells: minCells.default(1),
  severity: Severity.default('warning'),
  reminderMinutes: reminderMinutes.default(null),
};

export const AlertRuleCreate = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('detector'),
      metric: WatchedMetric.nullable().default(null).meta({ description: 'null: all metrics of the detector' }),
      params: DetectorParams.prefault({}),
      ...common,
    }),
    z.strictObject({ kind: z.literal('threshold'), metric: z.enum(RULE_METRICS), params: ThresholdParams, ...common }),
    z.strictObject({ kind: z.literal('down'), params: DownParams.prefault({}), ...common }),
    z.strictObject({ kind: z.literal('certificate'), params: CertificateParams.prefault({}), ...common }),
    z.strictObject({ kind: z.literal('staple'), params: StapleParams.prefault({}), ...common }),
    z.strictObject({ kind: z.literal('silent'), params: SilentParams.prefault({}), ...common }),
  ])
  .meta({ id: 'AlertRuleCreate' });
export type AlertRuleCreate = z.infer<typeof AlertRuleCreate>;

/** Fields left out stay as they are; `params` is replaced whole. The kind stays what it is. */
export const AlertRulePatch = z
  .strictObject({
    name,
    enabled: z.boolean(),
    metric: z.string().max(40).nullable().meta({ description: 'of `detector` and `threshold` alone' }),
    params: z.record(z.string(), z.unknown()).meta({ description: 'as in AlertRuleCreate, by the kind' }),
    ...filters,
    minCells,
    severity: Severity,
    reminderMinutes,
  })
  .partial()
  .meta({ id: 'AlertRulePatch' });
export type AlertRulePatch = z.infer<typeof AlertRulePatch>;

const stored = {
  id: z.uuid(),
  name: z.string(),
  enabled: z.boolean(),
  targetIds: z.array(z.uuid()),
  regions: z.array(z.string()),
  carriers: z.array(z.string()),
  minCells: z.number().int(),
  severity: Severity,
  reminderMinutes: z.number().int().nullable(),
  demo: z.boolean(),
  managed: Managed,
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
};

/** How many pages a rule made, and how many of them were false. */
export const RuleAchieved = z
  .object({
    days: z.number().int().meta({ description: 'counted over so many days, 28 at most, or since the rule was made' }),
    pages: z.number().int().meta({ description: 'incidents about which a message went out' }),
    falsePages: z.number().int().meta({
      description:
        'of these what a person called not useful, and spikes of one series that were over within 45 minutes',
    }),
    falsePerWeek: z.number(),
  })
  .meta({ id: 'RuleAchieved' });
export type RuleAchieved = z.infer<typeof RuleAchieved>;

export const AlertRule = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('detector'),
      metric: WatchedMetric.nullable(),
      params: DetectorParams,
      achieved: RuleAchieved.nullable()
        .default(null)
        .meta({ description: 'its rate of false pages, to hold against `falsePagesPerWeek`; null: not counted' }),
      ...stored,
    }),
    z.object({ kind: z.literal('threshold'), metric: z.enum(RULE_METRICS), params: ThresholdParams, ...stored }),
    z.object({ kind: z.literal('down'), metric: z.null(), params: DownParams, ...stored }),
    z.object({ kind: z.literal('certificate'), metric: z.null(), params: CertificateParams, ...stored }),
    z.object({ kind: z.literal('staple'), metric: z.null(), params: StapleParams, ...stored }),
    z.object({ kind: z.literal('silent'), metric: z.null(), params: SilentParams, ...stored }),
  ])
  .meta({ id: 'AlertRule' });
export type AlertRule = z.infer<typeof AlertRule>;
/** A rule of one kind. */
export type RuleOf<Kind extends RuleKind> = Extract<AlertRule, { kind: Kind }>;

/** An incident that a rule would have opened: when, on how many series at most; `endedAt` null where it lasts or is not known. */
export const RuleWouldFire = z
  .object({
    targetId: z.uuid().nullable().meta({ description: 'null: of several targets' }),
    openedAt: z.iso.datetime(),
    endedAt: z.iso.datetime().nullable(),
    series: z.number().int(),
  })
  .meta({ id: 'RuleWouldFire' });
export type RuleWouldFire = z.infer<typeof RuleWouldFire>;

export const RulePreview = z
  .object({
    from: z.iso.datetime(),
    to: z.iso.datetime(),
    stepSeconds: z.number().int().nullable().meta({
      description: 'the rule was evaluated this often; null for a detector rule, whose detections are stored',
    }),
    count: z.number().int(),
    incidents: z.array(RuleWouldFire).max(20).meta({ description: 'the newest' }),
    targets: z
      .object({ replayed: z.number().int(), of: z.number().int() })
      .meta({ description: 'fewer are replayed where there was not time for all' }),
  })
  .meta({ id: 'RulePreview', description: 'The incidents a rule would have opened in the last week or day' });
export type RulePreview = z.infer<typeof RulePreview>;
