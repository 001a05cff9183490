import { medianOf as medianOfNumbers } from '#contract/median.ts';
import type { Result } from '#contract/result.ts';
import type { Testbed } from './testbed.ts';

/** What was measured: Results by the name of the server's state, and other figures by theirs. */
export type Measured = { results: Record<string, Result[]>; figures: Record<string, number> };

/** One line of an experiment's table: what was published, what was measured here, and what the product says of it. */
export type Row = {
  /** What is measured, and in which state of the server. */
  what: string;
  /** As in the article; null where it has no such figure. */
  published: string | null;
  measured: string;
  /** What must come out. */
  expected: string;
  holds: boolean;
  /** The product's own sentences about the measurements of this row. */
  sentences: readonly string[];
};

/** A published experiment that can be done again. What is judged (`rowsOf`) is pure: recorded Results do as well. */
export type Seed = {
  title: string;
  source: string;
  /** What is not as in the article, one sentence each. */
  notes: readonly string[];
  /** `more`: what was measured before, to which it may add. */
  measure(testbed: Testbed, say: (text: string) => void, more?: Measured): Promise<Measured>;
  rowsOf(measured: Measured): Row[];
};

/** The Results of a state. Throws where it was not measured. */
export function resultsOf({ results }: Measured, state: string): Result[] {
  const found = results[state];
  if (!found) throw new Error(`state ${state} was not measured`);
  return found;
}

/** Probes a port so often. */
export async function probed(
  testbed: Testbed,
  port: number | undefined,
  times: number,
  settings: Parameters<Testbed['probe']>[1] = {},
): Promise<Result[]> {
  if (port === undefined) throw new Error('the server does not serve this state');
  const results: Result[] = [];
  for (let i = 0; i < times; i += 1) results.push(...(await testbed.probe(port, settings)));
  return results;
}

/** A figure of each Result that has it, as their median. Throws where none has. */
export function medianOf(results: readonly Result[], figure: (result: Result) => number | null | undefined): number {
  const median = medianOfNumbers(results.flatMap((result) => figure(result) ?? []));
  if (median === null) throw new Error('there is no median of nothing');
  return median;
}

/** `2,287 ms`. */
export const inMs = (value: number, digits = 0): string =>
  `${value.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: digits })} ms`;

/** `1 round trip`. */
export const inTrips = (count: number): string => `${count} round trip${count === 1 ? '' : 's'}`;
