import { type ComparisonOptions, comparing } from '#analysis/comparison/comparison.ts';
import type { Sample } from '#analysis/comparison/sample.ts';
import type { ComparisonOutcome } from '#contract/comparison.ts';

/** A comparison in one go, for who has nothing else to do meanwhile: the experiments and tests. */
export function compare(
  before: readonly Sample[],
  after: readonly Sample[],
  options?: ComparisonOptions,
): ComparisonOutcome {
  const steps = comparing(before, after, options);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}
