import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  append,
  eachSample,
  eachSampleBack,
  emptyHistory,
  forgetOldest,
  isLearned,
  logAt,
  mustForget,
  rounded,
  setLearned,
} from '#analysis/detection/history/history.ts';
import { historyCapacity, historySeconds } from '#analysis/detection/parameters.ts';

type Remembered = { timestamp: number; log: number; learned: boolean };

/** A history that saw these samples, and what it should hold. */
function remember(samples: { gap: number; log: number; learned: boolean }[]) {
  const history = emptyHistory();
  let expected: Remembered[] = [];
  let timestamp = 1_900_000_000;
  for (const { gap, log, learned } of samples) {
    timestamp += gap;
    while (mustForget(history, timestamp)) forgetOldest(history);
    expected = expected.filter((each) => each.timestamp > timestamp - historySeconds).slice(1 - historyCapacity);
    append(history, timestamp, log);
    if (learned)
      eachSampleBack(history, timestamp, (position) => {
        setLearned(history, position, true);
      });
    expected.push({ timestamp, log: rounded(log) + 0, learned });
    if (learned && gap === 0) for (const each of expected) if (each.timestamp === timestamp) each.learned = true;
  }
  return { history, expected };
}

function heldBy(history: ReturnType<typeof emptyHistory>): Remembered[] {
  const held: Remembered[] = [];
  eachSample(history, (position, timestamp) =>
    held.push({ timestamp, log: logAt(history, position), learned: isLearned(history, position) }),
  );
  return held;
}

const gaps = fc.oneof(
  { weight: 20, arbitrary: fc.integer({ min: 1, max: 600 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 2 * historySeconds }) },
  { weight: 1, arbitrary: fc.integer({ min: 65_530, max: 65_540 }) },
);
const sample = fc.record({ gap: gaps, log: fc.double({ min: -15, max: 15, noNaN: true }), learned: fc.boolean() });

describe('a history of samples', () => {
  it('holds the last 26 hours as they were, after whatever silences', () => {
    fc.assert(
      fc.property(fc.array(sample, { maxLength: 400 }), (samples) => {
        const { history, expected } = remember(samples);
        expect(heldBy(history)).toEqual(expected);
      }),
    );
  });

  it('gives the samples since a time, newest first', () => {
    fc.assert(
      fc.property(fc.array(sample, { minLength: 1, maxLength: 200 }), fc.nat(historySeconds), (samples, age) => {
        const { history, expected } = remember(samples);
        const from = history.newest - age;
        const seen: number[] = [];
        eachSampleBack(history, from, (_position, timestamp) => seen.push(timestamp));
        expect(seen).toEqual(
          expected
            .map(({ timestamp }) => timestamp)
            .filter((timestamp) => timestamp >= from)
            .reverse(),
        );
      }),
    );
  });

  it('holds at most 8,192 samples, and takes no more room than a quarter above what it holds', () => {
    const busy = remember(Array.from({ length: 9_000 }, () => ({ gap: 5, log: 1, learned: false })));
    expect(busy.history.count).toBe(historyCapacity);
    expect(heldBy(busy.history)).toEqual(busy.expected);
    const minutes = remember(Array.from({ length: 3_000 }, () => ({ gap: 60, log: 1, learned: false })));
    expect(minutes.history.count).toBe(1_560);
    expect(minutes.history.gaps.length).toBeLessThanOrEqual(1.25 * 1_560 + 8);
  });
});
