import type { GroupChange } from '#analysis/detection/detection.ts';
import type { Prisma } from '#prisma/generated/client.ts';
import { type Batch, note } from './batch.ts';
import { scopeKey } from './detected.ts';
import { metricOfAll, summaryOf } from './effect.ts';
import { notifyUpdate } from './notify.ts';
import { onsetWith } from './onset.ts';
import { endIncident, escalate } from './open.ts';
import { cellId, type IncidentRecord, type StoredCell } from './stored-incident.ts';
import { awaitGrowth, markOutdated } from './update-timing.ts';

// The detector may find that two incidents are one event, or that an event has another cause than its first series said. Who was told
// of an incident that became part of another hears that it ended, and where it goes on.

/**
 * Makes `one` part of `other`; of one that is over and one that is not, the one that is over becomes part of the other. `by` whom
 * where a person said so, `text` in whose words.
 */
export function mergeIncidents(
  batch: Batch,
  one: IncidentRecord,
  other: IncidentRecord,
  at: Date,
  { by, text = '' }: { by?: string; text?: string } = {},
): void {
  const isSwapped = other.status === 'resolved' && one.status !== 'resolved';
  const [from, into] = isSwapped ? [other, one] : [one, other];
  into.cells = mergedCells(into.cells, from.cells);
  into.groups = [...new Set([...into.groups, ...from.groups])];
  into.onsetAt = onsetWith(into, into.cells);
  into.heldUntil = null;
  markOutdated(into);
  if (into.waitingSince !== null) awaitGrowth(into, batch.now);
  into.standingSince ??= from.standingSince;
  // Of the series that it had.
  into.counterfactual = null;
  into.explanation = null;
  const person = by === undefined ? {} : { by };
  if (from.kind === 'regression' && into.kind === 'spike') escalate(batch, into, at);
  Object.assign(into, summaryOf(into.cells));
  into.metric = metricOfAll(into.cells, into.metric);
  batch.incidents.set(into.id, into);
  batch.unexplained.add(into.id);
  note(batch, into.id, at, 'merged', { text, params: { from: from.id, ...person } });
  // What it was about is found in the other from now on: its groups too.
  from.groups = [];
  from.mergedInto = into.id;
  note(batch, from.id, at, 'merged', { text, params: { into: into.id, ...person } });
  batch.merges.push({ from: from.id, into: into.id });
  if (from.status === 'resolved') {
    from.resolution = 'merged';
    batch.incidents.set(from.id, from);
  } else endIncident(batch, from, { reason: 'merged', at, ...person });
  if (into.status !== 'resolved') notifyUpdate(batch, into);
}

/** Says that most series of an incident show another cause; one of the same cause has another scope. */
export function changeCause(
  batch: Batch,
  incident: IncidentRecord,
  { at, cause, scope }: Extract<GroupChange, { kind: 'cause' }>,
): void {
  if (incident.explanation) incident.explanation.detected = cause;
  if (incident.status === 'resolved') return;
  // What was measured outweighs what the phases of samples suggest.
  if (incident.cause === cause || incident.explanation?.cause) {
    incident.groupKey = scopeKey(scope);
    batch.incidents.set(incident.id, incident);
    return;
  }
  note(batch, incident.id, new Date(at * 1_000), 'cause_changed', { params: { from: incident.cause, to: cause } });
  incident.cause = cause;
  if (incident.waitingSince !== null) awaitGrowth(incident, batch.now);
  incident.groupKey = scopeKey(scope);
  batch.incidents.set(incident.id, incident);
  batch.unexplained.add(incident.id);
  notifyUpdate(batch, incident);
}

/** The detections of incidents that became part of others belong to those as well. Their rows are there. */
export async function linkMerged(
  db: Prisma.TransactionClient,
  merges: readonly { from: string; into: string }[],
): Promise<void> {
  if (merges.length === 0) return;
  await db.$executeRaw`insert into incident_detection (incident_id, detection_id)
    select m.into_id, d.detection_id
    from unnest(${merges.map(({ from }) => from)}::uuid[], ${merges.map(({ into }) => into)}::uuid[]) m (from_id, into_id)
    join incident_detection d on d.incident_id = m.from_id
    on conflict do nothing`;
}

/** The cells of both; of one that both have the newer, and where neither is newer that which is there already. */
function mergedCells(own: readonly StoredCell[], others: readonly StoredCell[]): StoredCell[] {
  return [
    ...own.filter((cell) => !others.some((other) => isSame(cell, other) && isNewer(other, cell))),
    ...others.filter((other) => !own.some((cell) => isSame(cell, other) && !isNewer(other, cell))),
  ];
}

/** What goes on outweighs what is over, a lasting change the spike that it was taken for; else what began later. */
function isNewer(a: StoredCell, b: StoredCell): boolean {
  if ((a.recoveredAt === null) !== (b.recoveredAt === null)) return a.recoveredAt === null;
  if ((a.kind === 'spike') !== (b.kind === 'spike')) return b.kind === 'spike';
  return a.changeAt > b.changeAt;
}

const isSame = (a: StoredCell, b: StoredCell) => cellId(a) === cellId(b);
