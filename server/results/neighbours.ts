import { MAX_LIMIT, type ResultsQuery } from '#contract/query.ts';
import type { Result } from '#contract/result.ts';
import { listResults } from './results.ts';

const HOUR_MS = 3_600_000;
/** The next one is looked for within so many periods of its target and a minute, the one before within an hour at least. */
const PERIODS = 3;

/** Handshakes to lay over another one; null where there is none. */
export type Neighbours = {
  /** Of the same series: the one before, the one after, and the fastest of the hour before. */
  previous: Result | null;
  next: Result | null;
  fastest: Result | null;
  /** The fastest of the same round of its target from another province. */
  elsewhere: Result | null;
};

/** What stands beside a result of a target that is probed every `periodSeconds`. */
export async function findNeighbours(result: Result, periodSeconds: number): Promise<Neighbours> {
  const { id, url, targetId, vantage, variant, startedAt } = result;
  if (targetId === null || vantage === null) return { previous: null, next: null, fastest: null, elsewhere: null };
  const at = Date.parse(startedAt);
  const periodMs = periodSeconds * 1_000;
  const reach = PERIODS * periodMs + 60_000;
  const find = async (from: number, to: number, filter: Partial<ResultsQuery>) => {
    const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString(), limit: MAX_LIMIT };
    const asked = { target: targetId, variant: variant ?? 'main', format: 'json', ...range } as const;
    const { data, searchedUntil } = await listResults({ ...asked, ...filter });
    return { data: data.filter((each) => each.id !== id && each.url === url), isWhole: searchedUntil === null };
  };
  const [before, after, around] = await Promise.all([
    find(at - Math.max(HOUR_MS, reach), at, { vantage: vantage.id }),
    find(at + 1, at + reach, { vantage: vantage.id }),
    // Half a period before and after it each place has its turn once.
    find(at - periodMs / 2, at + periodMs / 2, { ok: true }),
  ]);
  return {
    previous: before.data[0] ?? null,
    next: (after.isWhole && after.data.at(-1)) || null,
    fastest: fastestOf(before.data.filter((each) => Date.parse(each.startedAt) >= at - HOUR_MS)),
    elsewhere: fastestOf(around.data.filter((each) => each.vantage && each.vantage.region !== vantage.region)),
  };
}

function fastestOf(results: readonly Result[]): Result | null {
  const good = results.filter(({ ok, phases }) => ok && phases.tls !== null);
  return good.toSorted((a, b) => (a.phases.tls ?? 0) - (b.phases.tls ?? 0))[0] ?? null;
}
