import { leastSamples, recentCapacity } from '../parameters.ts';
import { type Sample, thinkTime } from '../sample.ts';
import { floats } from './slabs.ts';

/**
 * The last samples of a series, before and in a spike, from which its cause is determined. A ring of rows: seconds since the
 * sample before, and TLS time, TCP connect and think time in ms; NaN where a phase did not happen.
 */
export type Recent = { rows: Float32Array; next: number; count: number; newest: number };
const COLUMNS = 4;

export function emptyRecent(): Recent {
  return { rows: floats(COLUMNS * recentCapacity), next: 0, count: 0, newest: 0 };
}

export function remember(recent: Recent, sample: Sample): void {
  const { timestamp, tls, tcp } = sample;
  put(recent, timestamp, tls ?? Number.NaN, tcp ?? Number.NaN, thinkTime(sample) ?? Number.NaN);
}

/** Remembers a sample; NaN where a phase did not happen. */
export function put(recent: Recent, timestamp: number, tls: number, tcp: number, think: number): void {
  const { rows, newest } = recent;
  const at = COLUMNS * recent.next;
  rows[at] = timestamp - newest;
  rows[at + 1] = tls;
  rows[at + 2] = tcp;
  rows[at + 3] = think;
  recent.newest = timestamp;
  recent.next = (recent.next + 1) % recentCapacity;
  recent.count = Math.min(recentCapacity, recent.count + 1);
}

/** One probe as a comparison needs it; NaN where a phase did not happen. */
export type Phases = { tls: number; tcp: number; think: number };

/** The samples since `start`, and up to `leastSamples` samples before it, none before `from`, oldest first. */
export function splitAt(
  { rows, next, count, newest }: Recent,
  start: number,
  from = 0,
): { before: Phases[]; during: Phases[] } {
  const before: Phases[] = [];
  const during: Phases[] = [];
  let timestamp = newest;
  for (let age = 1; age <= count && before.length < leastSamples && timestamp >= from; age++) {
    const at = COLUMNS * ((next + recentCapacity - age) % recentCapacity);
    const phases = { tls: rows[at + 1] as number, tcp: rows[at + 2] as number, think: rows[at + 3] as number };
    (timestamp >= start ? during : before).push(phases);
    timestamp -= rows[at] as number;
  }
  return { before: before.reverse(), during: during.reverse() };
}
