import type { Judged, Rule } from './rule.ts';
import { isMain, median, quantileOf, type Window } from './window.ts';
import { windowBase } from './worth.ts';

/** A lookup of fewer milliseconds is in order, wherever the server is. */
const SLOW_DNS_MS = 50;
/** A place is far from the server where its round-trip time is so much over its country's median, ms. */
const FAR_MS = 30;
/** So many vantages of a place show it; of a country, so many make a median. */
const LEAST_VANTAGES = 2;
const LEAST_OF_COUNTRY = 3;

/** Lookups that take longer than a round trip and 50 ms, on more than one carrier: one alone has a slow resolver. */
export const slowDns: Rule = {
  code: 'slow_dns',
  severity: 'warning',
  occasion: 'first',
  certain: false,
  find: (windows) => {
    const judged = windows.flatMap((window): Judged[] => {
      const times = window.all.filter((each) => isMain(each) && each.ok).flatMap((each) => each.phases.dns ?? []);
      const p50 = median(times);
      if (p50 === null || window.rttMs === null) return [];
      const limit = Math.max(window.rttMs, SLOW_DNS_MS);
      // What a lookup takes at best: as seen, or a round trip where none was quick.
      const floor = Math.min(quantileOf(times, 0.1) ?? 0, window.rttMs);
      const base = windowBase(window);
      const values = { p50Ms: tenths(p50), floorMs: tenths(floor) };
      // The look-up in the middle, whichever came with the response that is replayed.
      const usual = base && { ...base, facts: { ...base.facts, dnsMs: p50 } };
      const shown = p50 > limit ? { changes: [{ kind: 'dns' as const, ms: floor }], values, base: usual } : null;
      return [{ window, results: times.length, times: times.filter((each) => each > limit).length, shown }];
    });
    const showing = judged.filter(({ shown }) => shown !== null);
    const carriers = new Set(showing.map(({ window }) => window.ref?.carrier ?? null));
    const isGeneral = carriers.size >= 2 && showing.length * 2 >= judged.length;
    return isGeneral ? judged : [];
  },
};

/** A region and carrier far from the server, by two vantages at least: an edge there would be nearer. */
export const farAway: Rule = {
  code: 'far_away',
  severity: 'info',
  occasion: 'first',
  certain: false,
  find: (windows) => {
    const located = windows.filter(({ ref, rttMs }) => ref !== null && rttMs !== null);
    const countries = Map.groupBy(located, ({ ref }) => ref?.country ?? '');
    return [...countries.values()].flatMap((own) => {
      if (own.length < LEAST_OF_COUNTRY) return [];
      const usual = median(own.map(({ rttMs }) => rttMs as number)) as number;
      const places = Map.groupBy(own, ({ ref }) => `${ref?.region} ${ref?.carrier}`);
      return [...places.values()].flatMap((place): Judged[] => {
        const far = place.filter(({ rttMs }) => (rttMs as number) >= usual + FAR_MS);
        return place.map((window) => {
          const isFar = far.length >= LEAST_VANTAGES && far.includes(window);
          const results = window.full.length;
          return { window, results, times: isFar ? results : 0, shown: isFar ? farShown(window, usual) : null };
        });
      });
    });
  },
};

/** Every round trip of the visit is as short as at the country's median. */
const farShown = (window: Window, usualMs: number): Judged['shown'] => ({
  changes: [{ kind: 'edge', rttMs: usualMs }],
  values: { rttMs: tenths(window.rttMs as number), usualMs: tenths(usualMs) },
  base: windowBase(window),
});

const tenths = (ms: number): number => Math.round(ms * 10) / 10;
