import type { ResultsQuery } from '#contract/query.ts';
import type { Result } from '#contract/result.ts';
import { listResults } from './results.ts';

const HOUR_MS = 3_600_000;
/** A result of the same series is looked for within so many periods of its target, and a minute. */
const PERIODS = 3;
const MOST = 100;

/** Handshakes to lay over another one; null where there is none. */
export type Neighbours = {
  /** Of the same series: the one before, the one after, and the fastest of the hour before. */
  previous: Result | null;
  next: Result | null;
  fastest: Result | null;
  /** The fastest of the same minutes from another province. */
  elsewhere: Result | null;
};

/** What stands beside a result of a target that is probed every `periodSeconds`. */
export async function findNeighbours(result: Result, periodSeconds: number): Promise<Neighbours> {
  const { id, targetId, vantage, variant, startedAt } = result;
  if (targetId === null || vantage === null) return { previous: null, next: null, fastest: null, elsewhere: null };
  const at = Date.parse(startedAt);
  const reach = PERIODS * periodSeconds * 1_000 + 60_000;
  const find = async (from: number, to: number, filter: Partial<ResultsQuery>) => {
    const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
    const asked = { target: targetId, variant: variant ?? 'main', format: 'json', limit: MOST, ...range } as const;
    const { data } = await listResults({ ...asked, ...filter });
    return data.filter((each) => each.id !== id);
  };
  const [before, after, around] = await Promise.all([
    find(at - HOUR_MS, at, { vantage: vantage.id }),
    find(at + 1, at + reach, { vantage: vantage.id }),
    find(at - reach, at + reach, { ok: true }),
  ]);
  return {
    previous: before[0] ?? null,
    next: after.at(-1) ?? null,
    fastest: fastestOf(before),
    elsewhere: fastestOf(around.filter((each) => each.vantage && each.vantage.region !== vantage.region)),
  };
}

function fastestOf(results: readonly Result[]): Result | null {
  const good = results.filter(({ ok, phases }) => ok && phases.tls !== null);
  return good.toSorted((a, b) => (a.phases.tls ?? 0) - (b.phases.tls ?? 0))[0] ?? null;
}
