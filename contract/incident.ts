import { z } from 'zod';
import { instant } from './bounds.ts';
import { IncidentCounterfactual } from './counterfactual.ts';
import { Cause, IncidentExplanation } from './explanation.ts';
import { IncidentFailure } from './failure.ts';
import {
  INCIDENT_EVENT_KINDS,
  INCIDENT_KINDS,
  INCIDENT_RESOLUTIONS,
  INCIDENT_STATES,
  INCIDENT_STATUSES,
  IncidentKind,
  IncidentResolution,
  IncidentState,
  IncidentStatus,
  SEVERITIES,
  Severity,
  SUB_CAUSES,
} from './incident-vocabulary.ts';
import { Carrier, Region } from './location.ts';
import { flag, list, ordered, orderedError, PageQuery, time } from './query.ts';
import { FINDING_CODES } from './vocabulary.ts';

/** One target from one vantage, as the incident met it. Ms (or, with a ratio as metric, 0 to 1) where there is a value. */
export const IncidentCell = z
  .object({
    targetId: z.uuid().nullable().meta({ description: 'null: a silent vantage' }),
    targetName: z.string().nullable(),
    vantageId: z.uuid().nullable().meta({ description: 'null: not tied to one vantage' }),
    vantageName: z.string().nullable(),
    region: z.string().nullable(),
    carrier: z.string().nullable(),
    kind: IncidentKind,
    metric: z.string().nullable(),
    variant: z.enum(['main', 'resumed']).meta({ description: '`resumed`: of handshakes that offered a session' }),
    at: instant.meta({ description: 'when the change was detected' }),
    changeAt: instant.meta({ description: 'when the change began' }),
    beforeMs: z.number().nullable(),
    afterMs: z.number().nullable().meta({ description: 'the typical level since: the median' }),
    peakMs: z
      .number()
      .nullable()
      .meta({ description: 'of a spike, the level that one result in ten exceeded; null: not measured' }),
    resumedBefore: z
      .number()
      .nullable()
      .meta({ description: 'share of its handshakes that resumed a session before, 0 to 1; null: not known' }),
    resumedAfter: z.number().nullable().meta({ description: 'the same since' }),
    quietSince: instant.nullable().meta({
      description: 'for an open spike, since when results have been back to normal; null: they are not',
    }),
    recoveredAt: instant.nullable(),
  })
  .meta({ id: 'IncidentCell' });
export type IncidentCell = z.infer<typeof IncidentCell>;

export const POSTURE_FIELDS = [
  'issuer',
  'certificate',
  'chainBytes',
  'version',
  'alpn',
  'group',
  'staple',
  'peerAddress',
  'resumed',
  'roundTrips',
  'cipher',
  'keyType',
  'recordBytes',
  'serverWindow',
  'tickets',
] as const;

/** What may have caused it: something the handshakes show to have changed at the onset, a finding that appeared, or a marker nearby. */
export const IncidentCandidate = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('posture'),
      targetId: z.uuid(),
      field: z.enum(POSTURE_FIELDS),
      before: z.string().nullable().meta({ description: 'the most frequent value before; null: none' }),
      after: z.string().nullable(),
      beforeShare: z.number().meta({ description: 'share of the results before that had the value `after`, 0 to 1' }),
      afterShare: z.number().meta({ description: 'share of the results after that have it' }),
    }),
    z.object({
      kind: z.literal('finding'),
      targetId: z.uuid(),
      code: z.enum(FINDING_CODES),
      since: instant.meta({ description: 'the first result since the onset that has it' }),
      beforeShare: z.number().meta({ description: 'share of the results before that had it, 0 to 1' }),
      afterShare: z.number().meta({ description: 'share of the results after that have it' }),
      savesRoundTrips: z.number().nullable().meta({ description: 'what it costs, mean of the results since' }),
      savesMs: z.number().nullable(),
    }),
    z.object({
      kind: z.literal('marker'),
      markerId: z.uuid(),
      title: z.string(),
      at: instant,
      offsetSeconds: z.number().int().meta({ description: 'marker time minus onset; negative: the marker came first' }),
      later: z.boolean().default(false).meta({
        description: 'true: later than the onset may be, so it is not what caused it',
      }),
    }),
  ])
  .meta({ id: 'IncidentCandidate' });
