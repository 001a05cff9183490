// What is remembered, oldest overwritten first. Every accepted sample goes into three rings: `history.ts`, one per metric,
// keeps 26 hours of single samples for the baseline and for dating a change; `recent.ts` keeps the last 64 probes of a
// series with all phases, from which a spike's cause is determined; `half-hours.ts` collects a half hour and, when it is over, keeps its
// means and quartiles for 8 days, for the daily shape and the tests for lasting changes.

import { historyCapacity, historyGrowth, historySeconds, logSteps } from '../parameters.ts';

/**
 * The last 26 hours of one metric, sample by sample: for the baseline's distribution and for dating a change. A ring, at
 * most 8,192 long, in which logarithms are kept to 1/2048 (0.05%) and times as the seconds since the sample before: a
 * series in the jobs has three such rings, which are most of the detector's memory.
 */
export type History = {
  /** Seconds since the sample before, `LONG_GAP` where `longGap` says it; the oldest one's gap means nothing. */
  gaps: Uint16Array;
  logs: Int16Array;
  /** A bit a position: whether the sample is part of the baseline. */
  learned: Uint8Array;
  head: number;
  count: number;
  /** Times of the oldest and of the newest sample, epoch seconds; of an empty ring they mean nothing. */
  oldest: number;
  newest: number;
  /** The one gap in 26 hours that 16 bits cannot hold, seconds; 0 where there is none. */
  longGap: number;
};

/** Two gaps as long as this are longer than 26 hours together: the ring never holds more than one. */
const LONG_GAP = 65_535;
const FIRST_CAPACITY = 64;

export function emptyHistory(): History {
  return { ...arraysFor(FIRST_CAPACITY), head: 0, count: 0, oldest: 0, newest: 0, longGap: 0 };
}

const arraysFor = (capacity: number) => ({
  gaps: new Uint16Array(capacity),
  logs: new Int16Array(capacity),
  learned: new Uint8Array(capacity / 8),
});

/**
 * Appends a sample that is no older than the newest, in whole seconds, after `mustForget` said that there is nothing to
 * forget; the ring has room or grows.
 */
export function append(history: History, at: number, log: number): void {
  const timestamp = Math.trunc(at);
  if (history.count === history.gaps.length) grow(history);
  const position = positionOf(history, history.count);
  const gap = history.count === 0 ? 0 : timestamp - history.newest;
  if (history.count === 0) history.oldest = timestamp;
  if (gap >= LONG_GAP) history.longGap = gap;
  history.gaps[position] = Math.min(LONG_GAP, gap);
  history.logs[position] = quantised(log);
  setLearned(history, position, false);
  history.newest = timestamp;
  history.count += 1;
}

/** True where the oldest sample has to go before another one comes. */
export function mustForget(history: History, now: number): boolean {
  if (history.count === 0) return false;
  return history.count >= historyCapacity || history.oldest <= now - historySeconds;
}

export function forgetOldest(history: History): void {
  history.head = positionOf(history, 1);
  history.count -= 1;
  if (history.count > 0) history.oldest += gapAt(history, history.head);
}

/** Position in the ring of the `index`th oldest sample. */
function positionOf({ head, gaps }: History, index: number): number {
  const at = head + index;
  return at < gaps.length ? at : at - gaps.length;
}

function gapAt({ gaps, longGap }: History, position: number): number {
  const gap = gaps[position] as number;
  return gap === LONG_GAP ? longGap : gap;
}

/** The logarithm at a position. */
export function logAt(history: History, position: number): number {
  return (history.logs[position] as number) / logSteps;
}

/** Whether the sample at a position is part of the baseline. */
export function isLearned({ learned }: History, position: number): boolean {
  return ((learned[position >> 3] as number) & (1 << (position & 7))) !== 0;
}

export function setLearned({ learned }: History, position: number, is: boolean): void {
  const bit = 1 << (position & 7);
  const byte = learned[position >> 3] as number;
  learned[position >> 3] = is ? byte | bit : byte & ~bit;
}

/** Goes through all samples, oldest first: the position of each, and its time. */
export function eachSample(history: History, visit: (position: number, timestamp: number) => void): void {
  let time = history.oldest;
  for (let index = 0; index < history.count; index++) {
    const position = positionOf(history, index);
    if (index > 0) time += gapAt(history, position);
    visit(position, time);
  }
}

/** Goes through the samples since `from`, newest first. */
export function eachSampleBack(
  history: History,
  from: number,
  visit: (position: number, timestamp: number) => void,
): void {
  let time = history.newest;
  for (let index = history.count - 1; index >= 0 && time >= from; index--) {
    const position = positionOf(history, index);
    visit(position, time);
    time -= gapAt(history, position);
  }
}

/** A logarithm as it is stored. */
export function rounded(log: number): number {
  return quantised(log) / logSteps;
}

function quantised(log: number): number {
  return Math.max(-32_768, Math.min(32_767, Math.round(log * logSteps)));
}

/** More room: a quarter more, in whole bytes of bits. */
function grow(history: History): void {
  const capacity = Math.min(historyCapacity, 8 * Math.ceil((history.gaps.length * historyGrowth) / 8));
  const bigger = { ...history, ...arraysFor(capacity), head: 0 };
  for (let index = 0; index < history.count; index++) {
    const position = positionOf(history, index);
    bigger.gaps[index] = history.gaps[position] as number;
    bigger.logs[index] = history.logs[position] as number;
    setLearned(bigger, index, isLearned(history, position));
  }
  Object.assign(history, bigger);
}
