import type { Window } from '#analysis/comparison/pairs.ts';
import type { Result } from '#contract/result.ts';
import type { MeasuredVariant } from '#contract/vocabulary.ts';
import { getPool } from '#server/database/database.ts';
import { variantResults } from '#server/results/results.ts';
import { readRollups } from '#server/rollups/read.ts';

/** Most results that are read of a window; of a longer one some runs of all checks, spread evenly over it. */
export const MOST_RESULTS = 5_000;
/** The same of a window that only serves as a control. */
export const MOST_OF_CONTROL = 1_500;
/** Most stretches that a window is read in. */
const MOST_STRETCHES = 150;

/**
 * The results of a target and variant in a window, those that succeeded, rows and sealed ones: all of them, or of many an even choice,
 * which has every vantage as often as any other.
 */
export async function resultsIn(
  targetId: string,
  window: Window,
  most: number,
  variant: MeasuredVariant = 'main',
): Promise<Result[]> {
  const stretches = stretchesOf(window, await rateIn(targetId, window), most);
  const results: Result[] = [];
  for (const { from, to } of stretches) {
    if (results.length >= most) break;
    results.push(...(await variantResults(targetId, variant, { from, to }, most - results.length)));
  }
  return results;
}

/** How often a target is probed: checks, and ms from one run of a check to the next. */
type Rate = { checks: number; periodMs: number };

const MINUTE_SECONDS = 60;

/**
 * The rate of the window itself: the vantages that measured in it, and the runs of the busiest. Checks that were removed, or a
 * period that was changed since, count as they were. What is in no rollup (they are deleted sooner, or not computed yet) has
 * today's rate.
 */
async function rateIn(targetId: string, window: Window): Promise<Rate> {
  const from = Math.floor(window.from / 1_000 / MINUTE_SECONDS) * MINUTE_SECONDS;
  const to = Math.ceil(window.to / 1_000 / MINUTE_SECONDS) * MINUTE_SECONDS;
  const { rows } = await getPool().query<{ id: string }>('select id from vantage where not imported');
  const groups = new Map(rows.map(({ id }, group) => [id, group]));
  const cells = await readRollups({ targetId, from, to, step: null, metric: null, groups });
  const runs = cells.map(({ summary }) => summary.ok).filter((ok) => ok > 0);
  if (runs.length === 0) return await rateNow(targetId);
  return { checks: runs.length, periodMs: Math.ceil(((to - from) * 1_000) / Math.max(...runs)) };
}

async function rateNow(targetId: string): Promise<Rate> {
  const { rows } = await getPool().query<{ checks: number; seconds: number }>(
    `select count(c.id)::int as checks, max(t.period_seconds)::int as seconds
      from target t left join "check" c on c.target_id = t.id and c.deleted_at is null where t.id = $1`,
    [targetId],
  );
  const [row] = rows;
  return { checks: Math.max(1, row?.checks ?? 1), periodMs: Math.max(1, row?.seconds ?? 60) * 1_000 };
}

/** The stretches of a window to read: the whole window, or some that each run every check as often as any other. */
export function stretchesOf({ from, to }: Window, { checks, periodMs }: Rate, most: number): Window[] {
  const runs = Math.ceil((to - from) / periodMs);
  const affordable = Math.max(1, Math.floor(most / checks));
  if (runs <= affordable) return [{ from, to }];
  const stretches = Math.min(MOST_STRETCHES, affordable);
  const length = Math.floor(affordable / stretches) * periodMs;
  return Array.from({ length: stretches }, (_, i) => {
    const start = from + Math.floor((i * runs) / stretches) * periodMs;
    return { from: start, to: Math.min(to, start + length) };
  });
}
