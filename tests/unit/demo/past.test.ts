import { describe, expect, it } from 'vitest';
import { PAST_ORIGINS, PAST_PERIOD } from '#demo/past/paths.ts';
import { drawPast } from '#demo/past/series.ts';
import { eventsOf, pastMarkers } from '#demo/past/story.ts';
import { localHour, PAST_DAYS, pastBefore } from '#demo/past/window.ts';
import { pathBetween } from '#demo/places.ts';
import { PROFILES } from '#demo/profiles.ts';

const NOW = Date.UTC(2026, 10, 21, 9, 30, 42);
const window = pastBefore(NOW);
const URUMQI = { region: 'CN-XJ', carrier: 'mobile' };
const origin = (key: string) => {
  const found = PAST_ORIGINS.find((each) => each.key === key);
  if (!found) throw new Error(`no origin ${key}`);
  return found;
};
const middle = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const tlsBetween = (key: string, from: number, to: number) => {
  const { samples } = drawPast(origin(key), URUMQI, window);
  return middle(samples.flatMap(({ at, tlsMs }) => (at >= from && at < to ? (tlsMs ?? []) : [])));
};

describe("the demo's past", () => {
  it('ends with the minute in which measuring begins, and is the same at every call', () => {
    expect(window).toEqual({ from: window.to - PAST_DAYS * 86_400, to: Date.UTC(2026, 10, 21, 9, 30) / 1_000 });
    const past = drawPast(origin('good'), URUMQI, window);
    expect(past.samples).toEqual(drawPast(origin('good'), URUMQI, window).samples);
    expect(past.samples.every(({ at }) => at >= window.from && at < window.to)).toBe(true);
    expect(past.samples.length).toBeGreaterThan(((PAST_DAYS * 86_400) / PAST_PERIOD) * 0.98);
  });

  it('has a line for each origin that runs, where that origin stands', () => {
    expect(PAST_ORIGINS.map(({ key, site }) => ({ key, site }))).toEqual(
      PROFILES.map(({ key, site }) => ({ key, site })),
    );
  });

  it('ends at the level that is measured: one round trip or three, and the work of a handshake', () => {
    const day = window.to - 8 * 3_600;
    const trip = (key: string) => pathBetween(URUMQI, origin(key).site, window.to * 1_000).rttMs;
    for (const [key, trips] of [
      ['good', 1],
      ['legacy', 3],
      ['stale', 1],
    ] as const) {
      const ratio = tlsBetween(key, day, window.to) / trip(key);
      expect(ratio, key).toBeGreaterThan(trips);
      expect(ratio, key).toBeLessThan(trips * 1.15);
    }
  });

  it('tells each lasting change with a marker at its time, and shows it in the series', () => {
    const [cache, chain, release, back] = pastMarkers(window);
    expect([cache, chain, release, back].map((marker) => marker?.origin)).toEqual(['legacy', 'good', 'stale', 'stale']);
    const change = (marker = cache, hours = 6) => {
      const { origin: key = '', at = 0 } = marker ?? {};
      return tlsBetween(key, at, at + hours * 3_600) / tlsBetween(key, at - hours * 3_600, at);
    };
    expect(change(cache)).toBeGreaterThan(2);
    expect(change(chain)).toBeLessThan(0.6);
    expect(change(release)).toBeGreaterThan(1.15);
    expect(change(back)).toBeLessThan(0.87);
  });

  it('holds a change for good, a carrier in the evening, a busy server, one after the other', () => {
    const events = eventsOf(window, { origin: 'legacy', ...URUMQI });
    expect(events.map(({ kind, cause }) => `${kind} ${cause}`)).toEqual(['shift tls', 'spike network', 'spike server']);
  });

  it('places hours of the clock in China within the window, whatever the time of day', () => {
    for (let hour = 0; hour < 24; hour++) {
      const at = pastBefore(NOW + hour * 3_600_000);
      expect(localHour(at, 1, 23.9)).toBeLessThan(at.to);
      expect(localHour(at, 13, 0)).toBeGreaterThanOrEqual(at.from);
    }
    expect(new Date(localHour(window, 1, 20.5) * 1_000).toISOString()).toBe('2026-11-20T12:30:00.000Z');
  });
});
