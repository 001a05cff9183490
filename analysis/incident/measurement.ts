// Why an incident is what it is, from what its results measured: `shares.ts` splits the excess, `cause.ts` says what follows, `where.ts`
// which dimensions hold it. All three work on measurements, the little that they need of a Result.

import type { ExplainedDimension } from '#contract/explanation.ts';

/** Where, and under which settings, a result was measured; what could not be seen is left out. */
export type Dimensions = Partial<Record<ExplainedDimension, string>>;

/** What is needed of one successful Result; times in ms, null for what it does not tell. */
export type Measurement = {
  /** The time that the incident is about. */
  ms: number;
  /** One round trip, as the connection's first packets took it. */
  rttMs: number | null;
  /** Round trips that `ms` holds, and how many would be expected; `trips` is null where they could not be counted. */
  trips: number | null;
  expectedTrips: number | null;
  resumed: boolean;
  helloRetry: boolean;
  /** Segments of the connection were lost, or its SYN was. */
  lost: boolean;
  synRepeated: boolean;
  /** How much of it may be the prober's own delay. */
  lateMs: number;
  /** What the answer to the request took beyond its round trips: work at the server outside the handshake. */
  answerMs: number | null;
  dimensions: Dimensions;
};

/** Results of one series (a target at a vantage), before the onset and since. */
export type Sides = { before: readonly Measurement[]; after: readonly Measurement[] };

/** How much each of the sorted values counts in the mean of the middle half: the mean of what is between the quartiles. */
export function middleWeights(count: number): number[] {
  return Array.from({ length: count }, (_, i) =>
    Math.max(0, Math.min((i + 1) / count, 0.75) - Math.max(i / count, 0.25)),
  ).map((weight) => weight * 2);
}
