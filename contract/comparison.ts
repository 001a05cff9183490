import { z } from 'zod';

/**
 * The moments of a probe that a change can bring nearer, in ms from the beginning of the connect: the handshake done, the first
 * usable byte of the response, the first byte of its body, and all of it.
 */
export const MILESTONES = ['handshake', 'firstUsable', 'firstBody', 'total'] as const;
export const Milestone = z.enum(MILESTONES).meta({ id: 'Milestone' });
export type Milestone = z.infer<typeof Milestone>;

/** Phases whose medians stand beside one another. `firstBody` overlaps the two before it. */
export const COMPARED_PHASES = ['dns', 'tcp', 'tls', 'firstByte', 'firstBody', 'download', 'total'] as const;
export type ComparedPhase = (typeof COMPARED_PHASES)[number];

/** What a handshake and its answer show of how a server is set. A flip of one is looked for as the cause. */
export const SETTINGS = [
  'version',
  'alpn',
  'group',
  'helloRetry',
  'cipher',
  'keyExchange',
  'keyType',
  'certificate',
  'issuer',
  'chainBytes',
  'certificateCompression',
  'staple',
  'resumed',
  'tickets',
  'recordBytes',
  'serverWindow',
  'nagle',
  'encoding',
  'keepAlive',
  'altSvc',
  'server',
  'peerAddress',
] as const;
export const Setting = z.enum(SETTINGS).meta({ id: 'Setting' });
export type Setting = z.infer<typeof Setting>;

const ms = z.number();
const share = z.number().min(0).max(1);
const count = z.number().int().min(0);

export const ComparisonInterval = z
  .object({ value: z.number(), low: z.number(), high: z.number() })
  .meta({ id: 'ComparisonInterval', description: 'an estimate and the ends of its 95% confidence interval' });
export type ComparisonInterval = z.infer<typeof ComparisonInterval>;

export const REFUSALS = ['too_few', 'overlap', 'gap', 'two_changes'] as const;

/** Why there is no figure. `values` are what the sentence is made of. */
export const ComparisonRefusal = z
  .object({ reason: z.enum(REFUSALS), values: z.record(z.string(), z.union([z.number(), z.string()])) })
  .meta({ id: 'ComparisonRefusal' });
export type ComparisonRefusal = z.infer<typeof ComparisonRefusal>;

export const Direction = z.enum(['faster', 'slower', 'unclear']).meta({ id: 'Direction' });
export type Direction = z.infer<typeof Direction>;

export const MilestoneEffect = z
  .object({
    before: ms.meta({ description: 'median over the vantages of their medians, ms' }),
    after: ms,
    shift: ComparisonInterval.meta({ description: 'ms, negative: faster; Hodges-Lehmann over the vantages' }),
    roundTrips: ComparisonInterval.nullable().meta({
      description: 'slope of the shift over RTT: round trips added; null: the RTTs are too much alike',
    }),
    workMs: ComparisonInterval.nullable().meta({ description: "intercept: the server's own work added, ms" }),
    direction: Direction,
  })
  .meta({ id: 'MilestoneEffect' });
export type MilestoneEffect = z.infer<typeof MilestoneEffect>;

const place = {
  id: z.string(),
  name: z.string(),
  country: z.string(),
  region: z.string(),
  carrier: z.string(),
};
const cellEffect = {
  vantages: count,
  n: z.object({ before: count, after: count }),
  shift: ComparisonInterval,
  networkMs: ms.meta({ description: "shift of the TCP connect, which is the network's" }),
  direction: Direction.meta({ description: "by Holm's correction over all of the list" }),
};

const settingShares = z.object({
  setting: Setting,
  values: z
    .array(z.object({ value: z.string(), before: share, after: share }))
    .meta({ description: 'shares of the results that have it, the largest first' }),
});
export type SettingShares = z.infer<typeof settingShares>;

const flip = z
  .object({
    setting: Setting,
    before: z.string().meta({ description: 'the most frequent value, or the median of a number; `none`: not present' }),
    after: z.string(),
    share: share.meta({ description: 'share of the results that flipped' }),
    partOf: Setting.nullable().meta({ description: 'the flip that brings this one along; null: a change by itself' }),
    predicted: z
      .object({
        roundTrips: z.number().meta({ description: 'round trips that it adds to the milestone' }),
        by: z.enum(['model', 'table']),
      })
      .nullable()
      .meta({ description: 'null: nothing can be predicted of it' }),
  })
  .meta({ id: 'SettingFlip' });
export type SettingFlip = z.infer<typeof flip>;

export const ATTRIBUTION_VERDICTS = ['explained', 'not_explained', 'cant_tell', 'nothing_flipped'] as const;
export const ComparisonAttribution = z
  .object({
    verdict: z.enum(ATTRIBUTION_VERDICTS).meta({
      description:
        '`explained`: the one flip predicts what was measured; `cant_tell`: several flipped at once, or the interval is too wide',
    }),
    cause: Setting.nullable().meta({ description: 'the one flip that may be the cause' }),
    flips: z.array(flip),
    measured: z.number().nullable().meta({ description: 'round trips added to the milestone' }),
    predicted: z.number().nullable(),
  })
  .meta({ id: 'ComparisonAttribution' });
export type ComparisonAttribution = z.infer<typeof ComparisonAttribution>;

export const ComparisonFigures = z
  .object({
    milestone: Milestone.meta({ description: 'the one that vantages, cells and the distribution are about' }),
    pairs: count.meta({ description: 'sum over the vantages of the smaller number of results' }),
    blockMs: ms.meta({ description: 'length of the blocks of the bootstrap' }),
    milestones: z.record(Milestone, MilestoneEffect.nullable()),
    network: ComparisonInterval.meta({ description: 'shift of the TCP connect at the same vantages, ms' }),
    phases: z.array(
      z.object({ phase: z.enum(COMPARED_PHASES), before: ms, after: ms, shift: ComparisonInterval.nullable() }),
    ),
    vantages: z.array(z.object({ ...place, rttMs: ms, ...cellEffect })),
    cells: z.array(z.object({ region: z.string(), carrier: z.string(), ...cellEffect })),
    regions: z.array(z.object({ region: z.string(), ...cellEffect })),
    onlyBefore: z.array(z.object(place)).meta({ description: 'vantages without results after: not compared' }),
    onlyAfter: z.array(z.object(place)),
    controls: z.object({
      earlier: ComparisonInterval.nullable().meta({
        description: 'A against A: the same milestone, before against the time before that; null: not measured then',
      }),
      others: z
        .array(z.object({ id: z.string(), name: z.string(), shift: ComparisonInterval, network: ComparisonInterval }))
        .meta({ description: 'other targets at the same vantages in the same windows' }),
    }),
    attribution: ComparisonAttribution,
    shares: z.array(settingShares),
    distribution: z
      .array(z.object({ quantile: z.number(), before: ms, after: ms }))
      .meta({ description: 'quantiles of the milestone over all results of the paired vantages' }),
  })
  .meta({ id: 'ComparisonFigures' });
export type ComparisonFigures = z.infer<typeof ComparisonFigures>;

/** What a comparison of two windows comes to: figures, or the reason why there are none. */
export const ComparisonOutcome = z
  .object({ refusal: ComparisonRefusal.nullable(), figures: ComparisonFigures.nullable() })
  .meta({ id: 'ComparisonOutcome' });
export type ComparisonOutcome = z.infer<typeof ComparisonOutcome>;
