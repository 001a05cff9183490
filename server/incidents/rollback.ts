import { isShare, METRIC_TABLE, WATCHED_METRICS } from '#contract/vocabulary.ts';
import { queryResults } from '#server/blocks/read.ts';
import { wholeSince } from '#server/database/retention.ts';
import { informativeOf } from '#server/detection/read-samples.ts';
import { type Batch, note } from './batch.ts';
import type { Detected } from './detected.ts';
import { summaryOf } from './effect.ts';
import { endIncident } from './open.ts';
import { cellId, type IncidentRecord, lockIncidents, type StoredCell } from './stored-incident.ts';

/**
 * Ends regressions at the cells whose level came down again, and altogether where all have; which improvements did so, and
 * of which incidents. These are no news of their own: who was told of the regression hears that it is over.
 */
export async function endRegressions(batch: Batch, found: Detected[]): Promise<Map<Detected, string[]>> {
  const recoveredBy = new Map<Detected, string[]>();
  const better = found.filter(({ kind }) => kind === 'improvement');
  if (better.length === 0) return recoveredBy;
  const incidents = await lockIncidents(batch.db, { kind: 'regression', status: { not: 'resolved' } });
  const endsOf = ({ cells }: IncidentRecord) => better.filter((each) => cells.some((bad) => isRecovered(bad, each)));
  // A phase may have an incident of its own, beside that of the handshakes that it came with.
  const recovering = incidents.flatMap(endsOf);
  for (const incident of incidents) {
    const phases = await phasesBack(incident.cells, recovering, batch.now.getTime());
    const ends = [...new Set([...endsOf(incident), ...phases.values()])];
    if (ends.length === 0) continue;
    recover(batch, incident, ends, phases);
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
  const ends = new Map<StoredCell, Detected>();
  for (const bad of cells) {
    if (bad.metric === 'tls' || bad.kind !== 'regression' || bad.recoveredAt !== null) continue;
    const end = better.find(
      ({ cell, changeAt }) =>
        cellId({ ...bad, metric: cell.metric }) === cellId(cell) && Date.parse(bad.changeAt) < changeAt.getTime(),
    );
    if (end) ends.set(bad, end);
  }
  const asked = [...ends].map(([cell, { changeAt, at }]) => ({ cell, begin: changeAt, until: at }));
  const isBack = await backOf(asked, now);
  return new Map([...ends].filter(([cell]) => isBack.get(cell) !== false));
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
  Object.assign(incident, summaryOf(incident.cells));
  batch.incidents.set(incident.id, incident);
  const cells = better.map(({ cell: { targetId, vantageId } }) => ({ targetId, vantageId }));
  note(batch, incident.id, at, 'cell_recovered', { params: { cells } });
  if (incident.cells.every(({ recoveredAt }) => recoveredAt !== null))
    endIncident(batch, incident, { reason: 'rolled_back', at });
}

// A change that is taken back within hours of being found is too young to be a change of its own to the detector. So each
// day a regression is asked for at the hours of the day at which it was seen: the level before is compared with those too.

const DAY_SECONDS = 86_400;
/** The level is back where at most this share of the results is past the midpoint between before and after; half of them were. */
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
  const asked = due.map((cell) => {
    const days = daysAt(cell, position);
    return { cell, begin: later(cell.changeAt, days), until: later(cell.at, days) };
  });
  const isBack = await backOf(asked, now);
  return due.filter((cell) => isBack.get(cell) === true);
}

/** A cell, and the time of which its results are to tell. */
type Asked = { cell: StoredCell; begin: Date; until: Date };

/** Whether each cell's results of its time are back at its old level; null where there are none, or not enough are still there. */
async function backOf(asked: readonly Asked[], now: number): Promise<Map<StoredCell, boolean | null>> {
  const back = new Map<StoredCell, boolean | null>();
  const keyOf = ({ cell: { targetId, variant, metric } }: Asked) => `${targetId} ${variant} ${metric}`;
  for (const same of Map.groupBy(asked, keyOf).values())
    for (const [cell, isBack] of await backAtTarget(same, now)) back.set(cell, isBack);
  return back;
}

/** The same of the series of one target, by one metric: one question for all of them. */
async function backAtTarget(same: readonly Asked[], now: number): Promise<[StoredCell, boolean | null][]> {
  const { targetId, variant, metric: name } = (same[0] as Asked).cell;
  const metric = WATCHED_METRICS.find((each) => each === name) ?? 'tls';
  const { column } = METRIC_TABLE[metric];
  if (targetId === null || column === null) return same.map(({ cell }) => [cell, false]);
  const whole = await wholeSince(Math.min(...same.map(({ begin }) => begin.getTime())), now);
  const until = Math.max(...same.map((each) => each.until.getTime()));
  const sinceOf = ({ begin }: Asked) => new Date(Math.max(whole, begin.getTime()));
  const middleOf = ({ cell: { beforeMs, afterMs } }: Asked) => Math.sqrt((beforeMs ?? 0) * (afterMs ?? 0)) * 1_000;
  // A refused session is one that was not resumed: of a share each result says yes or no.
  const isHigh = isShare(metric) ? `not ${column}` : `${column} > asked.middle`;
  const rows = await queryResults<{ place: number; n: number; high: number }>({
    spans: [{ targetId, from: whole, to: until }],
    columns: [column],
    text: (result) => `select asked.place::int, count(*)::int as n, count(*) filter (where ${isHigh})::int as high
      from unnest($2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::float8[])
        with ordinality as asked (vantage_id, since, until, middle, place)
      join ${result} found on found.vantage_id = asked.vantage_id
        and found.started_at >= asked.since and found.started_at < asked.until
      where target_id = $1 and started_at >= $6 and started_at < $7 and ok and ${column} is not null
        and ${informativeOf(variant)}
      group by asked.place`,
    values: [
      targetId,
      same.map(({ cell }) => cell.vantageId),
      same.map(sinceOf),
      same.map((each) => each.until),
      same.map(middleOf),
      new Date(whole),
      new Date(until),
    ],
  });
  const counts = new Map(rows.map((row) => [row.place, row]));
  return same.map((each, index) => {
    const { cell, begin } = each;
    const { beforeMs, afterMs } = cell;
    if (beforeMs === null || afterMs === null) return [cell, false];
    const { n, high } = counts.get(index + 1) ?? { n: 0, high: 0 };
    if (n === 0 || sinceOf(each).getTime() > (begin.getTime() + each.until.getTime()) / 2) return [cell, null];
    return [cell, n >= LEAST_RESULTS && high / n <= (isShare(metric) ? (beforeMs + afterMs) / 2 : RECOVERED_SHARE)];
  });
}

const later = (instant: string, days: number) => new Date(Date.parse(instant) + days * DAY_SECONDS * 1_000);
