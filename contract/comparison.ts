import { z } from 'zod';
import { instant } from './bounds.ts';
import { ordered, orderedError, PageQuery, time } from './query.ts';
import { MEASURED_VARIANTS } from './vocabulary.ts';

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
    network: ComparisonInterval.nullable().default(null).meta({
      description: "the part of the shift that is the network's, ms: round trips times the change of the mean RTT",
    }),
    server: ComparisonInterval.nullable()
      .default(null)
      .meta({ description: 'the rest, ms: round trips added times the RTT, and work' }),
    roundTrips: ComparisonInterval.nullable().meta({
      description:
        'round trips added; null: they were not counted, and the slope over the RTTs tells no whole number of them',
    }),
    roundTripsBy: z.enum(['counted', 'slope']).nullable().default(null).meta({
      description: '`counted` by the results, else the slope over RTT of what the network leaves, a whole number',
    }),
    slope: ComparisonInterval.nullable().default(null).meta({ description: 'that slope as it was estimated' }),
    workMs: ComparisonInterval.nullable().meta({
      description: "the server's own work added, ms: what network and round trips leave; null: as for `roundTrips`",
    }),
    direction: Direction.meta({ description: "of the server's part; `unclear` where no region shows it" }),
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
  networkMs: ms.meta({ description: "shift of the mean TCP connect, which is the network's" }),
  server: ComparisonInterval.nullable().default(null).meta({ description: "the shift less the network's part, ms" }),
  direction: Direction.meta({ description: "of the server's part, by Holm's correction over all of the list" }),
};

const directions = z
  .array(z.object({ direction: Direction, shift: ComparisonInterval, server: ComparisonInterval }))
  .default([])
  .meta({ description: 'the shift, ms, over the vantages of all regions of one direction' });

/** A carrier or a region whose round-trip times moved; neither is named where all did alike. */
export const NetworkMove = z
  .object({
    carrier: z.string().nullable(),
    region: z.string().nullable(),
    shift: ComparisonInterval.meta({ description: 'of the mean TCP connect, ms' }),
    regions: count.meta({ description: 'regions in which it moved' }),
    of: count.meta({ description: 'regions that were compared' }),
  })
  .meta({ id: 'NetworkMove' });
export type NetworkMove = z.infer<typeof NetworkMove>;

const settingShares = z.object({
  setting: Setting,
  values: z
    .array(z.object({ value: z.string(), before: share, after: share }))
    .meta({ description: 'shares of the results that have it, the largest first' }),
});
export type SettingShares = z.infer<typeof settingShares>;

export const SettingFlip = z
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
export type SettingFlip = z.infer<typeof SettingFlip>;

export const ATTRIBUTION_VERDICTS = ['explained', 'not_explained', 'cant_tell', 'nothing_flipped'] as const;
export const ComparisonAttribution = z
  .object({
    verdict: z.enum(ATTRIBUTION_VERDICTS).meta({
      description:
        '`explained`: the one flip predicts what was measured; `cant_tell`: several flipped at once, or the interval is too wide',
    }),
    cause: Setting.nullable().meta({ description: 'the one flip that may be the cause' }),
    flips: z.array(SettingFlip),
    measured: z.number().nullable().meta({ description: 'round trips added to the milestone' }),
    predicted: z.number().nullable(),
  })
  .meta({ id: 'ComparisonAttribution' });
export type ComparisonAttribution = z.infer<typeof ComparisonAttribution>;

/** A setting of which a part of the results has the new value: a canary, or one of several servers that was changed. */
export const ComparisonMixture = z
  .object({
    setting: Setting,
    before: z.string().meta({ description: 'the value that fewer of the results have since' }),
    after: z.string().meta({ description: 'the value that more of them have' }),
    share: z.object({ before: share, after: share }).meta({ description: 'of the results that have `after`' }),
    effect: MilestoneEffect.nullable().meta({
      description: 'results after with the new value against those before with the old one; null: too few',
    }),
    rest: z
      .object({ value: z.string(), effect: MilestoneEffect })
      .nullable()
      .meta({ description: 'results that have this one value on both sides; null: too few' }),
  })
  .meta({ id: 'ComparisonMixture' });
