import { type Change, type Client, factsOf, type Prediction, whatIf } from '#analysis/what-if/what-if.ts';
import type { Result } from '#contract/result.ts';

/** The changes of `--what-if`, and the words in which they were given. */
export type WhatIf = { text: string; changes: Change[] };

export type Predictions = Record<Client, Prediction>;

/** What the changes would make of one sequence of Results; null where it is no base for a prediction. */
export function predictionOf(sequence: readonly Result[], { changes }: WhatIf): Predictions | null {
  const visit = visitOf(sequence);
  const end = visit.at(-1);
  const facts = end ? factsOf(end, visit.slice(0, -1)) : null;
  return facts && { api: whatIf(facts, changes, 'api'), browser: whatIf(facts, changes, 'browser') };
}

/** The main Result and the redirects that were followed. */
export function visitOf(sequence: readonly Result[]): Result[] {
  return sequence.filter(({ variant = 'main' }) => variant === 'main' || variant === 'redirect');
}
