import { tableOf } from '#analysis/comparison/attribution.ts';
import { type ComparisonOptions, comparing } from '#analysis/comparison/comparison.ts';
import type { Window } from '#analysis/comparison/pairs.ts';
import type { Sample } from '#analysis/comparison/sample.ts';
import type { ComparisonOutcome } from '#contract/comparison.ts';

/**
 * A comparison in one go, for who has nothing else to do meanwhile: the experiments and tests. Windows that are left out reach from the
 * first to the last sample of each side.
 */
export function compare(
  before: readonly Sample[],
  after: readonly Sample[],
  options: Partial<ComparisonOptions> = {},
): ComparisonOutcome {
  const steps = comparing(before, after, {
    windows: { before: extentOf(before), after: extentOf(after) },
    milestone: 'total',
    earlier: [],
    otherTargets: [],
    variants: [],
    otherChanges: [],
    predict: tableOf,
    ...options,
  });
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

function extentOf(samples: readonly Sample[]): Window {
  if (samples.length === 0) return { from: 0, to: 0 };
  return {
    from: samples.reduce((least, { at }) => Math.min(least, at), Infinity),
    to: samples.reduce((most, { at }) => Math.max(most, at), 0) + 1,
  };
}
