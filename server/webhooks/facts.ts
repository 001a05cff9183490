import { z } from 'zod';
import { IncidentCounterfactual } from '#contract/counterfactual.ts';
import { CAUSES, IncidentExplanation } from '#contract/explanation.ts';
import { IncidentFailure } from '#contract/failure.ts';
import { Affected, IncidentCandidate, IncidentCost } from '#contract/incident.ts';
import { affectedBy, type Described } from '#contract/incident-parts.ts';
import {
  INCIDENT_EVENT_TYPES,
  INCIDENT_KINDS,
  INCIDENT_RESOLUTIONS,
  INCIDENT_STATES,
  type IncidentKind,
  SUB_CAUSES,
} from '#contract/incident-vocabulary.ts';
import type { WebhookEventType, WebhookPayload } from '#contract/webhook-event.ts';

const text = z.string().nullish().catch(null);
const number = z.number().nullish().catch(null);

const Cell = z.looseObject({
  targetId: text,
  targetName: text,
  vantageId: text,
  vantageName: text,
  region: text,
  carrier: text,
  beforeMs: number,
  afterMs: number,
  metric: text,
  recoveredAt: text,
});
export type CellFacts = z.infer<typeof Cell>;

/**
 * What messages to people tell of an event's data, which is an incident as the API shows it. Read leniently: a field that is
 * missing or of another kind is told nothing of, and never holds a message back.
 */
const Facts = z.looseObject({
  severity: text,
  kind: z.enum(INCIDENT_KINDS).nullish().catch(null),
  state: z.enum(INCIDENT_STATES).nullish().catch(null),
  resolution: z.enum(INCIDENT_RESOLUTIONS).nullish().catch(null),
  metric: text,
  targetName: text,
  ruleName: text,
  carrier: text,
  region: text,
  cause: z.enum(CAUSES).nullish().catch(null),
  subCause: z.enum(SUB_CAUSES).nullish().catch(null),
  explanation: IncidentExplanation.nullish().catch(null),
  counterfactual: IncidentCounterfactual.nullish().catch(null),
  effectMs: number,
  effectRatio: number,
  onsetAt: text,
  openedAt: text,
  resolvedAt: text,
  link: text,
  failure: IncidentFailure.nullish().catch(null),
  evidence: z
    .looseObject({
      daysLeft: number,
      vantagesDown: number,
      vantagesMeasured: number,
      vantagesExpected: number,
      vantagesSilent: z.array(z.string()).catch([]),
      openedAs: text,
    })
    .nullish()
    .catch(null),
  mergedInto: text,
  standingSince: text,
  cost: IncidentCost.nullish().catch(null),
  resolvedBy: text,
  cells: z.array(Cell).catch([]),
  cellsOmitted: number,
  affected: Affected.nullish().catch(null),
  candidates: z.array(IncidentCandidate.nullable().catch(null)).catch([]),
  reminder: z.boolean().catch(false),
  demo: z.boolean().catch(false),
});
export type Facts = z.infer<typeof Facts>;

export const factsOf = ({ data }: Pick<WebhookPayload, 'data'>): Facts => Facts.parse(data);

/** The incident that a message is about, as `describeIncident` takes it. */
export function incidentOf({ type, timestamp }: Pick<WebhookPayload, 'type' | 'timestamp'>, facts: Facts): Described {
  const { metric = null, cause = null, effectMs = null, effectRatio = null, failure = null, resolution = null } = facts;
  const ended = ENDS.has(type) ? 'recovered' : null;
  return {
    kind: facts.kind ?? kindOf(type),
    metric,
    cause,
    subCause: facts.subCause ?? null,
    effectMs,
    effectRatio,
    failure,
    resolution: resolution ?? ended,
    evidence: facts.evidence ?? {},
    onsetAt: facts.onsetAt ?? facts.openedAt ?? timestamp,
    affected: facts.affected ?? affectedOf(facts),
  };
}

const ENDS = new Set<string | null>(Object.values(INCIDENT_EVENT_TYPES).map(({ resolved }) => resolved));

const kindOf = (type: WebhookEventType): IncidentKind =>
  INCIDENT_KINDS.find((kind) => Object.values<string | null>(INCIDENT_EVENT_TYPES[kind]).includes(type)) ?? 'spike';

/** Messages that were made before `affected` have their cells alone, or nothing but the names of one target and place. */
function affectedOf({ cells, metric = null, targetName = null, region = null, carrier = null }: Facts): Affected {
  const known = cells.map((cell) => ({
    targetId: cell.targetId ?? cell.targetName ?? null,
    targetName: cell.targetName ?? null,
    vantageId: cell.vantageId ?? cell.vantageName ?? null,
    vantageName: cell.vantageName ?? null,
    region: cell.region ?? null,
    carrier: cell.carrier ?? null,
    metric: cell.metric ?? metric,
    beforeMs: cell.beforeMs ?? null,
    afterMs: cell.afterMs ?? null,
    recoveredAt: cell.recoveredAt ?? null,
  }));
  const alone = { targetId: targetName, targetName, vantageId: null, region, carrier, metric, recoveredAt: null };
  return affectedBy(known.length > 0 ? known : [{ ...alone, beforeMs: null, afterMs: null }], metric, []);
}

const Entry = z.looseObject({
  id: z.string(),
  type: z.string(),
  timestamp: z.string(),
  incidentId: z.string().nullable(),
  data: z.record(z.string(), z.unknown()),
});
export type GroupEntry = z.infer<typeof Entry>;

/** The events of a burst that went into one message; null where the message is of one event. */
export function groupedOf({ data }: WebhookPayload): GroupEntry[] | null {
  return z.array(Entry).safeParse(data.grouped).data ?? null;
}

/** How many events the message tells of in all. */
export const groupedCount = ({ data }: WebhookPayload): number => z.number().catch(0).parse(data.groupedCount);
