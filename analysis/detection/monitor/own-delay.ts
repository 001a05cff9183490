import {
  leastSamples,
  longestBusySeconds,
  ownDelayRatio,
  ownDelayWindowSeconds,
  pageFloor,
  rateMemory,
} from '../parameters.ts';

// The prober is judged too. Each sample says how much of it may be the prober's own delay; where that is three times what it usually
// is at this vantage, its samples say more of the prober than of the targets: they are neither judged nor learnt until it has passed.

/** The own delay of a vantage's prober; plain data. */
export type ProberDelay = {
  /** Its usual own delay, ms, and of how many samples that was learnt. */
  usual: number;
  count: number;
  /** The samples of the last minute: epoch seconds and ms. */
  recent: [at: number, delay: number][];
  /** When it was busy last, epoch seconds; `until` is null while it is. Null: never. */
  busy: { since: number; until: number | null } | null;
};

export function newProberDelay(): ProberDelay {
  return { usual: 0, count: 0, recent: [], busy: null };
}

/**
 * Takes the own delays (ms) of a vantage's samples of one instant into account. It is busy where the middle one of the last minute's
 * is three times the usual one, and 3 ms; what has lasted for an hour is usual.
 */
export function observeOwnDelay(prober: ProberDelay, timestamp: number, delays: readonly number[]): void {
  const from = timestamp - ownDelayWindowSeconds;
  const kept = prober.recent.findIndex(([at]) => at > from);
  prober.recent.splice(0, kept < 0 ? prober.recent.length : kept);
  for (const delay of delays) prober.recent.push([timestamp, delay]);
  const isHigh = prober.count >= leastSamples && isMiddleFrom(prober.recent, highFrom(prober));
  const { busy } = prober;
  const isBusy = busy !== null && busy.until === null;
  if (isHigh && !isBusy) prober.busy = { since: timestamp, until: null };
  if (!isHigh && busy && isBusy) busy.until = timestamp;
  if (isHigh) {
    if (timestamp - (prober.busy?.since ?? timestamp) <= longestBusySeconds) return;
    Object.assign(prober, { usual: 0, count: 0, busy: { ...prober.busy, until: timestamp } });
  }
  for (const delay of delays) learnDelay(prober, delay);
}

/** When it was busy last; one that has been silent for an hour is not busy since its last sample. Null: never. */
export function busyAt({ busy, recent }: ProberDelay, now: number): ProberDelay['busy'] {
  const last = recent.at(-1)?.[0] ?? 0;
  return busy !== null && busy.until === null && now - last > longestBusySeconds ? { ...busy, until: last } : busy;
}

/** Whether it is busy: then its samples are not judged. */
export const isBusy = ({ busy }: ProberDelay): boolean => busy !== null && busy.until === null;

/** Whether the middle one (of two the upper) is `least` or more. Counted, not sorted: it is asked each second of thousands. */
function isMiddleFrom(recent: ProberDelay['recent'], least: number): boolean {
  let below = 0;
  for (const [, delay] of recent) if (delay < least) below += 1;
  return recent.length > 0 && below <= recent.length >> 1;
}

const highFrom = ({ usual }: ProberDelay) => Math.max(pageFloor.lasting.ms, ownDelayRatio * usual);

/** A mean; one delay of a second must not make a prober's delays usual. */
function learnDelay(prober: ProberDelay, delay: number): void {
  const clipped = prober.count < leastSamples ? delay : Math.min(delay, 2 * highFrom(prober));
  prober.count = Math.min(rateMemory, prober.count + 1);
  prober.usual += (clipped - prober.usual) / prober.count;
}
