import { v7 as uuid } from 'uuid';
import type { AlertRule } from '#contract/alert-rule.ts';
import type { Cause } from '#contract/explanation.ts';
import { END_REASONS, type EndReason, type IncidentKind, type Severity } from '#contract/incident-vocabulary.ts';
import type { Prisma } from '#prisma/generated/client.ts';
import { type Batch, note } from './batch.ts';
import { effectOf, metricOfAll, summaryOf } from './effect.ts';
import { isGraver } from './impact.ts';
import { dueMessage, notify, notifyFlapping, notifyUpdate } from './notify.ts';
import { onsetWith } from './onset.ts';
import { notUsefulOf } from './sensitivity.ts';
import { cellId, type IncidentRecord, type StoredCell } from './stored-incident.ts';
import { awaitGrowth, GROWTH_SHARE, mayGrow, seriesOf, stopWaiting } from './update-timing.ts';

/** What is older than this when it is found out is kept without a notification. */
export const NOTIFY_WITHIN_MS = 3_600_000;
/** An incident that comes back so soon after its end is the same one. */
export const REOPEN_WITHIN_MS = 3_600_000;

/** Something that is, or becomes part of, an incident. `groups` are the detector's names of the event. */
export type IncidentOpening = {
  ruleId: string;
  severity: Severity;
  kind: IncidentKind;
  groupKey: string;
  groups: string[];
  metric: string | null;
  cause: Cause | null;
  onsetAt: Date;
  /** When it was found. */
  at: Date;
  cells: StoredCell[];
  evidence: Record<string, unknown>;
  demo: boolean;
  /** Not notified before, unless it grows; at once where left out. */
  heldUntil?: Date | null;
  /** With so many series it is told of in any case; two where left out. */
  toldWith?: number;
  /** Other series may join within seconds: the first message waits for them. */
  grows?: boolean;
};

/** Opens an incident and tells of it. Improvements ask nothing of anybody: they are over as soon as they are known. */
export async function openIncident(batch: Batch, opening: IncidentOpening): Promise<IncidentRecord> {
  const over = opening.kind === 'improvement';
  const { at, grows = false, toldWith: _toldWith, ...found } = opening;
  const incident: IncidentRecord = {
    ...found,
    ...summaryOf(opening.cells),
    id: uuid({ msecs: at.getTime() }),
    status: over ? 'resolved' : 'open',
    resolution: null,
    openedAt: at,
    resolvedAt: over ? at : null,
    explanation: null,
    counterfactual: null,
    candidates: [],
    acknowledgedAt: null,
    acknowledgedBy: null,
    reopened: 0,
    backfilled: isPast(opening, batch.now),
    lastEvent: null,
    notifiedAt: null,
    silenced: false,
    flapping: false,
    mergedInto: null,
    heldUntil: opening.heldUntil ?? null,
    userShare: null,
    excessMs: null,
    waitingSince: null,
    changedAt: null,
    notifiedSeries: null,
    notifiedCause: null,
    standingSince: null,
    resolvedBy: null,
    splitFrom: null,
    reopenedAt: null,
    notifiedSeverity: null,
  };
  if (grows && !over && (await mayGrow(batch, incident))) awaitGrowth(incident, batch.now);
  batch.incidents.set(incident.id, incident);
  batch.fresh.add(incident.id);
  batch.unexplained.add(incident.id);
  const series = opening.cells.map(({ targetId, vantageId }) => ({ targetId, vantageId }));
  note(batch, incident.id, at, 'opened', { params: { cells: seriesOf(opening.cells), series } });
  await notifyOpening(batch, incident, at);
  return incident;
}

/** Adds what was found to an incident: cells, and what they say of it; a resolved one is opened again. */
export async function continueIncident(
  batch: Batch,
  incident: IncidentRecord,
  opening: IncidentOpening,
): Promise<void> {
  const added = newCells(incident, opening);
  const before = incident.cells;
  batch.incidents.set(incident.id, incident);
  incident.groups = [...new Set([...incident.groups, ...opening.groups])];
  incident.backfilled &&= isPast(opening, batch.now);
  incident.evidence = { ...incident.evidence, ...opening.evidence };
  if (added.length > 0) await addCells(batch, incident, added, opening);
  const isEnough = seriesOf(incident.cells) >= Math.max(2, opening.toldWith ?? 2);
  if (isEnough || !opening.heldUntil) incident.heldUntil = null;
  if (opening.kind === 'regression' && incident.kind === 'spike') escalate(batch, incident, opening.at);
  if (incident.status === 'resolved' && incident.kind !== 'improvement') {
    if (!staysOver(batch, incident, before)) await reopen(batch, incident, opening);
  } else if (dueMessage(incident) !== null) notify(batch, incident);
  else notifyUpdate(batch, incident);
}

