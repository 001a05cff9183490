/** The monotonic clock that all stamps come from, and the wall clock that only names the start. */
export type Clock = {
  /** Milliseconds with fractions, from an arbitrary origin, never going back. */
  now(): number;
  wallTime(): Date;
};

/** The process's own monotonic clock. */
export const systemClock: Clock = { now: () => performance.now(), wallTime: () => new Date() };
