import { medianOf } from '#analysis/detection/statistics.ts';
import { type Change, type Facts, factsOf, whatIf } from '#analysis/what-if/what-if.ts';
import type { Milestone } from '#contract/comparison.ts';
import type { Result } from '#contract/result.ts';
import type { Predict } from './attribution.ts';
import type { Flip } from './posture.ts';
import { theilSen } from './statistics.ts';

/** So many vantages are replayed; more would say the same. */
const MOST_VANTAGES = 12;
/** Header and encryption of a record, which the size on the wire has and the setting has not. */
const RECORD_OVERHEAD = 22;
/** RTTs that differ by less (ms) give no slope. */
const LEAST_RTT_SPREAD_MS = 5;

/**
 * Predicts what a flip adds by replaying the server's flights with it changed (analysis/what-if), one of each vantage, and takes the
 * slope over RTT; what the model has no change for is left to `table`. A flip away from what the model knows is replayed the other
 * way round, from what was measured after it.
 */
export function modelOf(before: readonly Result[], after: readonly Result[], table: Predict): Predict {
  const early = factsByVantage(before);
  const late = factsByVantage(after);
  return (flip, milestone) => {
    const change = changeOf(flip, before, after);
    const facts = change?.backward ? late : early;
    if (!change || facts.length === 0) return table(flip, milestone);
    const roundTrips = addedBy(facts, change.change, milestone) * (change.backward ? -1 : 1);
    return !Number.isFinite(roundTrips) ? table(flip, milestone) : { roundTrips, by: 'model' };
  };
}

/** Of each vantage the facts of a Result in its middle. */
function factsByVantage(results: readonly Result[]): Facts[] {
  const byVantage = Map.groupBy(results, ({ vantage }) => vantage?.id ?? '');
  const step = Math.max(1, Math.ceil(byVantage.size / MOST_VANTAGES));
  return [...byVantage.values()]
    .filter((_, i) => i % step === 0)
    .flatMap((own) => {
      const sorted = own.toSorted((a, b) => (a.marks.total ?? 0) - (b.marks.total ?? 0));
      const middle = Math.floor(sorted.length / 2);
      for (const result of [...sorted.slice(middle), ...sorted.slice(0, middle).reverse()]) {
        const facts = factsOf(result);
        if (facts) return facts;
      }
      return [];
    });
}

function addedBy(facts: readonly Facts[], change: Change, milestone: Milestone): number {
  const points = facts.map((each) => {
    const { before, after } = whatIf(each, [change], 'api');
    return { x: each.exchange.rttMs, y: after[milestone] - before[milestone] };
  });
  const rtts = points.map(({ x }) => x);
  const line = Math.max(...rtts) - Math.min(...rtts) >= LEAST_RTT_SPREAD_MS ? theilSen(points) : null;
  return line?.slope ?? medianOf(points.map(({ x, y }) => y / x));
}

/** A flip as a change of the model; `backward`: it is the way back that the model knows. */
function changeOf(
  { setting, before: from, after: to }: Flip,
  before: readonly Result[],
  after: readonly Result[],
): { change: Change; backward: boolean } | null {
  const toward = (value: string, change: Change) =>
    to === value ? { change, backward: false } : from === value ? { change, backward: true } : null;
  const forward = (change: Change) => ({ change, backward: false });
  if (setting === 'version') return toward('TLSv1.3', { kind: 'tls13' });
  if (setting === 'alpn') return toward('h2', { kind: 'http2' });
  if (setting === 'nagle') return toward('no', { kind: 'noDelay' });
  if (setting === 'staple') return toward('none', { kind: 'noStaple' });
  if (setting === 'resumed') return toward('yes', { kind: 'resume' });
  if (setting === 'serverWindow') return forward({ kind: 'window', segments: Number(to) });
  if (setting === 'recordBytes') return forward({ kind: 'records', bytes: Math.max(1, Number(to) - RECORD_OVERHEAD) });
  if (setting === 'keyType' || setting === 'chainBytes' || setting === 'issuer') {
    const bytes = medianOf(after.flatMap(({ tls }) => tls?.certificate?.chainBytes ?? []));
    return Number.isNaN(bytes) ? null : forward({ kind: 'chain', bytes });
  }
  if (setting === 'encoding') {
    const [plain, coded] = [before, after].map((results) => medianOf(results.flatMap(({ http }) => http?.bytes ?? [])));
    return from === 'none' && plain && coded ? forward({ kind: 'compressBody', ratio: coded / plain }) : null;
  }
  return null;
}
