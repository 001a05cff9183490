// What is remembered, oldest overwritten first. Every accepted sample goes into three places: `history.ts` keeps the last
// 26 hours of a series, sample by sample, for the baseline and for dating a change; `recent.ts` keeps the last 64 probes with all
// phases, from which a spike's cause is determined; `half-hours.ts` collects a half hour and, when it is over, keeps its
// means and quartiles for 8 days, for the daily shape and the tests for lasting changes.
// `bits.ts` codes numbers by those before them, `slabs.ts` cuts arrays from large ones.

import { historyCapacity, historySeconds } from '../parameters.ts';
import {
  type Channels,
  LONGEST_CODE,
  newChannels,
  putBits,
  putCode,
  STREAM_PADDING,
  takeCode,
  taken,
  windowAt,
} from './bits.ts';

/** Steps per unit of the logarithm (0.05%): 16 bits then reach ±16. Memory. */
export const logSteps = 2_048;

/** The metrics that are remembered, and the index of each. */
export const TLS = 0;
export const TCP = 1;
export const FIRST_BYTE = 2;
export type MetricIndex = typeof TLS | typeof TCP | typeof FIRST_BYTE;
const METRIC_INDEXES = [TLS, TCP, FIRST_BYTE] as const;
/** The first channel is that of seconds between samples. */
const CHANNELS = 1 + METRIC_INDEXES.length;

/**
 * The last 26 hours of a series, sample by sample, at most 8,192 of them: seconds since the one before and logarithms to 1/2048
 * (0.05%), coded one after the other. A series in the jobs has some 1,600 of three metrics: about four bytes each.
 */
export type History = {
  bytes: Uint8Array;
  /** The first bit of the oldest sample, the first one of the newest, and the one after that. */
  start: number;
  last: number;
  end: number;
  count: number;
  /** Times of the oldest and of the newest sample, epoch seconds; of an empty history they mean nothing. */
  oldest: number;
  newest: number;
  /** What the coded numbers were like before the oldest sample and up to the newest: seconds, then each metric. */
  head: Channels;
  tail: Channels;
  /** The same before one of the newest samples, so that these are read without those before: how many, the first one's bit and time. */
  mark: { count: number; at: number; time: number; channels: Channels };
};

export type Forget = (metric: MetricIndex, time: number, log: number) => void;

/** A logarithm of each metric; null where it was not measured. */
export type Logs = readonly [tls: number | null, tcp: number | null, firstByte: number | null];

const FIRST_BYTES = 64;
/** The most that a sample takes: its codes and seven other bits. */
const MOST_BITS = CHANNELS * LONGEST_CODE + 7;
/** The share of room that what is forgotten may take before the rest moves up. */
const SLACK = 1 / 16;
/** So many of the newest samples are read without those before. */
const MARKED = 64;

export function emptyHistory(): History {
  return {
    bytes: new Uint8Array(FIRST_BYTES),
    start: 0,
    last: 0,
    end: 0,
    count: 0,
    oldest: 0,
    newest: 0,
    head: newChannels(CHANNELS),
    tail: newChannels(CHANNELS),
    mark: { count: 0, at: 0, time: 0, channels: newChannels(CHANNELS) },
  };
}

/**
 * Appends a sample that is no older than the newest, in whole seconds. What is too old then is forgotten; `forget` is told of
 * it where it was part of a metric's baseline.
 */
export function append(history: History, at: number, logs: Logs, forget: Forget = () => {}): void {
  const timestamp = Math.trunc(at);
  while (history.count > 0 && (history.count >= historyCapacity || history.oldest <= timestamp - historySeconds))
    forgetOldest(history, forget);
  makeRoom(history);
  const { bytes, tail } = history;
  if (history.count === 0) history.oldest = timestamp;
  const gap = history.count === 0 ? 0 : timestamp - history.newest;
  let measured = 0;
  for (const metric of METRIC_INDEXES) if (logs[metric] !== null) measured |= bitOf(metric);
  history.last = history.end;
  if (history.mark.count % MARKED === 0)
    history.mark = { count: 0, at: history.end, time: timestamp, channels: [...tail] };
  history.mark.count += 1;
  // Three bits for what is learnt, then one that says that all was measured, or three that say what.
  let bit = measured === 7 ? putBits(bytes, history.end, 1, 4) : putBits(bytes, history.end, measured, 7);
  bit = putCode(bytes, bit, tail, 0, gap);
  for (const metric of METRIC_INDEXES) {
    const log = logs[metric];
    if (log !== null) bit = putCode(bytes, bit, tail, 1 + metric, quantised(log));
  }
  history.end = bit;
  history.newest = timestamp;
  history.count += 1;
}

/** Marks the newest sample as part of a metric's baseline. */
export function learnNewest(history: History, metric: MetricIndex): void {
  putBits(history.bytes, history.last + metric, 1, 1);
}

/** Samples, oldest first, `count` of them: good until the next ones are unpacked. */
export type Unpacked = {
  /** Another one each time. */
  turn: number;
  count: number;
  /** Epoch seconds. */
  times: Float64Array;
  /** A bit a metric, the first one the highest of three: whether it was measured, whether it is part of the baseline. */
  measured: Uint8Array;
  learned: Uint8Array;
  /** Three a sample: logarithms as they are stored, of what was measured. */
  numbers: Int16Array;
  /** The first bit of each sample. */
  at: Int32Array;
};

