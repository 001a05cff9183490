import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  append,
  eachSample,
  emptyHistory,
  FIRST_BYTE,
  type History,
  type Logs,
  learnNewest,
  learnOnly,
  learnSince,
  type MetricIndex,
  rounded,
  TCP,
  TLS,
  unpack,
} from '#analysis/detection/history/history.ts';
import { historyCapacity, historySeconds } from '#analysis/detection/parameters.ts';

const METRIC_INDEXES = [TLS, TCP, FIRST_BYTE] as const;

type Remembered = { time: number; log: number; learned: boolean };
type Given = { gap: number; logs: Logs; learned: boolean };
type Held = Record<MetricIndex, Remembered[]>;

/** A history that saw these samples, what it should hold of each metric, and what of a baseline should have been forgotten. */
function remember(samples: Given[]) {
  const history = emptyHistory();
  const forgotten: [MetricIndex, number, number][] = [];
  let all: { time: number; logs: Logs; learned: boolean }[] = [];
  const gone: [MetricIndex, number, number][] = [];
  let time = 1_900_000_000;
  for (const { gap, logs, learned } of samples) {
    time += gap;
    append(history, time, logs, (...each) => forgotten.push(each));
    const left = all.filter((each) => each.time > time - historySeconds).slice(1 - historyCapacity);
    for (const each of all.slice(0, all.length - left.length))
      for (const metric of METRIC_INDEXES) {
        const log = each.logs[metric];
        if (each.learned && log !== null) gone.push([metric, each.time, rounded(log) + 0]);
      }
    all = [...left, { time, logs, learned }];
    for (const metric of METRIC_INDEXES) if (learned) learnNewest(history, metric);
  }
  const expected = Object.fromEntries(
    METRIC_INDEXES.map((metric) => [
      metric,
      all.flatMap(({ time: at, logs, learned }) => {
        const log = logs[metric];
        return log === null ? [] : [{ time: at, log: rounded(log) + 0, learned }];
      }),
    ]),
  ) as Held;
  return { history, expected, forgotten, gone };
}

function heldBy(history: History): Held {
  const held: Held = { [TLS]: [], [TCP]: [], [FIRST_BYTE]: [] };
  for (const metric of METRIC_INDEXES)
    eachSample(unpack(history), metric, (time, log, learned) => held[metric].push({ time, log, learned }));
  return held;
}

const gaps = fc.oneof(
  { weight: 20, arbitrary: fc.integer({ min: 1, max: 600 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 2 * historySeconds }) },
);
const log = fc.option(
  fc.oneof(
    { weight: 4, arbitrary: fc.double({ min: 3.5, max: 4, noNaN: true }) },
    fc.double({ min: -17, max: 17, noNaN: true }),
  ),
  { freq: 8 },
);
const given = fc.record({ gap: gaps, logs: fc.tuple(log, log, log), learned: fc.boolean() });

describe('a history of samples', () => {
  it('holds the last 26 hours as they were, after whatever silences, and tells what it forgets of a baseline', () => {
    fc.assert(
      fc.property(fc.array(given, { maxLength: 400 }), (samples) => {
        const { history, expected, forgotten, gone } = remember(samples);
        expect(heldBy(history)).toEqual(expected);
        expect(forgotten.toSorted()).toEqual(gone.toSorted());
      }),
    );
  });

  it('learns the samples since a time, and tells which it had not', () => {
    fc.assert(
      fc.property(fc.array(given, { minLength: 1, maxLength: 200 }), fc.nat(historySeconds), (samples, age) => {
        const { history, expected } = remember(samples);
        const from = history.newest - age;
        const seen: number[] = [];
        learnSince(history, TCP, from, (time) => seen.push(time));
        const isFresh = (each: Remembered) => each.time >= from && !each.learned;
        expect(seen).toEqual(expected[TCP].filter(isFresh).map(({ time }) => time));
        const learnt = expected[TCP].map((each) => ({ ...each, learned: each.learned || each.time >= from }));
        expect(heldBy(history)).toEqual({ ...expected, [TCP]: learnt });
        learnOnly(history, TLS, from);
        const only = expected[TLS].map((each) => ({ ...each, learned: each.time >= from }));
        expect(heldBy(history)).toEqual({ ...expected, [TCP]: learnt, [TLS]: only });
      }),
    );
  });

  it('holds at most 8,192 samples, the newest', () => {
    const history = emptyHistory();
    for (let time = 5; time <= 5 * 9_000; time += 5) append(history, time, [time / 10_000, 2, 3]);
    expect(history.count).toBe(historyCapacity);
    const times = heldBy(history)[TLS].map(({ time }) => time);
    expect(times).toEqual(
      Array.from({ length: historyCapacity }, (_, index) => 5 * (9_000 - historyCapacity + 1 + index)),
    );
  });

  it('takes five bytes a sample of three metrics that vary by 4%, in no more than 8% more room', () => {
    const wave = (at: number, of: number) => 3.8 + 0.05 * Math.sin(at * of);
    const samples = Array.from({ length: 4_000 }, (_, at) => ({
      gap: 58 + (at % 5),
      logs: [wave(at, 7.1), wave(at, 3.3), wave(at, 5.7)] as const,
    }));
    const history = emptyHistory();
    let time = 0;
    for (const { gap, logs } of samples) {
      time += gap;
      append(history, time, logs);
    }
    expect(history.count).toBe(1_560);
    expect((history.end - history.start) / 8 / history.count).toBeLessThan(5);
    expect(history.bytes.length).toBeLessThan((1.08 * (history.end - history.start)) / 8 + 256);
  });
});
