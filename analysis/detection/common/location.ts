// What many series moved by together: a mean weighted by how quiet each of them is, in which none counts by more than its own noise.

import { commonEveningPart, commonReferenceLeast, commonWindow, commonWinsor } from '../parameters.ts';
import { madSigma, meanOf, medianOf } from '../statistics.ts';
import { type Distances, mediansOf } from './moved.ts';

/** Below this a deviation is one of numbers that are all the same, logarithm. */
const LEAST_SIGMA = 1e-6;

/**
 * One step from the medians to Huber's location (1964), by the precision of each row. `sigmas` are standard deviations of the rows' single half
 * hours, known from few of them: each is averaged with the usual one.
 */
export function locationsOf(rows: readonly Distances[], sigmas: readonly number[]): Distances {
  const middle = mediansOf(rows);
  const usual = medianOf(sigmas);
  const own = sigmas.map((sigma) => Math.max(LEAST_SIGMA, Math.sqrt((sigma * sigma + usual * usual) / 2)));
  return middle.map((median, at) => {
    const most = commonWinsor * Math.sqrt(1 / (at === 0 ? commonWindow : 1) + 1 / commonReferenceLeast);
    let sum = 0;
    let weights = 0;
    for (let index = 0; index < rows.length; index++) {
      const value = (rows[index] as Distances)[at] as number;
      if (Number.isNaN(value)) continue;
      const sigma = own[index] as number;
      const weight = 1 / (sigma * sigma);
      sum += weight * Math.max(-most * sigma, Math.min(most * sigma, value - median));
      weights += weight;
    }
    return weights === 0 ? median : median + sum / weights;
  });
}

/** The means of what several things moved by, where they are known. */
export function meansOf(rows: readonly Distances[]): Distances {
  const [first] = rows as [Distances];
  return first.map((_, at) => meanOf(rows.map((row) => row[at] as number).filter((value) => !Number.isNaN(value))));
}

/**
 * Rows less what is in proportion to their evenings: a carrier's evening that is higher or earlier than others lengthens each path by a part of the path's usual
 * evening, and a step does not. The slope is fitted in each half hour by itself, by ridge regression: what is known of it beforehand is that it is nothing, to the part
 * [`commonEveningPart`] of `most`, by which the evening may deviate at this hour. `left` is what part of that may still be in the rows.
 */
export function lessEvenings(
  rows: readonly Distances[],
  evenings: readonly number[],
  most: number,
): { rows: Distances[]; left: number } {
  const usual = meanOf(evenings);
  const square = evenings.reduce((sum, evening) => sum + (evening - usual) ** 2, 0);
  const flattened = rows.map((row) => Float64Array.from(row));
  let left = 1;
  const [first] = rows as [Distances];
  for (let at = 0; at < first.length; at++) {
    const values = rows.map((row) => row[at] as number);
    const known = values.filter((value) => !Number.isNaN(value));
    const median = medianOf(known);
    const sigma = Math.max(LEAST_SIGMA, madSigma(known, median));
    const prior = ((sigma * usual) / (commonEveningPart * most)) ** 2;
    let product = 0;
    values.forEach((value, index) => {
      if (Number.isNaN(value)) return;
      const moved = Math.max(-commonWinsor * sigma, Math.min(commonWinsor * sigma, value - median));
      product += ((evenings[index] as number) - usual) * moved;
    });
    const slope = product / (square + prior) || 0;
    if (at === 0) left = Math.sqrt(prior / (square + prior) || 1);
    flattened.forEach((row, index) => {
      row[at] = (row[at] as number) - slope * (evenings[index] as number);
    });
  }
  return { rows: flattened, left };
}