export type IncidentCandidate = z.infer<typeof IncidentCandidate>;

const count = z.number().int().min(0);

/** What an incident affects, summed up; while it goes on without what has recovered. */
export const Affected = z
  .object({
    targets: count,
    targetNames: z.array(z.string()).meta({ description: 'of at most three' }),
    vantages: count,
    vantageNames: z.array(z.string()).meta({ description: 'of at most three' }),
    everywhere: z.boolean().meta({ description: 'every place, of several, at which these targets are measured' }),
    spared: z
      .array(z.object({ region: z.string(), carrier: z.string() }))
      .default([])
      .meta({ description: 'places that are measured and not affected, where they are at most two of seven or more' }),
    series: count.meta({ description: 'pairs of target and vantage, whatever number of metrics moved' }),
    regions: count.meta({ description: '0: it is not about places' }),
    provinces: z.boolean().meta({ description: 'all of the regions are provinces of China' }),
    carriers: z
      .array(
        z.object({
          carrier: z.string(),
          regions: count,
          of: count.meta({ description: 'regions in which these targets are measured on this carrier' }),
          region: z.string().nullable().meta({ description: 'the only one; null: several' }),
          named: z.array(z.string()).default([]).meta({ description: 'the regions, where they are at most three' }),
          spared: z.array(z.string()).default([]).meta({
            description:
              'regions that are measured on it and not affected, where they are at most two of seven or more',
          }),
        }),
      )
      .meta({ description: 'the most affected first' }),
    before: z
      .number()
      .nullable()
      .meta({ description: 'the median of the levels before: ms, or 0 to 1 of failures and refused sessions' }),
    after: z.number().nullable().meta({ description: 'the same since' }),
    full: z
      .object({ before: z.number(), after: z.number() })
      .nullable()
      .meta({
        description:
          'share of handshakes that were full, not resumed, 0 to 1, where it moved by more than 0.15: the mean of its series; else null',
      })
      .default(null),
  })
  .meta({ id: 'Affected' });
export type Affected = z.infer<typeof Affected>;

/** What an incident means to the users, weighted by where they are (`Audience`). */
export const Impact = z
  .object({
    share: z.number().meta({ description: 'share of the users of its targets that are affected, 0 to 1' }),
    excessMs: z
      .number()
      .nullable()
      .meta({ description: 'by how many ms these wait longer on average; null: not known' }),
    weightedMs: z.number().nullable().meta({ description: 'the same over all users: `share` times `excessMs`' }),
  })
  .meta({ id: 'Impact' });
export type Impact = z.infer<typeof Impact>;
/** What a lasting change costs: how long, how much, and how many users. */
export const IncidentCost = z
  .object({
    hours: z.number().min(0).meta({ description: 'since the onset, until it ended' }),
    meanExcessMs: z.number().meta({
      description: 'mean over its series of the level since minus the level before, each by the time it lasted',
    }),
    users: z.number().min(0).max(1).nullable().meta({
      description: 'share of the users of its targets that it affects, as in `impact`; null: not known',
    }),
  })
  .meta({ id: 'IncidentCost' });
export type IncidentCost = z.infer<typeof IncidentCost>;

/** A person's word that an incident was not useful, and until when it holds. */
export const NotUseful = z.object({ by: z.string(), at: instant, until: instant }).meta({ id: 'NotUseful' });
export type NotUseful = z.infer<typeof NotUseful>;

