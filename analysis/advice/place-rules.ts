import { both, type Judged, type Rule, type Shown } from './rule.ts';
import { bodyTripsOf, isMain, mayFalseStart, median, quantileOf, tlsTripsOf, type Window } from './window.ts';

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
      const gain = { handshake: 0, firstUsable: 0, firstBody: 0, total: 0, ms: p50 - floor };
      const values = { p50Ms: tenths(p50), floorMs: tenths(floor) };
      const shown = p50 > limit ? { gains: both(gain), values } : null;
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

/** Every round trip of the visit is so much shorter at the country's median. */
function farShown(window: Window, usualMs: number): Shown {
  const rttMs = window.rttMs as number;
  const tls = median(window.full.map(tlsTripsOf)) ?? 1;
  const body = median(window.full.map(bodyTripsOf)) ?? 1;
  const early = window.full.some(mayFalseStart) ? 1 : 0;
  const share = (rttMs - usualMs) / rttMs;
  const until = (handshake: number, skipped: number) => ({
    handshake: handshake * share,
    firstUsable: (handshake + 1 - skipped) * share,
    firstBody: (handshake + body - skipped) * share,
    total: (handshake + body - skipped) * share,
  });
  return {
    gains: { api: until(1 + tls, 0), browser: until(1 + tls, early) },
    values: { rttMs: tenths(rttMs), usualMs: tenths(usualMs) },
  };
}

const tenths = (ms: number): number => Math.round(ms * 10) / 10;
