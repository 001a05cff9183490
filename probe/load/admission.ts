import { performance } from 'node:perf_hooks';
import { libc } from '../kernel/libc.ts';

/** Starts are at least this far apart (ms): one a turn of the event loop, and timers count whole milliseconds. */
export const LEAST_GAP_MS = 1;
/**
 * No start while the loop was busy for more than this share of the last while, where nothing else is asked for. Where the
 * loop stamps arrivals they would wait for each other beyond it; where the kernel does, only our own work waits, and a
 * little room is left for a server that answers several at once.
 */
export const BUSY_SHARE = 0.7;
export const BUSY_SHARE_KERNEL = 0.9;
/** The last while, in ms: several probes long, and short enough to follow what the answers cost a round trip later. */
export const WINDOW_MS = 25;

type Sample = { at: number; busyMs: number };

/**
 * Decides when the next of many probes that wait may start, so that they don't measure each other: one at a time, and
 * only while the event loop has time to spare. Pure: the clock and for how long the loop has been busy so far (both ms)
 * are arguments.
 */
export class Admission {
  readonly #samples: Sample[] = [];
  readonly #busyShareLimit: number;
  #lastStart = Number.NEGATIVE_INFINITY;

  /** `busyShare` (0 to 1): how busy the loop may be for a start. */
  constructor(busyShare: number = BUSY_SHARE) {
    this.#busyShareLimit = busyShare;
  }

  /** How long (ms) to wait before asking again; 0 lets one probe start now: then say `started`. */
  waitMs(now: number, busyMs: number): number {
    if (this.#busyShare(now, busyMs) > this.#busyShareLimit) return LEAST_GAP_MS;
    return Math.max(0, this.#lastStart + LEAST_GAP_MS - now);
  }

  started(now: number): void {
    this.#lastStart = now;
  }

  /** The share of the last while that the loop worked; 0 at the first call. */
  #busyShare(now: number, busyMs: number): number {
    const samples = this.#samples;
    samples.push({ at: now, busyMs });
    while (samples.length > 2 && (samples[1]?.at ?? now) <= now - WINDOW_MS) samples.shift();
    const [oldest] = samples;
    return oldest && now > oldest.at ? (busyMs - oldest.busyMs) / (now - oldest.at) : 0;
  }
}

/** How busy this process's loops may be: it depends on who stamps. */
export function busyShareHere(): number {
  return libc() === null ? BUSY_SHARE : BUSY_SHARE_KERNEL;
}

/** For how long (ms) this thread's event loop has worked since it began: what `Admission` asks for. */
export function loopBusyMs(): number {
  return performance.eventLoopUtilization().active;
}
