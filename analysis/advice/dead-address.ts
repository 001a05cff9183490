import type { DeadAddress } from '#contract/advice.ts';
import type { Result } from '#contract/result.ts';
import { isMain, median } from './window.ts';

/** Of more dead addresses the ones that most visits met are named. */
const MOST_NAMED = 5;

/** What visits lost to addresses of the name that do not connect; null where none did. A visit that failed does not count. */
export function deadAddressOf(results: readonly Result[]): DeadAddress | null {
  const visits = results.filter((result) => isMain(result) && result.ok);
  const met = visits.flatMap(({ findings, phases }) => {
    const found = findings.find(({ code }) => code === 'dead_address');
    const lostMs = found?.savesMs ?? null;
    if (!found || lostMs === null || phases.total === null) return [];
    return [{ addresses: String(found.values?.addresses).split(', '), lostMs, totalMs: phases.total }];
  });
  if (met.length === 0) return null;
  const byAddress = Map.groupBy(
    met.flatMap(({ addresses }) => addresses),
    (address) => address,
  );
  const commonest = [...byAddress].toSorted(([, a], [, b]) => b.length - a.length).map(([address]) => address);
  return {
    addresses: commonest.slice(0, MOST_NAMED),
    results: met.length,
    ofResults: visits.length,
    ms: tenths(median(met.map(({ lostMs }) => lostMs)) ?? 0),
    ofMs: tenths(median(met.map(({ totalMs }) => totalMs)) ?? 0),
  };
}

const tenths = (ms: number): number => Math.round(ms * 10) / 10;
