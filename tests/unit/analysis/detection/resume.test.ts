import { describe, expect, it } from 'vitest';
import { createDetector } from '#analysis/detection/detector.ts';
import type { Detection } from '#analysis/detection/sample.ts';
import { chance, DAY, detect, HOUR, MONDAY, play, type Scene } from './scene.ts';

const SERIES = ['Beijing', 'Hubei', 'Gansu'].flatMap((province) =>
  ['shop', 'pay'].map((target) => ({ target, province, carrier: 'unicom' })),
);
const EVENTFUL: Scene = {
  days: 5,
  series: SERIES,
  period: 120,
  seed: 7,
  conditions: (timestamp, { target, province }, random) => {
    const hour = (timestamp - MONDAY) / HOUR;
    if (random() < 0.02) return { tlsMs: 200 };
    if (target === 'shop' && hour >= 40 && hour < 41) return { tlsMs: 80, thinkMs: 80 };
    if (province === 'Gansu' && hour >= 60) return { path: 1.4 };
    return target === 'pay' && hour >= 80 ? { tlsMs: -3, path: 0.8 } : {};
  },
};

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

  it('says of an instant what it says when the samples end there', () => {
    const random = chance(5);
    const cuts = [...whole.map(({ at }) => at), ...Array.from({ length: 10 }, () => MONDAY + random() * 5 * DAY)];
    for (const cut of new Set(cuts)) {
      const detector = createDetector();
      const found: Detection[] = [];
      for (const { timestamp, samples } of play(EVENTFUL, detector)) {
        if (timestamp <= cut) found.push(...detector.advance(timestamp, samples));
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

  it('refuses an instant that does not come after the last one', () => {
    const detector = createDetector();
    detector.advance(MONDAY, []);
    expect(() => detector.advance(MONDAY, [])).toThrow(RangeError);
  });
});
