import type { Random } from './random.ts';

/** A time in which nothing is measured, epoch seconds. */
export type Gap = { start: number; end: number };

/** Instants of the probes of a series, whole epoch seconds, rising: a period with jitter, less gaps and single ones that are missing. */
export function* probeInstants(
  span: { from: number; to: number; periodSeconds: number; jitter: number; missing: number },
  gaps: readonly Gap[],
  random: Random,
): Generator<number> {
  let last = Number.NEGATIVE_INFINITY;
  const phase = random.uniform(0, span.periodSeconds);
  for (let due = span.from + phase; due < span.to; due += span.periodSeconds) {
    const at = Math.floor(due + random.uniform(-span.jitter, span.jitter) * span.periodSeconds);
    const missing = random.chance(span.missing) || gaps.some((gap) => at >= gap.start && at < gap.end);
    if (missing || at <= last || at < span.from || at >= span.to) continue;
    last = at;
    yield at;
  }
}
