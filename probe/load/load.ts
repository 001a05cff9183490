/**
 * What our own load does to a probe. An event loop that is busy stamps late, so each Result says how late it may be and
 * whether it is clean: `proberState` sums up the longest stall of the loop since the probe began (watched by a timer
 * here) and the lateness that the tap noted (lateness.ts). To keep it low, work is cut into turns between which the loop
 * looks at all sockets (event-loop-turns.ts), and no probe starts while the loop is busy (admission.ts).
 */
import type { ProberState } from '#contract/result.ts';
import { roundMs } from '../format.ts';
import { looked } from './lateness.ts';

/** Period of the watch, in milliseconds: fine enough for the delays that matter, cheap enough to run always. */
const PERIOD_MS = 5;
/** Timers have whole milliseconds: a lateness below this is not a delay. */
const GRAIN_MS = 1.5;
const KEPT = 256;

/** A time during which the event loop looked at nothing: until `at`, for `lateMs`. */
type Stall = { at: number; lateMs: number };

const stalls: Stall[] = [];
let expectedAt = 0;
let timer: NodeJS.Timeout | null = null;

/** Begins to watch the event loop of this thread; harmless to call again. The watch keeps no process alive. */
export function watchLoop(): void {
  if (timer) return;
  expectedAt = performance.now() + PERIOD_MS;
  timer = setInterval(tick, PERIOD_MS);
  timer.unref();
}

/** The longest stall of the loop since `since` (milliseconds of performance.now()); what lies before it doesn't count. */
function loopDelaySince(since: number): number {
  let longest = Math.min(overdue(), Math.max(0, performance.now() - since));
  for (let index = stalls.length - 1; index >= 0; index -= 1) {
    const stall = stalls[index];
    if (!stall || stall.at < since) break;
    longest = Math.max(longest, Math.min(stall.lateMs, stall.at - since));
  }
  return longest;
}

function overdue(): number {
  const late = performance.now() - expectedAt;
  return timer && late > GRAIN_MS ? late : 0;
}

function tick(): void {
  const now = performance.now();
  const lateMs = now - expectedAt;
  expectedAt = now + PERIOD_MS;
  if (inFlight > 0) looked(now);
  if (lateMs <= GRAIN_MS) return;
  stalls.push({ at: now, lateMs });
  if (stalls.length > KEPT) stalls.splice(0, KEPT / 2);
}

let inFlight = 0;

/** Counts a probe of this thread for as long as it runs. */
export async function countedInFlight<T>(probe: () => Promise<T>): Promise<T> {
  inFlight += 1;
  try {
    return await probe();
  } finally {
    inFlight -= 1;
  }
}

/** So much (ms) of a phase may be the prober's own delay before the Result is kept out of percentiles, or this share of it. */
const CLEAN_BELOW_MS = 1;
const CLEAN_BELOW_SHARE = 0.01;
/** Without the kernel's stamps, so long (ms) may the loop have stalled. */
const STALLED_FROM_MS = 10;

/** How late (ms) the stamps of a phase may be, and how long it took; null where it did not happen. */
export type Lateness = { lateMs: number; phaseMs: number | null };

type Disturbance = {
  /** The start of the probe (performance.now()). */
  since: number;
  late: readonly Lateness[];
  /** Whether the kernel stamped its arrivals. */
  kernel: boolean;
  /** Stands in for both limits. */
  cleanBelowMs?: number | undefined;
};

/** How loaded this thread has been during a probe, and whether its Result is clean. */
export function proberState({ since, late, kernel, cleanBelowMs }: Disturbance): ProberState {
  const loopDelayMs = roundMs(loopDelaySince(since));
  const lateMs = late.reduce((most, each) => Math.max(most, each.lateMs), 0);
  const isLate = ({ lateMs: ms, phaseMs }: Lateness) =>
    ms >= (cleanBelowMs ?? Math.max(CLEAN_BELOW_MS, CLEAN_BELOW_SHARE * (phaseMs ?? 0)));
  const stalled = !kernel && loopDelayMs >= (cleanBelowMs ?? STALLED_FROM_MS);
  const stampedBy = kernel ? 'watcher' : 'loop';
  return { loopDelayMs, inFlight, clean: !late.some(isLate) && !stalled, lateMs: roundMs(lateMs), stampedBy };
}
