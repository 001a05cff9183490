import { readCounts } from '#analysis/cells.ts';
import type { Series } from '#analysis/detection/sample.ts';
import { queryResults } from '#server/blocks/read.ts';
import { IS_MAIN, VARIANT_CODES } from '#server/database/codes.ts';
import { getPool } from '#server/database/database.ts';
import { rowsOf } from '#server/database/one-target.ts';
import { ONE_BY_ONE, rowNumber } from '#server/rollups/tiers.ts';
import { vantageNumbers } from '#server/rollups/vantage-numbers.ts';

// Whether a check was measured at all. Rollups of hours say it of most at once; a check that these know nothing of is asked for in the
// results themselves, as rollups may be behind.

type Check = { targetId: string | null; vantageId: string | null; variant?: Series['variant'] };
type OfTarget = { targetId: string; vantageId: string; variant?: Series['variant'] };

export const checkKey = ({ targetId, vantageId, variant }: Check) => `${targetId} ${vantageId} ${variant ?? ''}`;

/** Which of these checks had a result, whatever it was, in [since, to), seconds since 1970; by `checkKey`. */
export async function measuredSince(checks: readonly OfTarget[], since: number, to: number): Promise<Set<string>> {
  if (checks.length === 0) return new Set();
  const found = await countedIn(checks, since, to);
  const left = new Map(checks.filter((check) => !found.has(checkKey(check))).map((check) => [checkKey(check), check]));
  for (const [key, check] of left) if (await hasResult(check, since, to)) found.add(key);
  return found;
}

async function countedIn(checks: readonly OfTarget[], since: number, to: number): Promise<Set<string>> {
  const numbers = await vantageNumbers(new Set(checks.map(({ vantageId }) => vantageId)));
  const idOf = new Map([...numbers].map(([id, number]) => [number, id]));
  const variants = new Map([
    [rowNumber(null, 'main'), undefined],
    [rowNumber(null, 'resumed'), 'resumed' as const],
  ]);
  const targetIds = [...new Set(checks.map(({ targetId }) => targetId))];
  const values: unknown[] = [targetIds, [...variants.keys()], since, to];
  const { rows } = await getPool().query<{ targetId: string; metric: number; cells: Buffer }>(
    `select r.target_id as "targetId", r.metric, r.cells from unnest($1::uuid[]) as target (id) cross join lateral (
        select target_id, metric, cells from ${rowsOf('rollup_hour', targetIds, values)} h where target_id = target.id and metric = any($2::smallint[])
          and bucket >= to_timestamp($3) and bucket < to_timestamp($4) ${ONE_BY_ONE}) r`,
    values,
  );
  const found = new Set<string>();
  for (const { targetId, metric, cells } of rows)
    readCounts(cells, (vantage) => {
      const vantageId = idOf.get(vantage) ?? null;
      found.add(checkKey({ targetId, vantageId, variant: variants.get(metric) }));
    });
  return found;
}

async function hasResult({ targetId, vantageId, variant }: OfTarget, since: number, to: number): Promise<boolean> {
  const isOfVariant = variant === 'resumed' ? `variant = ${VARIANT_CODES.resumed}` : IS_MAIN;
  const rows = await queryResults({
    spans: [{ targetId, from: since * 1_000, to: to * 1_000 }],
    values: [targetId, vantageId, since, to],
    text: (result) => `select 1 from ${result} result where target_id = $1 and vantage_id = $2
      and started_at >= to_timestamp($3) and started_at < to_timestamp($4) and ${isOfVariant} limit 1`,
  });
  return rows.length > 0;
}
