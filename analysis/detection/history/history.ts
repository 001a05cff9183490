// What is remembered, oldest overwritten first. Every accepted sample goes into three rings: `history.ts`, one per metric,
// keeps 26 hours of single samples for the baseline and for dating a change; `recent.ts` keeps the last 64 probes of a
// series with all phases, from which a spike's cause is determined; `half-hours.ts` collects a half hour and, when it is over, keeps its
// means and quartiles for 8 days, for the daily shape and the tests for lasting changes.

import { historyCapacity, historySeconds, logSteps } from '../parameters.ts';

/**
 * The last 26 hours of one metric, sample by sample: for the baseline's distribution and for dating a change. A ring, at
 * most 8,192 long, in which logarithms are kept to 1/2048 (0.05%).
 */
export type History = {
  times: Uint32Array;
  logs: Int16Array;
  /** 1 where the sample is part of the baseline. */
  learned: Uint8Array;
  head: number;
  count: number;
};

export function emptyHistory(): History {
  return { times: new Uint32Array(64), logs: new Int16Array(64), learned: new Uint8Array(64), head: 0, count: 0 };
}

/** Appends a sample; the ring has room or grows. False where it is full at its largest: forget the oldest first. */
export function append(history: History, timestamp: number, log: number, learned: boolean): void {
  if (history.count === history.times.length) grow(history);
  const at = (history.head + history.count) & (history.times.length - 1);
  history.times[at] = timestamp;
  history.logs[at] = quantised(log);
  history.learned[at] = learned ? 1 : 0;
  history.count += 1;
}

/** True where the oldest sample has to go before another one comes. */
export function mustForget(history: History, now: number): boolean {
  if (history.count === 0) return false;
  return history.count >= historyCapacity || (history.times[history.head] as number) <= now - historySeconds;
}

export function forgetOldest(history: History): void {
  history.head = (history.head + 1) & (history.times.length - 1);
  history.count -= 1;
}

/** Position in the arrays of the `index`th oldest sample. */
export function positionOf(history: History, index: number): number {
  return (history.head + index) & (history.times.length - 1);
}

/** The logarithm at a position. */
export function logAt(history: History, position: number): number {
  return (history.logs[position] as number) / logSteps;
}

/** Samples since a time, oldest first. */
export function* samplesSince(history: History, from: number): Generator<{ timestamp: number; log: number }> {
  for (let index = 0; index < history.count; index++) {
    const position = positionOf(history, index);
    const timestamp = history.times[position] as number;
    if (timestamp >= from) yield { timestamp, log: logAt(history, position) };
  }
}

/** A logarithm as it is stored. */
export function rounded(log: number): number {
  return quantised(log) / logSteps;
}

function quantised(log: number): number {
  return Math.max(-32_768, Math.min(32_767, Math.round(log * logSteps)));
}

function grow(history: History): void {
  const { times, logs, learned, count } = history;
  const length = times.length;
  const bigger = {
    times: new Uint32Array(2 * length),
    logs: new Int16Array(2 * length),
    learned: new Uint8Array(2 * length),
  };
  for (let index = 0; index < count; index++) {
    const position = positionOf(history, index);
    bigger.times[index] = times[position] as number;
    bigger.logs[index] = logs[position] as number;
    bigger.learned[index] = learned[position] as number;
  }
  Object.assign(history, bigger, { head: 0 });
}