/** Whether what goes on is what a person accepted, or called not useful: series that join what was accepted are news. */
function staysOver(batch: Batch, incident: IncidentRecord, accepted: readonly StoredCell[]): boolean {
  if (notUsefulOf(batch.lowered, incident) !== null) return true;
  if (incident.resolution !== 'accepted' || incident.resolvedBy === null) return false;
  return seriesOf(incident.cells) === seriesOf(accepted);
}

async function addCells(batch: Batch, incident: IncidentRecord, added: StoredCell[], opening: IncidentOpening) {
  const before = seriesOf(incident.cells);
  const isAgain = (cell: StoredCell) => added.some((other) => sameCell(cell, other));
  incident.cells = [...incident.cells.filter((cell) => !isAgain(cell)), ...added];
  Object.assign(incident, summaryOf(incident.cells));
  incident.metric = metricOfAll(incident.cells, incident.metric);
  incident.onsetAt = onsetWith(incident, incident.cells);
  batch.unexplained.add(incident.id);
  const cells = added.map(({ targetId, vantageId, kind }) => ({ targetId, vantageId, kind }));
  note(batch, incident.id, opening.at, 'cell_added', { params: { cells } });
  if (incident.waitingSince === null || seriesOf(incident.cells) < before * (1 + GROWTH_SHARE)) return;
  if (await mayGrow(batch, incident)) awaitGrowth(incident, batch.now);
  else stopWaiting(incident);
}

/** What looked like a spike has come to stay, or its target is down. */
export function escalate(
  batch: Batch,
  incident: IncidentRecord,
  at: Date,
  to: 'regression' | 'down' = 'regression',
): void {
  incident.kind = to;
  // Receivers know it by what it was first told as.
  if (incident.lastEvent !== null) incident.evidence = { ...incident.evidence, openedAs: 'spike' };
  incident.metric = metricOfAll(incident.cells, incident.metric);
  note(batch, incident.id, at, 'escalated', { params: { from: 'spike', to } });
}

/** Makes an open spike of failures the incident of its target, which is down: that rule's from now on, under the id that receivers know. */
export async function growToDown(batch: Batch, incident: IncidentRecord, opening: IncidentOpening): Promise<void> {
  const { ruleId, groupKey, metric, severity, at } = opening;
  if (incident.lastEvent === null || isGraver(severity, incident.severity)) incident.severity = severity;
  Object.assign(incident, { ruleId, groupKey, metric, flapping: false, standingSince: null });
  escalate(batch, incident, at, 'down');
  // Nothing that may still join changes that it is down.
  stopWaiting(incident);
  await continueIncident(batch, incident, opening);
}

async function reopen(batch: Batch, incident: IncidentRecord, { at, grows }: IncidentOpening): Promise<void> {
  Object.assign(incident, {
    status: 'open',
    resolution: null,
    resolvedAt: null,
    acknowledgedAt: null,
    acknowledgedBy: null,
    resolvedBy: null,
    standingSince: null,
    reopenedAt: at,
    // Of the last time.
    counterfactual: null,
  });
  incident.reopened += 1;
  note(batch, incident.id, at, 'reopened');
  if (grows && (await mayGrow(batch, incident))) awaitGrowth(incident, batch.now);
  await notifyOpening(batch, incident, at);
}

async function notifyOpening(batch: Batch, incident: IncidentRecord, at: Date): Promise<void> {
  const openings = await countOpening(batch, incident, at);
  if (!incident.flapping && openings >= FLAP_OPENINGS) notifyFlapping(batch, incident);
  else notify(batch, incident);
}

