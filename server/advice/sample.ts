import type { Result } from '#contract/result.ts';
import { type ProbeSettings, sameUrl, type Target } from '#contract/target.ts';
import { getPool } from '#server/database/database.ts';
import type { Range } from '#server/figures/range.ts';
import { findResults } from '#server/results/results.ts';

/** So many Results of each vantage are looked at, spread over the range, with what followed each of them. */
const PER_VANTAGE = 5;
/** Some vantages have a Result more than others in the same time. */
const SLACK = 1.2;
/** A target of few vantages is looked at as if it had so many. */
const LEAST_VANTAGES = 10;
/** Most Results that are read at each of these instants: of a larger fleet a part. */
const MOST_AT_ONCE = 600;

/**
 * Some Results of each vantage of a target: at a few instants of the range, the first of which is its end, the newest before
 * each, as many as one run of all checks makes. What runs rarely gives fewer. Of another URL that the target had in the range
 * there are none: what its server did says nothing of the one that is measured now.
 */
export async function sampleResults(target: Pick<Target, 'id' | 'url' | 'settings'>, range: Range): Promise<Result[]> {
  const vantages = Math.max(LEAST_VANTAGES, await countChecks(target.id));
  const limit = Math.min(MOST_AT_ONCE, Math.ceil(vantages * handshakesOf(target.settings) * SLACK));
  const share = (range.to - range.from) / PER_VANTAGE;
  const ends = Array.from({ length: PER_VANTAGE }, (_, index) => range.to - index * share);
  const results = await Promise.all(ends.map((to) => findResults(target.id, { from: to - share, to }, limit)));
  return measuredAt(target.url, results.flat());
}

/** The Results of a URL. Redirects lead elsewhere: they belong to what they followed. */
function measuredAt(url: string, results: readonly Result[]): Result[] {
  const isOf = (result: Result) => result.variant !== 'redirect' && sameUrl(url, result.url);
  const ids = new Set(results.filter(isOf).map(({ id }) => id));
  return results.filter((each) => isOf(each) || (each.variant === 'redirect' && ids.has(each.mainId ?? '')));
}

/** How many Results one run of a check makes. */
function handshakesOf({ resume, reuse, sigalgs, redirects, http }: ProbeSettings): number {
  return 1 + (resume ? 1 : 0) + (sigalgs === 'both' ? 2 : 0) + (http ? redirects + (reuse ? 1 : 0) : 0);
}

async function countChecks(targetId: string): Promise<number> {
  const { rows } = await getPool().query<{ n: number }>(
    'select count(*)::int as n from "check" where target_id = $1 and deleted_at is null',
    [targetId],
  );
  return rows[0]?.n ?? 0;
}

/** How many vantages probe a target, of the selected ones where some are; of a prober that is away for a day none count. */
export async function countVantages(targetId: string, selected: readonly string[] | null): Promise<number> {
  const { rows } = await getPool().query<{ n: number }>(
    `select count(*)::int as n from vantage v join "check" c on c.vantage_id = v.id join prober p on p.id = v.prober_id
      where c.target_id = $1 and c.deleted_at is null and p.last_seen_at > now() - interval '1 day'
        and ($2::uuid[] is null or c.vantage_id = any($2))`,
    [targetId, selected],
  );
  return rows[0]?.n ?? 0;
}
