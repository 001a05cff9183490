import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lastingLevel, quantile } from '#analysis/typical-level.ts';
import { chance } from '../support/history.ts';

// What an effect is worth that people see minutes after the beginning: how far it is from what is said at the end.

const MINUTE = 60;
/** What is added at the height, ms. */
const HEIGHT = 57;
type Random = () => number;

const normal = (random: Random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const quiet = (random: Random) => 45 * Math.exp(0.05 * normal(random));
/** 15% to either side, and one handshake in twenty with a lost segment. */
const noisy = (random: Random) => 45 * Math.exp(0.15 * normal(random)) + (random() < 0.05 ? 200 : 0);
/** Two handshakes in five take a round trip more. */
const twoModes = (random: Random) => (random() < 0.4 ? 88 : 45) * Math.exp(0.05 * normal(random));
const ramp = (minutes: number, lasts: number) => (at: number) =>
  Math.min(1, at / minutes / MINUTE, Math.max(0, (lasts - at / MINUTE) / minutes));

type World = { lasts: number; base: (random: Random) => number; height: (at: number) => number };
const seven: World = { lasts: 7, base: quiet, height: () => 1 };
const lost: World = { lasts: 30, base: noisy, height: () => 1 };
const modes: World = { lasts: 30, base: twoModes, height: () => 1 };
const queue: World = { lasts: 40, base: noisy, height: ramp(3, 40) };
const slowQueue: World = { lasts: 60, base: noisy, height: ramp(8, 60) };

/** How far the figure is from the final one, relative, each minute from the second after the fourth raised sample to the end. */
function deviations({ lasts, base, height }: World, period: number): number[] {
  return Array.from({ length: 40 }, (_, seed) => {
    const random = chance(seed * 7_919 + period);
    const before = Array.from({ length: 3_600 / period }, () => base(random));
    const usual = quantile(
      before.toSorted((a, b) => a - b),
      0.5,
    );
    const since: number[] = [];
    for (let at = 0; at < lasts * MINUTE; at += period) since.push(base(random) + HEIGHT * height(at));
    const excess = (at: number) => (lastingLevel(before, since.slice(0, at / period))?.typical ?? 0) - usual;
    const raised = since.flatMap((value, index) => (value > 1.3 * usual ? [index * period] : []))[3] ?? 0;
    const found: number[] = [];
    for (let at = raised + 2 * MINUTE; at <= lasts * MINUTE; at += MINUTE)
      found.push(Math.abs(excess(at) / excess(lasts * MINUTE) - 1));
    return found;
  }).flat();
}

const p95 = (values: number[]) =>
  quantile(
    values.toSorted((a, b) => a - b),
    0.95,
  );

describe('the effect that is shown while a spike lasts', () => {
  it.each([
    ['of seven minutes', seven, 30, 0.03],
    ['of seven minutes, a probe a minute', seven, 60, 0.04],
    ['on a noisy series that loses segments', lost, 30, 0.1],
    ['on a noisy series, a probe a minute', lost, 60, 0.1],
    ['on a series with two modes', modes, 30, 0.1],
    ['on a series with two modes, a probe a minute', modes, 60, 0.1],
    ['that fills a queue for three minutes', queue, 30, 0.1],
  ])('%s: from the second minute on 95 in 100 are near the final one', (_name, world, period, most) => {
    const found = deviations(world, period);
    console.info(`p95 of the deviation ${(100 * p95(found)).toFixed(1)}% of ${found.length} minutes`);
    expect(found.length).toBeGreaterThan(100);
    expect(p95(found)).toBeLessThan(most);
  });

  it('of a queue that fills for eight minutes is what it has come to so far', () => {
    const found = deviations(slowQueue, 60);
    expect(found.filter((each) => each <= 0.1).length / found.length).toBeGreaterThan(0.88);
  });
});

describe('a typical level', () => {
  it('is the share that moved times how far, where a part of the handshakes went into the other mode', () => {
    const modesOf = (high: number) => Array.from({ length: 100 }, (_, index) => (index % 100 < high ? 60 : 30));
    // 15% to 46%: the median stays where it was.
    const level = lastingLevel(modesOf(15), modesOf(46));
    expect(level?.typical).toBeGreaterThan(30 + 0.25 * 30);
    expect(level?.typical).toBeLessThan(30 + 0.38 * 30);
  });

  it('is not moved by lost segments, nor by the mode that a series happens to be in', () => {
    expect(lastingLevel([40, 41, 42, 43, 44], [100, 101, 300, 102, 103])?.typical).toBeCloseTo(102, 0);
    const before = [45, 45, 45, 88, 88, 45, 88, 45, 45, 88];
    expect(lastingLevel(before, [145, 188, 188, 145, 145, 188, 145, 188, 145, 145])?.typical).toBeCloseTo(145, 0);
  });

  it('is the median where nothing was before, and nothing where nothing is since', () => {
    expect(lastingLevel([], [10, 20, 30])).toEqual({ typical: 20, peak: 30 });
    expect(lastingLevel([10], [])).toBeNull();
    expect(lastingLevel([10], [50])?.typical).toBe(50);
  });

  it('moves with what is added to all samples, and never exceeds the largest difference', () => {
    const level = fc.integer({ min: 1, max: 1_000 });
    const samples = fc.array(level, { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(samples, samples, level, (before, since, more) => {
        const typical = lastingLevel(before, since)?.typical ?? 0;
        const shifted = lastingLevel(
          before.map((each) => each + more),
          since.map((each) => each + more),
        );
        return (
          Math.abs((shifted?.typical ?? 0) - typical - more) < 1e-6 &&
          typical <= Math.max(...since, ...before) + (Math.max(...before) - Math.min(...before)) + 1e-6
        );
      }),
    );
  });
});
