import type { Prisma } from '#prisma/generated/client.ts';
import { getPool } from '../database.ts';
import { TELLS } from '../detection/samples.ts';
import { resolveIncident } from './open.ts';
import { type IncidentRecord, lockIncidents, type StoredCell, saveIncident } from './row.ts';
import { note } from './timeline.ts';

/** A spike is over at a cell after so long without: at most one in five results past the middle of before and after. */
export const QUIET_SECONDS = 1_800;
const QUIET_SHARE = 0.2;
const LEAST_RESULTS = 3;
/** After so long without any result a spike is taken to be over. */
const NO_RESULTS_SECONDS = 7_200;
/** The detector takes what lasts longer than this for the line's new way. */
const LONGEST_SPIKE_SECONDS = 8.5 * 3_600;
/** A regression that nobody took back is the new level after a week. */
const REGRESSION_SECONDS = 7 * 86_400;

/** The columns of the metrics in `result`. */
const COLUMNS: Record<string, string> = { tls: 'tls_us', tcp: 'tcp_us', firstByte: 'first_byte_us' };

/** Resolves what is over by `position` (seconds since 1970), up to which results were looked at. */
export async function settleIncidents(db: Prisma.TransactionClient, position: number, now: Date): Promise<void> {
  const open = await lockIncidents(db, { kind: { in: ['spike', 'regression'] }, status: { not: 'resolved' } });
  for (const incident of open) {
    const age = position - incident.onsetAt.getTime() / 1_000;
    const at = new Date(position * 1_000);
    if (incident.kind === 'regression') {
      if (age > REGRESSION_SECONDS) await resolveIncident(db, incident, now, { reason: 'new_level', at });
    } else if (age > LONGEST_SPIKE_SECONDS) await resolveIncident(db, incident, now, { reason: 'new_level', at });
    else await settleSpike(db, incident, position, now);
  }
}

async function settleSpike(
  db: Prisma.TransactionClient,
  incident: IncidentRecord,
  position: number,
  now: Date,
): Promise<void> {
  const at = new Date(position * 1_000);
  const ended = await quietCells(incident.cells, position);
  if (ended.length === 0) return;
  incident.cells = incident.cells.map((cell) =>
    ended.includes(cell) ? { ...cell, recoveredAt: at.toISOString() } : cell,
  );
  const cells = ended.map(({ targetId, vantageId }) => ({ targetId, vantageId }));
  await note(db, incident.id, at, 'cell_recovered', { params: { cells } });
  if (incident.cells.every(({ recoveredAt }) => recoveredAt !== null))
    await resolveIncident(db, incident, now, { reason: 'quiet', at });
  else await saveIncident(db, incident);
}

/** The cells that are over by `position`, of those that were not. */
async function quietCells(cells: StoredCell[], position: number): Promise<StoredCell[]> {
  const waiting = cells.filter(
    ({ at, recoveredAt }) => recoveredAt === null && position - secondsOf(at) >= QUIET_SECONDS,
  );
  const recent = await countHigh(waiting, position - QUIET_SECONDS, position);
  const sparse = waiting.filter((cell) => (recent.get(cell)?.n ?? 0) < LEAST_RESULTS);
  const earlier = await countHigh(sparse, position - NO_RESULTS_SECONDS, position);
  return waiting.filter((cell) => {
    const { n, high } = recent.get(cell) ?? { n: 0, high: 0 };
    if (n >= LEAST_RESULTS) return high / n <= QUIET_SHARE;
    return !earlier.has(cell) && position - secondsOf(cell.at) >= NO_RESULTS_SECONDS;
  });
}

const secondsOf = (instant: string) => Date.parse(instant) / 1_000;

type Count = { n: number; high: number };

/** The results of cells in (from, to], and how many of them are as in the spike. A target is read once for its vantages. */
async function countHigh(cells: StoredCell[], from: number, to: number): Promise<Map<StoredCell, Count>> {
  const found = new Map<StoredCell, Count>();
  for (const same of Map.groupBy(cells, ({ targetId, metric }) => `${targetId} ${metric}`).values()) {
    const counts = await countOfTarget(same, from, to);
    for (const cell of same) {
      const count = counts.get(cell.vantageId ?? '');
      if (count) found.set(cell, count);
    }
  }
  return found;
}

async function countOfTarget(same: StoredCell[], from: number, to: number): Promise<Map<string, Count>> {
  const [first] = same;
  const column = COLUMNS[first?.metric ?? ''];
  const isHigh = column === undefined ? 'not ok' : `${column} > c.middle`;
  const { rows } = await getPool().query<Count & { id: string }>(
    `select c.vantage_id as id, count(*)::int as n, count(*) filter (where ${isHigh})::int as high
      from unnest($2::uuid[], $3::float8[]) as c (vantage_id, middle) join result r on r.vantage_id = c.vantage_id
      where r.target_id = $1 and r.started_at > to_timestamp($4) and r.started_at <= to_timestamp($5)
        and ${TELLS} ${column === undefined ? '' : 'and ok'}
      group by c.vantage_id`,
    [first?.targetId, same.map(({ vantageId }) => vantageId), same.map(middleOf), from, to],
  );
  return new Map(rows.map(({ id, n, high }) => [id, { n, high }]));
}

/** Half way between before and after on the scale of the logarithm, in microseconds; nothing is above it where unknown. */
function middleOf({ beforeMs, afterMs }: StoredCell): number {
  if (beforeMs === null || afterMs === null) return Number.MAX_SAFE_INTEGER;
  return Math.sqrt(Math.max(beforeMs, 0.001) * Math.max(afterMs, 0.001)) * 1_000;
}