/** Why it ends, `by` whom where a person said so, `at` when it was over (now where left out). */
export type Ending = { reason: EndReason; by?: string; text?: string; at?: Date };

/** Ends an incident; where nothing came down again, its level is the usual one from now on. */
export function endIncident(batch: Batch, incident: IncidentRecord, { reason, by, text, at }: Ending): void {
  batch.incidents.set(incident.id, incident);
  incident.status = 'resolved';
  incident.resolution = END_REASONS[reason];
  incident.resolvedAt = at ?? batch.now;
  stopWaiting(incident);
  incident.resolvedBy = by ?? null;
  // How much slower it stays: cells that came down again are no part of the new level.
  if (incident.resolution === 'accepted') Object.assign(incident, effectOf(incident.cells));
  note(batch, incident.id, incident.resolvedAt, incident.resolution === 'accepted' ? 'accepted' : 'resolved', {
    text: text ?? '',
    params: { reason, ...(by && { by }) },
  });
  notify(batch, incident);
}

/** Cells that the incident does not have yet, or that recovered and are bad again, or that stay bad. */
function newCells(incident: IncidentRecord, opening: IncidentOpening): StoredCell[] {
  return opening.cells.filter(
    (cell) =>
      !incident.cells.some(
        (known) =>
          sameCell(known, cell) && known.recoveredAt === null && (known.kind === cell.kind || cell.kind === 'spike'),
      ),
  );
}

const sameCell = (a: StoredCell, b: StoredCell) => cellId(a) === cellId(b);

const isPast = ({ at }: IncidentOpening, now: Date) => now.getTime() - at.getTime() > NOTIFY_WITHIN_MS;

/** So many openings within so long are flapping: one message, then none until an hour without. */
export const FLAP_OPENINGS = 3;
export const FLAP_WITHIN_MS = 3_600_000;

/** What is counted together: what one rule says of one thing. */
type Subject = Pick<IncidentRecord, 'ruleId' | 'groupKey'>;

const openingKey = ({ ruleId, groupKey }: Subject) => `${ruleId} ${groupKey}`;

/** How often this rule opened an incident about the same thing within the last hour, openings of the batch among them. */
export async function openingsOf(batch: Batch, subject: Subject): Promise<number> {
  const key = openingKey(subject);
  if (!batch.openings.has(key)) await loadOpenings(batch, [subject]);
  return batch.openings.get(key) ?? 0;
}

/** Counts one more. What is written with the batch is not in the database yet. */
export async function countOpening(batch: Batch, subject: Subject, at: Date): Promise<number> {
  const before = await openingsOf(batch, subject);
  const counted = at.getTime() > batch.now.getTime() - FLAP_WITHIN_MS ? before + 1 : before;
  batch.openings.set(openingKey(subject), counted);
  return counted;
}

/** Reads the openings of many subjects at once. */
export async function loadOpenings(batch: Batch, subjects: readonly Subject[]): Promise<void> {
  const found = await countOpenings(batch.db, subjects, batch.now);
  for (const subject of subjects) {
    const key = openingKey(subject);
    if (!batch.openings.has(key)) batch.openings.set(key, found.get(key) ?? 0);
  }
}

async function countOpenings(db: Prisma.TransactionClient, subjects: readonly Subject[], now: Date) {
  const since = new Date(now.getTime() - FLAP_WITHIN_MS);
  const rules = subjects.map(({ ruleId }) => ruleId);
  const keys = subjects.map(({ groupKey }) => groupKey);
  const rows = await db.$queryRaw<{ ruleId: string | null; groupKey: string; n: number }[]>`
    select i.rule_id as "ruleId", i.group_key as "groupKey", count(*)::int as n
    from incident_event e join incident i on i.id = e.incident_id
    where e.at > ${since} and e.kind in ('opened', 'reopened')
      and (i.rule_id, i.group_key) in (select * from unnest(${rules}::uuid[], ${keys}::text[]))
    group by i.rule_id, i.group_key`;
  return new Map(rows.map((row) => [openingKey(row), row.n]));
}

/** How grave what a rule finds is: as the rule says, but that something became faster is for information alone. */
export function severityOf(rule: Pick<AlertRule, 'severity'>, kind: IncidentKind): Severity {
  return kind === 'improvement' ? 'info' : rule.severity;
}
