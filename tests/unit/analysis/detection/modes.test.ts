import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyHalfHours } from '#analysis/detection/history/half-hours.ts';
import { countModes, findShareShift } from '#analysis/detection/shifts/mode-test.ts';
import { modesOf } from '#analysis/detection/shifts/modes.ts';
import { chance, normal } from './scene.ts';

const HALF_HOUR = 1_800;
const SLOTS = 52;
const FAST = Math.log(45);
const SLOW = Math.log(110);

/** A sample in two minutes for 26 hours: `slowIn` is the share of slow ones in a half hour, 51 the newest; `level` is added to each logarithm. */
function samplesOf(slowIn: (slot: number) => number, spread = 0.05, level = (_slot: number) => 0, seed = 1) {
  const random = chance(seed);
  const times: number[] = [];
  const values: number[] = [];
  for (let time = 0; time < SLOTS * HALF_HOUR; time += 120) {
    const slot = Math.floor(time / HALF_HOUR);
    times.push(time);
    values.push((random() < slowIn(slot) ? SLOW : FAST) + level(slot) + spread * normal(random));
  }
  return { times, values };
}

/** What confirms a change of the means by so much, a logarithm. */
function shareShiftOf({ times, values }: ReturnType<typeof samplesOf>, means = 0.1, centre = FAST) {
  const counts = countModes(times, values, SLOTS - 1, centre);
  const levels = { halfHours: emptyHalfHours(), now: SLOTS - 1, leastMs: 2.4 };
  return counts && findShareShift(counts, levels, { effect: means });
}

describe('the modes of a series', () => {
  it('are two where 15% take 110 ms and the others 45, and the divide lies between them', () => {
    const modes = modesOf(samplesOf(() => 0.15).values, FAST);
    expect(Math.exp(modes?.lower ?? 0)).toBeCloseTo(45, -0.5);
    expect(Math.exp(modes?.upper ?? 0)).toBeCloseTo(110, -0.9);
    expect(Math.exp(modes?.divide ?? 0)).toBeGreaterThan(55);
    expect(Math.exp(modes?.divide ?? 0)).toBeLessThan(92);
  });

  it('are told though a tenth of the samples lost a segment', () => {
    const { values } = samplesOf(() => 0.3);
    const modes = modesOf(
      values.map((value, nth) => (nth % 10 === 0 ? Math.log(Math.exp(value) + 200) : value)),
      FAST,
    );
    expect(Math.exp(modes?.divide ?? 0)).toBeGreaterThan(55);
    expect(Math.exp(modes?.divide ?? 0)).toBeLessThan(92);
  });

  it.each([
    ['one that is narrow', samplesOf(() => 0).values],
    ['one that is wide', samplesOf(() => 0, 0.3).values],
    [
      'one with a long tail',
      samplesOf(() => 0).values.map((value, nth) => value + 0.4 * -Math.log(1 - (nth % 97) / 97)),
    ],
    ['an even spread', samplesOf(() => 0).values.map((_, nth) => FAST + (nth % 100) / 100 - 0.5)],
    ['too few slow ones', samplesOf((slot) => (slot % 4 === 0 ? 0.05 : 0)).values],
    ['nothing', []],
  ])('are not two of %s', (_name, values) => {
    expect(modesOf(values, FAST)).toBeNull();
  });
});

describe('a lasting change of the share of the slower mode', () => {
  it('is found five hours after it, from 15% to 46%, with what it does to the mean', () => {
    const found = shareShiftOf(samplesOf((slot) => (slot < 42 ? 0.15 : 0.46)));
    expect(found?.window).toBe(9);
    expect(found?.shares.before).toBeCloseTo(0.15, 1);
    expect(found?.shares.after).toBeCloseTo(0.46, 0.9);
    expect(found?.effect).toBeCloseTo(0.31 * (SLOW - FAST), 0.9);
  });

  it('is not what changed where the level moved by much more', () => {
    expect(
      shareShiftOf(
        samplesOf((slot) => (slot < 42 ? 0.15 : 0.46)),
        0.6,
      ),
    ).toBeNull();
  });

  it('is found where it falls, and not as a change in the other direction', () => {
    const falls = samplesOf((slot) => (slot < 40 ? 0.6 : 0.3));
    expect(shareShiftOf(falls, -0.1)?.effect).toBeLessThan(-0.2);
    expect(shareShiftOf(falls, 0.1)).toBeNull();
  });

  it.each([
    ['a share that stays', samplesOf(() => 0.3)],
    ['six points more', samplesOf((slot) => (slot < 30 ? 0.2 : 0.26))],
    ['a burst of an hour', samplesOf((slot) => (slot === 46 || slot === 47 ? 1 : 0.15))],
    ['two bursts of half an hour', samplesOf((slot) => (slot === 44 || slot === 49 ? 1 : 0.15))],
    ['bursts that come all day', samplesOf((slot) => (slot % 3 === 0 ? 0.9 : 0.1))],
    ['a burst that goes on but has ended', samplesOf((slot) => (slot >= 40 && slot < 49 ? 0.6 : 0.15))],
    [
      'a change of variance',
      samplesOf(
        () => 0.3,
        0.05,
        (slot) => (slot < 40 ? 0 : slot % 2 ? 0.1 : -0.1),
      ),
    ],
    [
      'a level that steps',
      samplesOf(
        () => 0.3,
        0.05,
        (slot) => (slot < 40 ? 0 : 0.3),
      ),
    ],
    [
      'a level that drifts',
      samplesOf(
        () => 0.3,
        0.05,
        (slot) => 0.006 * slot,
      ),
    ],
    ['a series of one mode that steps', samplesOf((slot) => (slot < 40 ? 0 : 1))],
  ])('is not %s', (_name, samples) => {
    expect(shareShiftOf(samples)).toBeNull();
  });

  it('is the same whatever unit times are in: a factor moves nothing but the levels', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.integer({ min: -8_192, max: 8_192 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (seed, steps, before, after) => {
          // Logarithms are whole steps of 1/2048, as they are stored, so that sums are exact; no least change in ms.
          const { times, values } = samplesOf(
            (slot) => (slot < 40 ? before : after),
            0.05,
            () => 0,
            seed,
          );
          const stored = values.map((value) => Math.round(value * 2_048) / 2_048);
          const shift = (by: number) => {
            const counts = countModes(
              times,
              stored.map((value) => value + by),
              SLOTS - 1,
              4 + by,
            );
            const levels = { halfHours: emptyHalfHours(), now: SLOTS - 1, leastMs: 0 };
            return counts && findShareShift(counts, levels, { effect: 0.1 * (after - before) });
          };
          const [plain, scaled] = [shift(0), shift(steps / 2_048)];
          expect(scaled === null).toBe(plain === null);
          if (plain === null || scaled === null) return;
          expect(scaled.shares).toEqual(plain.shares);
          expect(scaled.window).toBe(plain.window);
          expect(scaled.effect).toBeCloseTo(plain.effect, 6);
          expect(scaled.divide - steps / 2_048).toBeCloseTo(plain.divide, 6);
        },
      ),
      { numRuns: 60 },
    );
  });
});
