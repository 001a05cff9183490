import { describe, expect, it, vi } from 'vitest';
import { createDetector } from '#analysis/detection/detector.ts';
import { type Conditions, detect, groupsIn, HOUR, MONDAY, play, resumedOf, seriesIn } from './scene.ts';

// Hours and days of samples are played in each.
vi.setConfig({ testTimeout: 60_000 });

const LOST = MONDAY + 12 * HOUR;
const SHOP = seriesIn('Beijing');
const RESUMED = resumedOf(SHOP);
const REGIONS = ['Beijing', 'Hubei', 'Gansu', 'Hainan', 'Tibet'];

/** From `LOST` on, for some hours: sessions are refused, and a full handshake takes a round trip more. */
const lostFor = (hours: number) => (timestamp: number) =>
  timestamp >= LOST && timestamp < LOST + hours * HOUR ? { refused: true, tlsMs: 50 } : {};

/** Refused by chance, of resumed handshakes alone. */
const share =
  (usual: number, then = usual) =>
  (timestamp: number, _series: unknown, random: () => number): Conditions =>
    random() < (timestamp < LOST ? usual : then) ? { refused: true } : {};

describe('refused sessions', () => {
  it('of one series are raised by the third probe of a minute, as a change of the handshake', () => {
    const found = detect({ days: 1, series: [RESUMED], conditions: lostFor(2) }).filter(
      ({ metric }) => metric === 'refused',
    );
    expect(found).toMatchObject([{ ...RESUMED, kind: 'spike', cause: 'tls', metric: 'refused', effect: 0 }]);
    expect(found[0]?.changeAt).toBeGreaterThanOrEqual(LOST);
    expect(found[0]?.changeAt).toBeLessThan(LOST + 65);
    expect(found[0]?.at).toBeLessThan(LOST + 4 * 60);
  });

  it('of five vantages are raised with the first probes, with the longer handshakes, as one event', () => {
    const series = REGIONS.map((region) => resumedOf(seriesIn(region)));
    const found = detect({ days: 1, series, period: 30, conditions: lostFor(2) });
    expect(groupsIn(found)).toBe(1);
    expect(new Set(found.map(({ cause }) => cause))).toEqual(new Set(['tls']));
    const refused = found.filter(({ metric }) => metric === 'refused');
    expect(refused.map(({ region }) => region).sort()).toEqual([...REGIONS].sort());
    expect(Math.min(...refused.map(({ at }) => at))).toBeLessThan(LOST + 40);
    expect(Math.max(...refused.map(({ at }) => at))).toBeLessThan(LOST + 120);
    expect(found.filter(({ metric }) => metric === 'tls').length).toBe(5);
  });

  it('are over when sessions are taken again', () => {
    const detector = createDetector();
    const closed = [];
    for (const { timestamp, samples } of play({ days: 1, series: [RESUMED], conditions: lostFor(2) }, detector)) {
      detector.advance(timestamp, samples);
      closed.push(...detector.closed());
    }
    const [end, ...more] = closed.filter(({ metric }) => metric === 'refused');
    expect(more).toEqual([]);
    expect(end).toMatchObject({ ...RESUMED, by: 'quiet' });
    expect(end?.endedAt).toBeGreaterThanOrEqual(LOST + 2 * HOUR);
    expect(end?.endedAt).toBeLessThan(LOST + 2 * HOUR + 65);
  });

  it('at a steady share, whatever it is, raise nothing', () => {
    for (const usual of [0, 0.02, 0.1, 0.5, 0.9, 1])
      for (const seed of [1, 2])
        expect(
          detect({ days: 2, series: [RESUMED], seed, conditions: share(usual) }).filter(
            ({ metric }) => metric === 'refused',
          ),
          `share ${usual}`,
        ).toEqual([]);
  });

  it('at more than their usual share are raised within minutes, by how much they differ', () => {
    const minutesTo = (usual: number, then: number) => {
      const found = detect({ days: 1, series: [RESUMED], conditions: share(usual, then) });
      const [first, ...more] = found.filter(({ metric }) => metric === 'refused');
      expect(more).toEqual([]);
      return ((first?.at ?? Number.POSITIVE_INFINITY) - LOST) / 60;
    };
    expect(minutesTo(0.02, 1)).toBeLessThan(6);
    expect(minutesTo(0.1, 1)).toBeLessThan(9);
    expect(minutesTo(0, 0.5)).toBeLessThan(30);
    expect(minutesTo(0.4, 1)).toBeLessThan(25);
  });

  it('that last for eight hours are usual then', () => {
    const detector = createDetector();
    const closed = [];
    for (const { timestamp, samples } of play({ days: 2, series: [RESUMED], conditions: lostFor(36) }, detector)) {
      detector.advance(timestamp, samples);
      closed.push(...detector.closed().filter(({ metric }) => metric === 'refused'));
    }
    expect(closed).toMatchObject([{ by: 'length' }]);
    expect(detector.open().filter(({ metric }) => metric === 'refused')).toEqual([]);
  });

  it('leave the series of full handshakes alone, and a congestion is of the network on both', () => {
    const series = REGIONS.flatMap((region) => [seriesIn(region), resumedOf(seriesIn(region))]);
    const lost = detect({ days: 1, series, conditions: (at, { variant }) => (variant ? lostFor(2)(at) : {}) });
    expect(lost.every(({ variant }) => variant === 'resumed')).toBe(true);
    const from = MONDAY + 36 * HOUR;
    const slow = detect({ days: 1.6, series, conditions: (at) => (at >= from && at < from + HOUR ? { path: 2 } : {}) });
    expect(new Set(slow.map(({ cause }) => cause))).toEqual(new Set(['network']));
    expect(new Set(slow.map(({ variant }) => variant))).toEqual(new Set([undefined, 'resumed']));
    expect(groupsIn(slow)).toBe(1);
  });
});