export type ComparisonMixture = z.infer<typeof ComparisonMixture>;
const mixture = ComparisonMixture.nullable().default(null).meta({
  description: '`attribution` is then of its `effect`; null: what changed did so in all results',
});

/** Share of the handshakes that offered a session and were refused, 0 to 1. */
const Refused = z.object({ before: share, after: share });

/** The same two windows of another handshake of the check, such as the one that offers a session. */
export const VariantComparison = z
  .object({
    variant: z.enum(MEASURED_VARIANTS),
    pairs: count,
    refused: Refused.nullable().meta({
      description: 'of `resumed`: share of the sessions that the server refused; null: another variant',
    }),
    refusedChanged: z.boolean().meta({ description: 'whether that changed by more than chance' }),
    milestones: z.record(Milestone, MilestoneEffect.nullable()),
    attribution: ComparisonAttribution,
    mixture,
    shares: z.array(settingShares),
  })
  .meta({ id: 'VariantComparison' });
export type VariantComparison = z.infer<typeof VariantComparison>;

export const ComparisonFigures = z
  .object({
    milestone: Milestone.meta({ description: 'the one that vantages, cells and the distribution are about' }),
    pairs: count.meta({ description: 'sum over the vantages of the smaller number of results' }),
    blockMs: ms.meta({ description: 'length of the blocks of the bootstrap' }),
    milestones: z.record(Milestone, MilestoneEffect.nullable()),
    network: ComparisonInterval.meta({ description: 'shift of the mean TCP connect at the same vantages, ms' }),
    networkMoves: z.array(NetworkMove).default([]).meta({ description: 'whose network moved, the largest move first' }),
    variants: z.array(VariantComparison).default([]).meta({ description: 'the other handshakes of the check' }),
    phases: z.array(
      z.object({ phase: z.enum(COMPARED_PHASES), before: ms, after: ms, shift: ComparisonInterval.nullable() }),
    ),
    vantages: z.array(z.object({ ...place, rttMs: ms, ...cellEffect })),
    cells: z.array(z.object({ region: z.string(), carrier: z.string(), ...cellEffect })),
    regions: z.array(z.object({ region: z.string(), ...cellEffect })),
    directions,
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
    mixture,
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

/** Minutes on either side of a marker or an onset. */
export const COMPARE_MINUTES = { least: 5, most: 1_440, usual: 20 } as const;
export const CompareMinutes = z.number().int().min(COMPARE_MINUTES.least).max(COMPARE_MINUTES.most);
/** Longest window of a comparison, days; shortest, minutes. */
export const MAX_WINDOW_DAYS = 7;
const MAX_TITLE = 200;

const MINUTE_MS = 60_000;
const window = z
  .strictObject({ from: time, to: time })
  .refine(ordered, orderedError)
  .refine(({ from, to }) => Date.parse(to) - Date.parse(from) >= COMPARE_MINUTES.least * MINUTE_MS, {
    path: ['to'],
    error: `must be at least ${COMPARE_MINUTES.least} minutes after from`,
  })
  .refine(({ from, to }) => Date.parse(to) - Date.parse(from) <= MAX_WINDOW_DAYS * 1_440 * MINUTE_MS, {
    path: ['to'],
    error: `must be at most ${MAX_WINDOW_DAYS} days after from`,
  })
  .meta({ description: `${COMPARE_MINUTES.least} minutes to ${MAX_WINDOW_DAYS} days` });

export const ComparisonCreate = z
  .strictObject({
    markerId: z.uuid().optional().meta({ description: 'before this marker against after it' }),
    incidentId: z.uuid().optional().meta({ description: 'before the onset of this incident against after it' }),
    targetId: z
      .uuid()
      .optional()
      .meta({ description: 'required with `before` and `after`, and for a marker or incident of several targets' }),
    before: window.optional().meta({ description: 'two ranges instead of a marker or incident' }),
    after: window.optional(),
    minutes: CompareMinutes.optional().meta({
      description: `length of both windows around a marker or onset; default: ${COMPARE_MINUTES.usual}`,
    }),
    milestone: Milestone.default('total'),
    title: z.string().trim().min(1).max(MAX_TITLE).optional().meta({ description: 'default: that of the marker' }),
  })
  .superRefine((input, context) => {
    const ranges = input.before !== undefined || input.after !== undefined;
    const given = [input.markerId !== undefined, input.incidentId !== undefined, ranges].filter(Boolean).length;
    const say = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    if (given !== 1) say('markerId', 'must be given, or incidentId, or before and after: exactly one of these');
    else if (ranges && !input.before) say('before', 'must be given with after');
    else if (ranges && !input.after) say('after', 'must be given with before');
    else if (ranges && !input.targetId) say('targetId', 'must be given with before and after');
    if (ranges && input.minutes !== undefined) say('minutes', 'is not used with before and after');
  })
  .meta({
    id: 'ComparisonCreate',
    oneOf: [['markerId'], ['incidentId'], ['targetId', 'before', 'after']].map((required) => ({ required })),
    dependentRequired: { before: ['after'], after: ['before'] },
    not: { required: ['before', 'minutes'] },
  });
export type ComparisonCreate = z.infer<typeof ComparisonCreate>;

/** What a comparison comes to, in a few figures: what its sentence is made of. */
export const ComparisonHeadline = z
  .object({
    refusal: ComparisonRefusal.nullable(),
    milestone: Milestone,
    direction: Direction.nullable().meta({ description: 'null: refused' }),
    shift: ComparisonInterval.nullable(),
    roundTrips: ComparisonInterval.nullable(),
    workMs: ComparisonInterval.nullable(),
    network: ComparisonInterval.nullable(),
    server: ComparisonInterval.nullable().default(null).meta({ description: "the shift less the network's part, ms" }),
    networkMoves: z.array(NetworkMove).default([]),
    refused: Refused.nullable().default(null).meta({
      description: 'share of the offered sessions that the server refused, where it changed; else null',
    }),
    regions: z
      .object({ faster: count, slower: count, unclear: count, provinces: z.boolean() })
      .nullable()
      .meta({ description: '`provinces`: all of the regions are provinces of China' }),
    directions,
    verdict: z.enum(ATTRIBUTION_VERDICTS).nullable(),
    cause: Setting.nullable(),
    causeAfter: z.string().nullable().meta({ description: 'the value that the cause has since' }),
    predicted: z.number().nullable().meta({ description: 'round trips that the cause should add' }),
    mixture,
  })
  .meta({ id: 'ComparisonHeadline' });
export type ComparisonHeadline = z.infer<typeof ComparisonHeadline>;

export const COMPARISON_STATUSES = ['waiting', 'ready'] as const;
const span = z.object({ from: instant, to: instant });

export const Comparison = z
  .object({
    id: z.uuid(),
    targetId: z.uuid(),
    targetName: z.string(),
    markerId: z.uuid().nullable(),
    incidentId: z.uuid().nullable(),
    title: z.string(),
    before: span,
    after: span,
    milestone: Milestone,
    status: z.enum(COMPARISON_STATUSES),
    dueAt: instant.meta({ description: 'when it is computed: once the results of the later window are in' }),
    computedAt: instant.nullable(),
    headline: ComparisonHeadline.nullable().meta({ description: 'null while it is waiting' }),
    summary: z.string().nullable().meta({ description: 'the same as a sentence, in English' }),
    shared: z.boolean().meta({ description: 'whether a link shows it to anybody' }),
    createdBy: z.string(),
    createdAt: instant,
    demo: z.boolean(),
  })
  .meta({ id: 'Comparison' });
export type Comparison = z.infer<typeof Comparison>;

export const ComparisonDetail = Comparison.extend({ figures: ComparisonFigures.nullable() }).meta({
  id: 'ComparisonDetail',
});
export type ComparisonDetail = z.infer<typeof ComparisonDetail>;

export const ComparisonsQuery = z
  .strictObject({
    ...PageQuery.shape,
    target: z.uuid().optional(),
    marker: z.uuid().optional(),
    incident: z.uuid().optional(),
    status: z.enum(COMPARISON_STATUSES).optional(),
  })
  .meta({ id: 'ComparisonsQuery' });
export type ComparisonsQuery = z.infer<typeof ComparisonsQuery>;

export const ComparisonShare = z
  .object({ path: z.string().meta({ description: 'of the page that needs no sign-in; shown this once' }) })
  .meta({ id: 'ComparisonShare' });
export type ComparisonShare = z.infer<typeof ComparisonShare>;