/** One for all: what is unpacked is looked at and forgotten. */
const UNPACKED: Unpacked = {
  turn: 0,
  count: 0,
  times: new Float64Array(historyCapacity),
  measured: new Uint8Array(historyCapacity),
  learned: new Uint8Array(historyCapacity),
  numbers: new Int16Array(METRIC_INDEXES.length * historyCapacity),
  at: new Int32Array(historyCapacity),
};
/** The bit of a metric in `measured` and `learned`. */
export const bitOf = (metric: MetricIndex) => 4 >> metric;

/** All samples of a history, in the place of the last ones that were unpacked. */
export function unpack({ bytes, start, oldest, count, head }: History): Unpacked {
  unpackFrom(bytes, start, oldest, count, head);
  return UNPACKED;
}

/** The channels while samples are unpacked. */
const STATE = new Int32Array(2 * CHANNELS);

/** Unpacks `count` samples from the one at a bit and a time; `channels` are what they were before it. The bit after them. */
function unpackFrom(bytes: Uint8Array, from: number, first: number, count: number, channels: Channels): number {
  const { times, measured, learned, numbers, at } = UNPACKED;
  STATE.set(channels);
  let bit = from;
  let time = first;
  for (let index = 0; index < count; index++) {
    at[index] = bit;
    const window = windowAt(bytes, bit);
    const isWhole = (window & (1 << 28)) !== 0;
    const has = isWhole ? 7 : (window >>> 25) & 7;
    measured[index] = has;
    learned[index] = (window >>> 29) & has;
    bit = takeCode(bytes, bit + (isWhole ? 4 : 7), STATE, 0);
    if (index > 0) time += taken;
    times[index] = time;
    for (let metric = 0; metric < METRIC_INDEXES.length; metric++) {
      if ((has & (4 >> metric)) === 0) continue;
      bit = takeCode(bytes, bit, STATE, 1 + metric);
      numbers[METRIC_INDEXES.length * index + metric] = taken;
    }
  }
  UNPACKED.count = count;
  UNPACKED.turn += 1;
  return bit;
}

/** Marks a metric's samples since `from` as part of its baseline; `visit` is told of those that were not. */
export function learnSince(history: History, metric: MetricIndex, from: number, visit: Visit): void {
  const { bytes, mark } = history;
  if (from >= mark.time && mark.count <= history.count)
    unpackFrom(bytes, mark.at, mark.time, mark.count, mark.channels);
  else unpack(history);
  const { at, times } = UNPACKED;
  eachSample(UNPACKED, metric, (time, log, isLearned, index) => {
    if (time < from || isLearned) return;
    putBits(bytes, (at[index] as number) + metric, 1, 1);
    visit(times[index] as number, log);
  });
}

/** Makes a metric's samples since `from` its baseline, and no others. */
export function learnOnly(history: History, metric: MetricIndex, from: number): void {
  const { at } = unpack(history);
  eachSample(UNPACKED, metric, (time, _log, _isLearned, index) => {
    putBits(history.bytes, (at[index] as number) + metric, time >= from ? 1 : 0, 1);
  });
}

type Visit = (time: number, log: number) => void;

/** Goes through those of the unpacked samples that have a metric, oldest first. */
export function eachSample(
  { count, times, measured, learned, numbers }: Unpacked,
  metric: MetricIndex,
  visit: (time: number, log: number, isLearned: boolean, index: number) => void,
): void {
  const bit = bitOf(metric);
  for (let index = 0; index < count; index++) {
    if (((measured[index] as number) & bit) === 0) continue;
    const log = (numbers[METRIC_INDEXES.length * index + metric] as number) / logSteps;
    visit(times[index] as number, log, ((learned[index] as number) & bit) !== 0, index);
  }
}

/** A logarithm as it is stored. */
export function rounded(log: number): number {
  return quantised(log) / logSteps;
}

function quantised(log: number): number {
  return Math.max(-32_768, Math.min(32_767, Math.round(log * logSteps)));
}

function forgetOldest(history: History, forget: Forget): void {
  history.start = unpackFrom(history.bytes, history.start, history.oldest, 1, history.head);
  for (let index = 0; index < STATE.length; index++) history.head[index] = STATE[index] as number;
  const { times, learned, numbers } = UNPACKED;
  for (const metric of METRIC_INDEXES)
    if (((learned[0] as number) & bitOf(metric)) !== 0)
      forget(metric, times[0] as number, (numbers[metric] as number) / logSteps);
  history.count -= 1;
  if (history.count === 0) return;
  // The next one's seconds are since the one that is gone.
  const { bytes, start } = history;
  const isWhole = (windowAt(bytes, start) & (1 << 28)) !== 0;
  takeCode(bytes, start + (isWhole ? 4 : 7), STATE, 0);
  history.oldest += taken;
}

/** Room for one sample more: where what was forgotten is, or in an array that has a sixteenth to spare. */
function makeRoom(history: History): void {
  const { bytes } = history;
  const bytesFor = (bits: number) => Math.ceil((bits + MOST_BITS) / 8) + STREAM_PADDING;
  if (bytesFor(history.end) <= bytes.length) return;
  const gone = history.start >> 3;
  if (gone >= bytes.length * SLACK && bytesFor(history.end - 8 * gone) <= bytes.length) bytes.copyWithin(0, gone);
  else {
    history.bytes = new Uint8Array(Math.ceil(bytesFor(history.end - 8 * gone) * (1 + SLACK)));
    history.bytes.set(bytes.subarray(gone, bytesFor(history.end) - STREAM_PADDING));
  }
  for (const name of ['start', 'last', 'end'] as const) history[name] -= 8 * gone;
  history.mark.at -= 8 * gone;
}
