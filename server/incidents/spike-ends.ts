import type { ClosedSpike, OpenSpike } from '#analysis/detection/detection.ts';
import type { EndReason } from '#contract/incident.ts';
import type { Prisma } from '#prisma/generated/client.ts';
import { type Batch, newBatch, note, writeBatch } from './batch.ts';
import { summaryOf } from './effect.ts';
import { cellKey, levelsSince, spikeKey } from './follow.ts';
import { endIncident } from './open.ts';
import { type IncidentRecord, lockIncidents, type StoredCell } from './row.ts';

/** Why a spike is over, in the words of docs/api.md. */
const REASONS: Record<ClosedSpike['by'], EndReason> = {
  quiet: 'quiet',
  shift: 'lasting_change',
  silence: 'no_results',
  length: 'new_level',
};

/** When a cell's spike was over and when that was known, seconds since 1970; `measured`: results up to `endedAt` tell its level. */
type End = Pick<ClosedSpike, 'at' | 'endedAt'> & { reason: EndReason; measured: boolean };

/** Says of the cells of open spikes that they are over where the detector says so, and ends incidents of which all are. */
export async function endSpikes(batch: Batch, closed: readonly ClosedSpike[]): Promise<void> {
  if (closed.length === 0) return;
  const ends = new Map(
    closed.map((each): [string, End] => [spikeKey(each), { ...each, reason: REASONS[each.by], measured: true }]),
  );
  for (const incident of await openIncidents(batch)) {
    const ended = incident.cells.flatMap((cell) => {
      const end = isOpen(cell) ? ends.get(cellKey(cell)) : undefined;
      return end ? { cell, end } : [];
    });
    if (ended.length > 0) await endCells(batch, incident, ended);
  }
}

/**
 * Ends the cells that are open here and of which the detector knows nothing: it was begun anew, or the word that they are
 * over was given to nobody. `at`: up to when the detector has seen results, seconds since 1970.
 */
export async function endForgotten(db: Prisma.TransactionClient, known: readonly OpenSpike[], at: number, now: Date) {
  const batch = await newBatch(db, now);
  const underWay = new Set(known.map(spikeKey));
  for (const incident of await openIncidents(batch)) {
    const forgotten = incident.cells.filter((cell) => isOpen(cell) && !underWay.has(cellKey(cell)));
    // Nobody knows when it went quiet, if it did: its level stays the one last measured.
    const end: End = { at, endedAt: at, reason: 'detector_reset', measured: false };
    const ended = forgotten.map((cell) => ({ cell, end }));
    if (ended.length > 0) await endCells(batch, incident, ended);
  }
  await writeBatch(batch);
}

/** A spike that became a regression may have cells at which it did not: those end as spikes do. */
const isOpen = ({ kind, recoveredAt }: StoredCell) => kind === 'spike' && recoveredAt === null;

/** All that may have such cells: as they are in the database, or as this batch has made them. */
async function openIncidents({ db, incidents }: Batch): Promise<IncidentRecord[]> {
  const stored = await lockIncidents(db, { kind: { in: ['spike', 'regression'] }, status: { not: 'resolved' } });
  const untouched = stored.filter(({ id }) => !incidents.has(id));
  return [...untouched, ...incidents.values()].filter(({ status }) => status !== 'resolved');
}

async function endCells(
  batch: Batch,
  incident: IncidentRecord,
  ended: { cell: StoredCell; end: End }[],
): Promise<void> {
  const measured = ended.filter(({ end }) => end.measured);
  const levels = await levelsSince(measured.map(({ cell, end }) => ({ cell, until: end.endedAt })));
  const at = new Date(Math.max(...ended.map(({ end }) => end.at)) * 1_000);
  // A lasting change may have begun before the spike that it was taken for.
  const endOf = new Map(
    ended.map(({ cell, end }) => [cell, instant(Math.max(end.endedAt, Date.parse(cell.changeAt) / 1_000))]),
  );
  incident.cells = incident.cells.map((cell) => ({
    ...cell,
    afterMs: levels.get(cell) ?? cell.afterMs,
    recoveredAt: endOf.get(cell) ?? cell.recoveredAt,
    quietSince: endOf.has(cell) ? null : (cell.quietSince ?? null),
  }));
  Object.assign(incident, summaryOf(incident.cells));
  batch.incidents.set(incident.id, incident);
  for (const [reason, same] of Map.groupBy(ended, ({ end }) => end.reason)) {
    const cells = same.map(({ cell: { targetId, vantageId } }) => ({ targetId, vantageId }));
    note(batch, incident.id, at, 'cell_recovered', { params: { cells, reason } });
  }
  const last = ended.toSorted((a, b) => a.end.endedAt - b.end.endedAt).at(-1);
  if (last && incident.cells.every(({ recoveredAt }) => recoveredAt !== null))
    endIncident(batch, incident, { reason: last.end.reason, at });
}

const instant = (seconds: number) => new Date(seconds * 1_000).toISOString();
