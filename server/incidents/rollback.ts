import { isShare, METRIC_TABLE, WATCHED_METRICS } from '#contract/vocabulary.ts';
import { queryResults } from '#server/blocks/read.ts';
import { wholeSince } from '#server/database/retention.ts';
import { informativeOf } from '#server/detection/samples.ts';
import { type Batch, lockOwn, note } from './batch.ts';
import type { Detected } from './detected.ts';
import { endIncident } from './open.ts';
import { cellId, type IncidentRecord, type StoredCell } from './row.ts';

/**
 * Ends regressions at the cells whose level came down again, and altogether where all have; which improvements did so, and
 * of which incidents. These are no news of their own: who was told of the regression hears that it is over.
 */
export async function endRegressions(batch: Batch, found: Detected[]): Promise<Map<Detected, string[]>> {
  const recoveredBy = new Map<Detected, string[]>();
  const better = found.filter(({ kind }) => kind === 'improvement');
  if (better.length === 0) return recoveredBy;
  for (const incident of await lockOwn(batch, { kind: 'regression', status: { not: 'resolved' } })) {
    const ends = better.filter((each) => incident.cells.some((bad) => isRecovered(bad, each)));
    if (ends.length === 0) continue;
    recover(batch, incident, ends, await phasesBack(incident.cells, ends, batch.now.getTime()));
    for (const each of ends) recoveredBy.set(each, [...(recoveredBy.get(each) ?? []), incident.id]);
  }
  return recoveredBy;
}

/** A level that is nearer to what it was before the regression than to what it became is back. */
function isRecovered(bad: StoredCell, { cell, changeAt }: Detected): boolean {
  if (cellId({ ...bad, metric: cell.metric }) !== cellId(cell) || bad.recoveredAt !== null) return false;
  if (Date.parse(bad.changeAt) >= changeAt.getTime()) return false;
  // That handshakes take less time says nothing about another phase, nor about how many sessions are refused.
  if (bad.kind === 'regression' && bad.metric !== 'tls') return false;
  const { beforeMs, afterMs } = bad;
  if (beforeMs === null || afterMs === null || cell.beforeMs === null || cell.afterMs === null) return true;
  // By what it changed, not by its level: the hours of the day differ.
  return Math.log(cell.beforeMs / cell.afterMs) >= Math.log(afterMs / beforeMs) / 2;
}

/**
 * What else of the same series is over with its handshakes: other phases, by their own results since these improved. Where there are none,
 * as in the past that the demo begins with, they go with the handshakes that they came with.
 */
async function phasesBack(
  cells: readonly StoredCell[],
  better: readonly Detected[],
  now: number,
): Promise<Map<StoredCell, Detected>> {
  const back = new Map<StoredCell, Detected>();
  for (const bad of cells) {
    if (bad.metric === 'tls' || bad.kind !== 'regression' || bad.recoveredAt !== null) continue;
    const end = better.find(
      ({ cell, changeAt }) =>
        cellId({ ...bad, metric: cell.metric }) === cellId(cell) && Date.parse(bad.changeAt) < changeAt.getTime(),
    );
    if (end && (await isBack(bad, { begin: end.changeAt, until: end.at }, now)) !== false) back.set(bad, end);
  }
  return back;
}

function recover(
  batch: Batch,
  incident: IncidentRecord,
  better: Detected[],
  phases: ReadonlyMap<StoredCell, Detected>,
): void {
  const at = new Date(Math.max(...better.map((each) => each.at.getTime())));
  incident.cells = incident.cells.map((bad) => {
    const end = phases.get(bad) ?? better.find((each) => isRecovered(bad, each));
    return end ? { ...bad, recoveredAt: end.changeAt.toISOString() } : bad;
  });
  batch.incidents.set(incident.id, incident);
  const cells = better.map(({ cell: { targetId, vantageId } }) => ({ targetId, vantageId }));
  note(batch, incident.id, at, 'cell_recovered', { params: { cells } });
  if (incident.cells.every(({ recoveredAt }) => recoveredAt !== null))
    endIncident(batch, incident, { reason: 'rolled_back', at });
}

// A change that is taken back within hours of being found is too young to be a change of its own to the detector. So each
// day a regression is asked for at the hours of the day at which it was seen: the level before is compared with those too.

const DAY_SECONDS = 86_400;
/** The level is back where at most this share of the results is past the middle of before and after; half of them were. */
const RECOVERED_SHARE = 1 / 3;
const LEAST_RESULTS = 20;

/**
 * The cells of a regression that are back at their old level, of those whose hours came round between two looks. By the results that
 * are all still there at `now` (ms since 1970): where these are of less than half of the hours, it is not known.
 */
export async function recoveredCells(
  cells: readonly StoredCell[],
  { before, position }: { before: number; position: number },
  now: number,
): Promise<StoredCell[]> {
  const daysAt = (cell: StoredCell, at: number) => Math.floor((at - Date.parse(cell.at) / 1_000) / DAY_SECONDS);
  const due = cells.filter(
    (cell) =>
      cell.recoveredAt === null &&
      cell.kind === 'regression' &&
      daysAt(cell, position) >= 1 &&
      daysAt(cell, position) > daysAt(cell, before),
  );
  const back: StoredCell[] = [];
  for (const cell of due) {
    const days = daysAt(cell, position);
    if (await isBack(cell, { begin: later(cell.changeAt, days), until: later(cell.at, days) }, now)) back.push(cell);
  }
  return back;
}

/** Whether a cell's results of this time are back at its old level; null where there are none, or not enough are still there. */
async function isBack(
  cell: StoredCell,
  { begin, until }: { begin: Date; until: Date },
  now: number,
): Promise<boolean | null> {
  const { targetId, vantageId, variant, beforeMs, afterMs } = cell;
  if (beforeMs === null || afterMs === null) return false;
  const metric = WATCHED_METRICS.find((each) => each === cell.metric) ?? 'tls';
  const { column } = METRIC_TABLE[metric];
  if (targetId === null || column === null) return false;
  const since = new Date(await wholeSince(begin.getTime(), now));
  if (since.getTime() > (begin.getTime() + until.getTime()) / 2) return null;
  // A refused session is one that was not resumed: of a share each result says yes or no.
  const isHigh = isShare(metric) ? `not ${column} and $5::float8 is not null` : `${column} > $5::float8`;
  const rows = await queryResults<{ n: number; high: number }>({
    spans: [{ targetId, from: since.getTime(), to: until.getTime() }],
    columns: [column],
    text: (result) => `select count(*)::int as n, count(*) filter (where ${isHigh})::int as high from ${result} result
      where target_id = $1 and vantage_id = $2 and started_at >= $3 and started_at < $4 and ok and ${column} is not null
        and ${informativeOf(variant)}`,
    values: [targetId, vantageId, since, until, Math.sqrt(beforeMs * afterMs) * 1_000],
  });
  const { n, high } = rows[0] ?? { n: 0, high: 0 };
  if (n === 0) return null;
  return n >= LEAST_RESULTS && high / n <= (isShare(metric) ? (beforeMs + afterMs) / 2 : RECOVERED_SHARE);
}

const later = (instant: string, days: number) => new Date(Date.parse(instant) + days * DAY_SECONDS * 1_000);