export const Incident = z
  .object({
    id: z.uuid(),
    kind: IncidentKind,
    state: IncidentState.meta({ description: 'where it is in its life; follows from the other fields' }),
    status: IncidentStatus,
    resolution: IncidentResolution.nullable().meta({
      description:
        'how it ended; null: still open, or an improvement. `accepted`: the change persists and is the new level',
    }),
    severity: Severity,
    ruleId: z.uuid().nullable(),
    ruleName: z.string().nullable(),
    metric: z
      .string()
      .nullable()
      .meta({ description: '`tls`, `tcp`, `firstByte`, `failures`, `refused`, or a rule’s metric' }),
    targetId: z.uuid().nullable().meta({ description: 'null: several targets, or none' }),
    targetName: z.string().nullable(),
    carrier: z.string().nullable().meta({ description: 'null: several carriers, or none' }),
    region: z.string().nullable(),
    cause: Cause.nullable(),
    subCause: z
      .enum(SUB_CAUSES)
      .nullable()
      .meta({ description: '`resumption`: sessions are refused, or resumed handshakes alone moved; with cause `tls`' }),
    explanation: IncidentExplanation.nullable().meta({
      description: 'what the excess is made of, and where; null: too little is measured, or it is too small',
    }),
    counterfactual: IncidentCounterfactual.nullable().meta({
      description:
        'what its series would be without it; null: fewer than three unaffected series are known, or it is about no time',
    }),
    candidates: z.array(IncidentCandidate),
    cells: z.array(IncidentCell),
    affected: Affected,
    evidence: z.record(z.string(), z.unknown()).meta({ description: 'evidence of the rule, by kind (docs/api.md)' }),
    failure: IncidentFailure.nullable().meta({
      description: 'why probes fail, for kind `down` and spikes of failures; null for other kinds and if unknown',
    }),
    openedAt: instant,
    onsetAt: instant.meta({
      description:
        'median of the onsets of its series, of those that are dated well; of what spread over its series, of those that changed first',
    }),
    markersFrom: instant.meta({
      description: 'markers among `candidates` were looked for from here, an hour before the onset may be',
    }),
    markersTo: instant.meta({ description: 'until here' }),
    acknowledgedAt: instant.nullable(),
    acknowledgedBy: z.string().nullable(),
    quietSince: instant.nullable().meta({
      description: 'since when an open spike has been back to normal everywhere; its effect is measured before that',
    }),
    closesAt: instant
      .nullable()
      .meta({ description: 'when the spike is resolved if it stays normal; null: it is not back to normal' }),
    next: z.object({ state: IncidentState, at: instant }).nullable().meta({
      description: 'what becomes of it by itself, and when, if nothing changes; null: nothing at a known time',
    }),
    resolvedAt: instant.nullable(),
    overAt: instant.nullable().meta({ description: 'when it was over, known at `resolvedAt`; null: it goes on' }),
    reopened: z.number().int().meta({ description: 'how often it recurred within an hour' }),
    effectMs: z.number().nullable().meta({ description: 'median change of its cells, ms' }),
    effectRatio: z.number().nullable().meta({ description: 'median relative change: 0.2 is 20% more' }),
    peakMs: z
      .number()
      .nullable()
      .meta({ description: 'median by which its cells exceeded the level before at their peak, ms' }),
    impact: Impact.nullable().meta({ description: 'what it means to the users; null: not about places' }),
    silenced: z.boolean().meta({ description: 'a silence suppresses its messages' }),
    flapping: z.boolean().meta({ description: 'opens and closes so often that its messages are suppressed' }),
    demo: z.boolean(),
    mergedInto: z
      .uuid()
      .nullable()
      .meta({ description: 'the incident that it is part of; null: it stands for itself' }),
    heldUntil: instant.nullable().meta({
      description: 'one series alone: no message is sent before, unless another series joins',
    }),
    standingSince: instant.nullable().meta({
      description:
        'since when a large lasting change has been standing: neither recovered nor accepted within 48 hours',
    }),
    cost: IncidentCost.nullable().meta({ description: 'of one that stands, or stood: what it has cost so far' }),
    resolvedBy: z.string().nullable().meta({ description: 'who resolved or accepted it; null: by itself, or open' }),
    splitFrom: z.uuid().nullable().meta({ description: 'the incident of which a person made it a separate one' }),
    notUseful: NotUseful.nullable().meta({
      description:
        'a person called it not useful: until then new ones of its kind, rule and scope need twice the effect',
    }),
  })
  .meta({ id: 'Incident' });
export type Incident = z.infer<typeof Incident>;

export const IncidentEvent = z
  .object({
    id: z.uuid(),
    at: instant,
    kind: z.enum(INCIDENT_EVENT_KINDS),
    text: z.string(),
    params: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'IncidentEvent' });
