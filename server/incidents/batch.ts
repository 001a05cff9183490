import { v7 as uuid } from 'uuid';
import type { IncidentEvent } from '#contract/incident.ts';
import type { WebhookEventType } from '#contract/webhook-event.ts';
import type { Prisma, Silence } from '#prisma/generated/client.ts';
import { enqueueEvents } from '#server/webhooks/enqueue.ts';
import { causeCandidates } from './candidates.ts';
import { explainedBy } from './explanation.ts';
import { failuresOfIncidents, isOfFailures } from './failure.ts';
import { applyImpact, loadUsers, severitiesOf, type Users } from './impact.ts';
import { presentIncidents } from './present.ts';
import { type Lowered, loweredAt } from './sensitivity.ts';
import { silencesAt } from './silences.ts';
import { type IncidentRecord, saveIncidents } from './stored-incident.ts';
import { awaitRise, type Measured } from './update-timing.ts';

/** A message that an incident sends, with the incident as it is told. */
type Message = { incident: IncidentRecord; type: WebhookEventType; reminder: boolean };

/**
 * What one transaction does to incidents, in memory until `writeBatch`: when a thousand open at once, a statement for each
 * step of each would take longer than the storm.
 */
export type Batch = {
  readonly db: Prisma.TransactionClient;
  readonly now: Date;
  /** Incidents that are to be written, and of them those that are new. */
  readonly incidents: Map<string, IncidentRecord>;
  readonly fresh: Set<string>;
  /** Incidents whose cells changed: what may have caused them is looked for again. */
  readonly unexplained: Set<string>;
  readonly notes: Prisma.IncidentEventCreateManyInput[];
  /** Incidents that became part of others, with those. */
  readonly merges: { from: string; into: string }[];
  readonly messages: Message[];
  readonly silences: readonly Silence[];
  /** What persons called not useful, as far as it holds. */
  readonly lowered: readonly Lowered[];
  /** Openings within the last hour, by `openingKey`, as far as they were asked for. */
  readonly openings: Map<string, number>;
  /** Where the users are and targets are measured, as far as it was asked for. */
  users: Users | null;
  /** How much is measured, once it was asked for. */
  measured?: Promise<Measured>;
};

/** Begins. The rows of incidents that are changed must be locked. */
export async function beginBatch(db: Prisma.TransactionClient, now: Date): Promise<Batch> {
  return {
    db,
    now,
    incidents: new Map(),
    fresh: new Set(),
    unexplained: new Set(),
    notes: [],
    merges: [],
    messages: [],
    silences: await silencesAt(db, now),
    lowered: await loweredAt(db, now),
    openings: new Map(),
    users: null,
  };
}

/** Adds to the timeline of an incident. `text` is a person's own words; pages word the rest by `kind` and `params`. */
export function note(
  { notes }: Pick<Batch, 'notes'>,
  incidentId: string,
  at: Date,
  kind: IncidentEvent['kind'],
  { text = '', params = {} }: { text?: string; params?: Record<string, unknown> } = {},
): void {
  notes.push({ id: uuid(), incidentId, at, kind, text, params: params as Prisma.InputJsonObject });
}

/** Writes all of it: incidents, their timelines, their messages. */
export async function writeBatch(batch: Batch): Promise<void> {
  const { db, incidents, fresh, notes, messages } = batch;
  await explain(batch);
  await weigh(batch);
  await saveIncidents(db, [...incidents.values()], fresh);
  if (notes.length > 0) await db.incidentEvent.createMany({ data: notes });
  if (messages.length > 0) await send(batch);
}

/** What the incidents mean to the users, also as they are told. */
async function weigh(batch: Batch): Promise<void> {
  const changed = [...batch.incidents.values(), ...batch.messages.map(({ incident }) => incident)];
  if (changed.length === 0) return;
  batch.users = await loadUsers(
    batch.db,
    batch.users,
    changed.flatMap(({ cells }) => cells),
  );
  const severities = await severitiesOf(
    batch.db,
    changed.map(({ ruleId }) => ruleId),
  );
  // Who is told within this batch has heard of no severity before.
  const isTold = ({ notifiedAt }: IncidentRecord) => notifiedAt !== null && notifiedAt < batch.now;
  for (const incident of changed)
    applyImpact(incident, batch.users, severities.get(incident.ruleId ?? ''), isTold(incident));
  for (const { incident } of batch.messages) {
    const told = batch.incidents.get(incident.id);
    if (told) told.notifiedSeverity = incident.severity;
  }
  for (const incident of batch.incidents.values()) awaitRise(incident, batch.now);
}

/** Of what opens at once so many are explained by their measurements before they are told of; the others within minutes (explain.ts). */
const MOST_EXPLAINED = 5;

async function explain({ incidents, fresh, unexplained, messages, now }: Batch): Promise<void> {
  const changed = [...incidents.values()].filter(({ id }) => unexplained.has(id));
  if (changed.length === 0) return;
  const candidates = await causeCandidates(changed);
  changed.forEach((incident, index) => {
    incident.candidates = candidates[index] ?? [];
  });
  const failing = changed.filter(isOfFailures);
  const failures = await failuresOfIncidents(failing, now);
  failing.forEach((incident, index) => {
    const failure = failures[index] ?? incident.evidence.failure;
    incident.evidence = { ...incident.evidence, ...(failure ? { failure } : {}) };
  });
  const opened = changed.filter(({ id, mergedInto }) => fresh.has(id) && mergedInto === null);
  for (const incident of opened.toSorted((a, b) => b.cells.length - a.cells.length).slice(0, MOST_EXPLAINED)) {
    Object.assign(incident, await explainedBy(incident, now.getTime()));
    incident.cause = incident.explanation?.cause ?? incident.cause;
  }
  const told = Map.groupBy(messages, ({ incident }) => incident.id);
  for (const incident of changed) {
    const { id, candidates, evidence, cause, explanation, counterfactual } = incident;
    for (const message of told.get(id) ?? []) {
      Object.assign(message.incident, { candidates, evidence, cause, explanation, counterfactual });
      incident.notifiedCause = cause;
    }
  }
}

async function send({ db, now, messages }: Batch): Promise<void> {
  const shown = await presentIncidents(
    db,
    messages.map(({ incident }) => incident),
  );
  const events = messages.flatMap(({ type, reminder, incident }, index) => {
    const data = shown[index];
    if (!data) return [];
    const { id, ruleId, severity, demo } = incident;
    const told = { ...data, url: `/incidents/${id}`, reminder };
    return { type, timestamp: now, incidentId: id, ruleId, severity, demo, data: told };
  });
  await enqueueEvents(db, events, now);
}
