import { MAX_LIMIT, type ResultsQuery } from '#contract/query.ts';
import type { Result } from '#contract/result.ts';
import { listResults } from './results.ts';

const HOUR_MS = 3_600_000;
/** The next one is looked for within so many periods of its target and a minute, the one before within an hour at least. */
const PERIODS = 3;

/** So many of the newest are looked at for one of the same address. */
const NEAREST = 10;

/** The handshakes of the same series before and after one; null where there is none. */
export type Neighbours = { previous: Result | null; next: Result | null };

/** What stands beside a result of a target that is probed every `periodSeconds`. */
export async function findNeighbours(result: Result, periodSeconds: number): Promise<Neighbours> {
  const { vantage, startedAt } = result;
  if (vantage === null) return { previous: null, next: null };
  const at = Date.parse(startedAt);
  const reach = PERIODS * periodSeconds * 1_000 + 60_000;
  const [before, after] = await Promise.all([
    findAlike(result, at - Math.max(HOUR_MS, reach), at, { vantage: vantage.id, limit: NEAREST }),
    findAlike(result, at + 1, at + reach, { vantage: vantage.id }),
  ]);
  return { previous: before.data[0] ?? null, next: (after.isWhole && after.data.at(-1)) || null };
}

/**
 * The handshake with the shortest TLS time: of the same series in the hour before (`fastest`), or of the same round of its target from
 * another province (`elsewhere`). Null where there is none.
 */
export async function findFastest(
  result: Result,
  periodSeconds: number,
  where: 'fastest' | 'elsewhere',
): Promise<Result | null> {
  const { vantage, startedAt } = result;
  if (vantage === null) return null;
  const at = Date.parse(startedAt);
  // Half a period before and after it each place has its turn once.
  const half = periodSeconds * 500;
  const { data } =
    where === 'fastest'
      ? await findAlike(result, at - HOUR_MS, at, { vantage: vantage.id, ok: true })
      : await findAlike(result, at - half, at + half, { ok: true });
  return fastestOf(
    where === 'fastest' ? data : data.filter((each) => each.vantage && each.vantage.region !== vantage.region),
  );
}

/** Other results of the target, address and variant of one, from `from` to `to` (ms), newest first. */
async function findAlike(
  { id, url, targetId, variant }: Result,
  from: number,
  to: number,
  filter: Partial<ResultsQuery>,
) {
  if (targetId === null) return { data: [], isWhole: true };
  const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString(), limit: MAX_LIMIT };
  const asked = { target: targetId, variant: variant ?? 'main', format: 'json', ...range } as const;
  const { data, searchedUntil } = await listResults({ ...asked, ...filter });
  return { data: data.filter((each) => each.id !== id && each.url === url), isWhole: searchedUntil === null };
}

function fastestOf(results: readonly Result[]): Result | null {
  const good = results.filter(({ ok, phases }) => ok && phases.tls !== null);
  return good.toSorted((a, b) => (a.phases.tls ?? 0) - (b.phases.tls ?? 0))[0] ?? null;
}
