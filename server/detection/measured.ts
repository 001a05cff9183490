import type { Series } from '#analysis/detection/sample.ts';
import { queryResults } from '#server/blocks/read.ts';
import { IS_MAIN, VARIANT_CODES } from '#server/database/codes.ts';
import { type RollupRange, readRanges } from '#server/rollups/read.ts';

// Whether a check was measured at all. Rollups say it of most at once; a check that these know nothing of is asked for in the
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

/** By whole minutes, which are all that rollups have. */
async function countedIn(checks: readonly OfTarget[], since: number, to: number): Promise<Set<string>> {
  const [from, until] = [Math.ceil(since / 60) * 60, Math.floor(to / 60) * 60];
  const alike = Map.groupBy(checks, ({ targetId, variant }) => `${targetId} ${variant ?? ''}`);
  const ofRange = [...alike.values()] as [OfTarget, ...OfTarget[]][];
  const ranges = ofRange.map((same): RollupRange => {
    const groups = new Map(same.map(({ vantageId }, group) => [vantageId, group]));
    return { ...same[0], from, to: until, step: null, metric: null, groups };
  });
  const counted = await readRanges(ranges);
  const found = counted.flatMap((cells, index) => cells.flatMap(({ group }) => ofRange[index]?.[group] ?? []));
  return new Set(found.map(checkKey));
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