export type IncidentEvent = z.infer<typeof IncidentEvent>;

/** An incident and its timeline, oldest first. */
export const IncidentDetail = Incident.extend({ events: z.array(IncidentEvent) }).meta({ id: 'IncidentDetail' });
export type IncidentDetail = z.infer<typeof IncidentDetail>;

export const INCIDENT_ACTIONS = [
  'acknowledge',
  'resolve',
  'accept',
  'not_useful',
  'undo_not_useful',
  'merge',
  'split',
] as const;
/** Most series of one split. */
export const MAX_SPLIT = 10_000;

const SplitSeries = z.strictObject({ targetId: z.uuid().toLowerCase(), vantageId: z.uuid().toLowerCase() });

export const IncidentPatch = z
  .strictObject({
    action: z.enum(INCIDENT_ACTIONS),
    note: z.string().trim().max(2_000).default(''),
    into: z
      .uuid()
      .toLowerCase()
      .optional()
      .meta({ description: 'with `merge`: the open incident that it becomes part of' }),
    cells: z
      .array(SplitSeries)
      .min(1)
      .max(MAX_SPLIT)
      .optional()
      .meta({ description: 'with `split`: the series that become an incident of their own' }),
  })
  .superRefine(({ action, into, cells }, context) => {
    for (const [field, value, of] of [
      ['into', into, 'merge'],
      ['cells', cells, 'split'],
    ] as const) {
      if (action === of && value === undefined)
        context.addIssue({ code: 'custom', path: [field], message: `is missing: ${of} needs it` });
      if (action !== of && value !== undefined)
        context.addIssue({ code: 'custom', path: [field], message: `goes with the action ${of} alone` });
    }
  })
  .meta({
    id: 'IncidentPatch',
    anyOf: [
      {
        properties: {
          action: { enum: INCIDENT_ACTIONS.filter((action) => action !== 'merge' && action !== 'split') },
          into: false,
          cells: false,
        },
      },
      { required: ['into'], properties: { action: { const: 'merge' }, cells: false } },
      { required: ['cells'], properties: { action: { const: 'split' }, into: false } },
    ],
  });
export type IncidentPatch = z.infer<typeof IncidentPatch>;

const filters = {
  target: z.uuid().optional().meta({ description: 'incidents with a cell of this target' }),
  region: list(Region, 100).optional(),
  carrier: list(Carrier, 100).optional(),
  state: list(IncidentState, INCIDENT_STATES.length).optional(),
  status: list(IncidentStatus, INCIDENT_STATUSES.length).optional(),
  resolution: list(IncidentResolution, INCIDENT_RESOLUTIONS.length)
    .optional()
    .meta({ description: 'incidents with this resolution' }),
  from: time.optional().meta({ description: 'onset at or after' }),
  to: time.optional().meta({ description: 'onset before' }),
};

export const INCIDENT_ORDERS = ['time', 'impact'] as const;

export const IncidentsQuery = z
  .strictObject({
    ...PageQuery.shape,
    ...filters,
    kind: list(IncidentKind, INCIDENT_KINDS.length).optional(),
    severity: list(Severity, SEVERITIES.length).optional(),
    order: z.enum(INCIDENT_ORDERS).default('time').meta({
      description:
        '`time`: the last opened first; `impact`: by severity, then by `impact.weightedMs`, the largest first',
    }),
    notUseful: flag.optional().meta({ description: 'whether a person called it not useful, as long as that holds' }),
  })
  .refine(ordered, orderedError)
  .meta({ id: 'IncidentsQuery' });
export type IncidentsQuery = z.infer<typeof IncidentsQuery>;

export const REGRESSION_ORDERS = ['ms', 'ratio'] as const;

export const RegressionsQuery = z
  .strictObject({
    ...PageQuery.shape,
    ...filters,
    kind: list(z.enum(['regression', 'improvement']), 2).default(['regression']),
    order: z.enum(REGRESSION_ORDERS).default('ms').meta({ description: 'by milliseconds or by ratio' }),
  })
  .refine(ordered, orderedError)
  .meta({ id: 'RegressionsQuery' });
export type RegressionsQuery = z.infer<typeof RegressionsQuery>;
