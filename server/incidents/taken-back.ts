import { getPool } from '#server/database/database.ts';
import { TELLS } from '#server/detection/samples.ts';
import type { StoredCell } from './row.ts';

// A change that is taken back within hours of being found is too young to be a change of its own to the detector. So each
// day a regression is asked for at the hours of the day at which it was seen: the level before is compared with those too.

const DAY_SECONDS = 86_400;
/** The level is back where at most this share of the results is past the middle of before and after; half of them were. */
const TAKEN_BACK_SHARE = 1 / 3;
const LEAST_RESULTS = 20;

/** The cells of a regression that are back at their old level, of those whose hours came round between two looks. */
export async function cellsTakenBack(
  cells: readonly StoredCell[],
  { before, position }: { before: number; position: number },
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
  for (const cell of due) if (await isBack(cell, daysAt(cell, position))) back.push(cell);
  return back;
}

async function isBack({ targetId, vantageId, changeAt, at, beforeMs, afterMs }: StoredCell, days: number) {
  if (beforeMs === null || afterMs === null) return false;
  const { rows } = await getPool().query<{ n: number; high: number }>(
    `select count(*)::int as n, count(*) filter (where tls_us > $5::float8)::int as high from result
      where target_id = $1 and vantage_id = $2 and started_at >= $3 and started_at < $4 and ok and tls_us is not null
        and ${TELLS}`,
    [targetId, vantageId, later(changeAt, days), later(at, days), Math.sqrt(beforeMs * afterMs) * 1_000],
  );
  const { n, high } = rows[0] ?? { n: 0, high: 0 };
  return n >= LEAST_RESULTS && high / n <= TAKEN_BACK_SHARE;
}

const later = (instant: string, days: number) => new Date(Date.parse(instant) + days * DAY_SECONDS * 1_000);
