import { describe, expect, it, vi } from 'vitest';
import type { Detection } from '#analysis/detection/detection.ts';
import { createDetector, type DetectorOptions } from '#analysis/detection/detector.ts';
import { freeze, thaw } from '#analysis/detection/frozen.ts';
import { extent } from '../../../support/extent.ts';
import { type Conditions, chance, DAY, detect, HOUR, MONDAY, play, type Scene, seriesIn } from './scene.ts';

// Days of samples are played in each.
vi.setConfig({ testTimeout: 240_000 });

const SERIES = ['Beijing', 'Hubei', 'Gansu'].flatMap((region) =>
  ['shop', 'pay'].map((target) => seriesIn(region, target, 'unicom')),
);
const EVENTFUL: Scene = {
  days: 5,
  series: SERIES,
  period: 120,
  seed: 7,
  conditions: (timestamp, { target, region }, random) => {
    const hour = (timestamp - MONDAY) / HOUR;
    if (random() < 0.02) return { tlsMs: 200 };
    if (target === 'shop' && hour >= 40 && hour < 41) return { tlsMs: 80, thinkMs: 80 };
    if (region === 'Gansu' && hour >= 60) return { path: 1.4 };
    return target === 'pay' && hour >= 80 ? { tlsMs: -3, path: 0.8 } : {};
  },
};

/** The eventful scene, with an hour and a half of failures at one vantage. */
function failingAtTimes(...[timestamp, series, random]: Parameters<NonNullable<Scene['conditions']>>): Conditions {
  const hour = (timestamp - MONDAY) / HOUR;
  if (series.region === 'Hubei' && hour >= 50 && hour < 51.5) return { fails: true };
  return EVENTFUL.conditions?.(timestamp, series, random) ?? {};
}

describe('a detector', () => {
  const whole = detect(EVENTFUL);

  it('finds all that happens in the scene', () => {
    expect(new Set(whole.map(({ kind }) => kind))).toEqual(new Set(['spike', 'regression', 'improvement']));
  });

  it('goes on exactly from a state that was stored at any instant', () => {
    const random = chance(3);
    let detector = createDetector();
    const found: Detection[] = [];
    let restarts = 0;
    for (const { timestamp, samples } of play(EVENTFUL, detector)) {
      if (random() < 0.004) {
        detector = createDetector({}, detector.state());
        restarts += 1;
      }
      found.push(...detector.advance(timestamp, samples));
    }
    expect(restarts).toBeGreaterThan(20);
    expect(found).toEqual(whole);
  });

  it('is the same after a round trip through bytes, on all metrics, in what it raises, has open, closes and knows', () => {
    const options: DetectorOptions = { spikesOn: ['tls', 'tcp', 'firstByte', 'failures'] };
    const random = chance(11);
    const scene: Scene = { ...EVENTFUL, days: 4, period: 240, conditions: failingAtTimes };
    const unbroken = createDetector(options);
    let resumed = createDetector(options);
    const heard: { unbroken: unknown[]; resumed: unknown[] } = { unbroken: [], resumed: [] };
    const counts = { restarts: 0, whileOpen: 0, closed: 0, raised: 0 };
    for (const { timestamp, samples } of play(scene, unbroken)) {
      if (counts.restarts === 0 || random() < 0.004) {
        const stored = structuredClone([...unbroken.state()]);
        resumed = createDetector(options, stored);
        heard.unbroken.push(stored, unbroken.open(), unbroken.closed());
        heard.resumed.push([...resumed.state()], resumed.open(), resumed.closed());
        counts.restarts += 1;
        if (unbroken.open().length > 0) counts.whileOpen += 1;
      }
      const raised = unbroken.advance(timestamp, samples);
      heard.unbroken.push(...raised, ...unbroken.closed());
      heard.resumed.push(...resumed.advance(timestamp, samples), ...resumed.closed());
      counts.raised += raised.length;
      counts.closed += unbroken.closed().length;
    }
    expect(heard.resumed).toEqual(heard.unbroken);
    expect([...resumed.state()]).toEqual([...unbroken.state()]);
    expect(counts.restarts).toBeGreaterThanOrEqual(10);
    expect(counts.whileOpen).toBeGreaterThanOrEqual(1);
    expect(Math.min(counts.closed, counts.raised)).toBeGreaterThanOrEqual(5);
  });

  it('says of an instant what it says when the samples end there', () => {
    const random = chance(5);
    const anywhere = Array.from({ length: 10 }, () => MONDAY + random() * 5 * DAY);
    const cuts = [...new Set([...whole.map(({ at }) => at), ...anywhere])];
    for (const cut of cuts.filter((_, index) => index % extent(3, 1) === 0)) {
      const detector = createDetector();
      const found: Detection[] = [];
      for (const { timestamp, samples } of play(EVENTFUL, detector)) {
        if (timestamp > cut) break;
        found.push(...detector.advance(timestamp, samples));
      }
      expect(found).toEqual(whole.filter(({ at }) => at <= cut));
    }
  });

  it('does not depend on the order of samples within an instant', () => {
    const detector = createDetector();
    const found: Detection[] = [];
    for (const { timestamp, samples } of play(EVENTFUL, detector)) {
      found.push(...detector.advance(timestamp, [...samples].reverse()));
    }
    expect(found).toEqual(whole);
  });

  it('refuses a state of another version, by name', () => {
    const detector = createDetector();
    for (const series of SERIES) detector.indexOf(series);
    const [head = new Uint8Array(), ...series] = detector.state();
    const { version, ...old } = thaw<{ version: number }>(head);
    const state = [freeze({ version: version + 1, ...old }), ...series];
    expect(() => createDetector({}, state)).toThrow(
      `of version ${version + 1}, and this program reads version ${version}`,
    );
  });

  it('refuses an instant that does not come after the last one', () => {
    const detector = createDetector();
    detector.advance(MONDAY, []);
    expect(() => detector.advance(MONDAY, [])).toThrow(RangeError);
  });
});
