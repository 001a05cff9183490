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
export function loopDelaySince(since: number): number {
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
  if (lateMs <= GRAIN_MS) return;
  stalls.push({ at: now, lateMs });
  if (stalls.length > KEPT) stalls.splice(0, KEPT / 2);
}
