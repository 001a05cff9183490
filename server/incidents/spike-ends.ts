import type { ClosedSpike, OpenSpike } from '#analysis/detection/sample.ts';
import type { Prisma } from '#prisma/generated/client.ts';
import { placeOf } from '../detection/series.ts';
import { METRIC_NAMES } from '../detection/watched.ts';
import { type Batch, newBatch, note, writeBatch } from './batch.ts';
import { summaryOf } from './effect.ts';
import { levelsSince } from './follow.ts';
import { endIncident } from './open.ts';
import { type IncidentRecord, lockIncidents, type StoredCell } from './row.ts';

/** Why a spike is over, in the words of docs/api.md. */
const REASONS: Record<ClosedSpike['by'], string> = {
  quiet: 'quiet',
  shift: 'new_level',
  silence: 'no_results',
  length: 'new_level',
};

type End = Pick<ClosedSpike, 'at' | 'endedAt' | 'by'>;

/** Says of the cells of open spikes that they are over where the detector says so, and ends incidents of which all are. */
export async function endSpikes(batch: Batch, closed: readonly ClosedSpike[]): Promise<void> {
  if (closed.length === 0) return;
  const ends = new Map(closed.map((end) => [keyOfEnd(end), end]));
  for (const incident of await openIncidents(batch)) {
    const ended = incident.cells.flatMap((cell) => {
      const end = isOpen(cell) ? ends.get(keyOf(cell)) : undefined;
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
  const underWay = new Set(known.map(keyOfEnd));
  for (const incident of await openIncidents(batch)) {
    const forgotten = incident.cells.filter((cell) => isOpen(cell) && !underWay.has(keyOf(cell)));
    const ended = forgotten.map((cell) => ({ cell, end: { at, endedAt: at, by: 'quiet' as const } }));
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
  const levels = await levelsSince(ended.map(({ cell, end }) => ({ cell, until: end.endedAt })));
  const at = new Date(Math.max(...ended.map(({ end }) => end.at)) * 1_000);
  const endOf = new Map(ended.map(({ cell, end }) => [cell, instant(end.endedAt)]));
  incident.cells = incident.cells.map((cell) => ({
    ...cell,
    afterMs: levels.get(cell) ?? cell.afterMs,
    recoveredAt: endOf.get(cell) ?? cell.recoveredAt,
  }));
  Object.assign(incident, summaryOf(incident.cells));
  batch.incidents.set(incident.id, incident);
  const cells = ended.map(({ cell: { targetId, vantageId } }) => ({ targetId, vantageId }));
  note(batch, incident.id, at, 'cell_recovered', { params: { cells } });
  const last = ended.toSorted((a, b) => a.end.endedAt - b.end.endedAt).at(-1);
  if (last && incident.cells.every(({ recoveredAt }) => recoveredAt !== null))
    endIncident(batch, incident, { reason: REASONS[last.end.by], at });
}

/** The key under which the detector tells of a cell's spike. */
const keyOf = ({ targetId, vantageId, metric, changeAt }: StoredCell) =>
  `${targetId} ${vantageId} ${metric} ${Date.parse(changeAt) / 1_000}`;

function keyOfEnd(end: Pick<ClosedSpike, 'target' | 'province' | 'carrier' | 'metric' | 'changeAt'>): string {
  return `${end.target} ${placeOf(end).vantageId} ${METRIC_NAMES[end.metric]} ${end.changeAt}`;
}

const instant = (seconds: number) => new Date(seconds * 1_000).toISOString();
