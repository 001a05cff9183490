// How far one series has moved from its own last hours, and how much of it its path explains. TLS time is round trips and
// work: in logarithms it moves with the round trip, which TCP connect measures apart, by the share of it that round trips take. How
// large that share is, is seen every day: evenings lengthen both (`sharesOf`).

import type { DailyShape } from '../baseline/daily-shape.ts';
import {
  commonEveningAhead,
  commonPathAmplitude,
  commonPathPrior,
  commonReference,
  commonReferenceLeast,
  commonSlots,
  commonWindow,
  slotsPerDay,
} from '../parameters.ts';
import { heightOf, known, type Levels, residualsOf, shapeSpread } from '../series/levels.ts';
import { type SeriesState, tcpLevels, tlsLevels } from '../series/series.ts';
import { madSigma, meanOf, medianOf, quantileOf } from '../statistics.ts';

/**
 * How far something is from the level of its last hours, less its daily shape, as logarithms: first over the newest half hours
 * together, then in each of `commonSlots`, newest first; NaN where nothing was measured.
 */
export type Distances = Float64Array;

/** What one series moved by. */
export type Moved = {
  index: number;
  target: string;
  carrier: string;
  region: string;
  /** Of TLS time, and of TCP connect; null where too little of it is known. */
  tls: Distances;
  path: Distances | null;
  /** By what part of its path's logarithm that of TLS time moves, and how large the path's daily shape is. */
  share: number;
  amplitude: number;
  /** How far the daily shape may be off in the newest half hours or in the hours before, and how high it is there or soon after. */
  spread: number;
  height: number;
  /** Robust standard deviation of single half hours of the hours before. */
  sigma: number;
};

/** Null where too little is known, or nothing of the newest half hours. `since` is the first slot of its present level. */
export function movedOf(series: SeriesState, index: number, slot: number, since: number): Moved | null {
  const from = slot + 1 - commonReference - commonWindow;
  const levels = tlsLevels(series, slot);
  const pathLevels = tcpLevels(series, slot);
  const tls = distancesOf(levels, from, since);
  if (tls === null) return null;
  const path = distancesOf(pathLevels, from, since);
  const { target, carrier, country, region } = series.id;
  const newestFrom = slot + 1 - commonWindow;
  return {
    index,
    target,
    carrier: `${country}\n${carrier}`,
    region,
    tls: tls.distances,
    path: path?.distances ?? null,
    ...sharesOf(levels.shape, pathLevels.shape, path === null ? 0 : path.level - tls.level),
    spread: Math.max(shapeSpread(levels, from, newestFrom), shapeSpread(levels, newestFrom, slot + 1)),
    height: heightOf(levels, from, slot + 1 + commonEveningAhead),
    sigma: tls.sigma,
  };
}

type Known = { distances: Distances; level: number; sigma: number };

function distancesOf(levels: Levels, from: number, since: number): Known | null {
  const own = { ...levels, since: Math.max(levels.since, since) };
  const all = residualsOf(own, levels.table, from, levels.now + 1, 'calm');
  const newest = known(all.subarray(commonReference));
  const before = known(all.subarray(0, commonReference));
  if (newest.length < commonWindow || before.length < commonReferenceLeast) return null;
  const level = medianOf(before);
  const distances = new Float64Array(1 + commonSlots);
  distances[0] = meanOf(newest) - level;
  for (let age = 0; age < commonSlots; age++) distances[1 + age] = (all[all.length - 1 - age] as number) - level;
  return { distances, level, sigma: madSigma(before, level) };
}

/**
 * The slope of the daily shape of TLS time on that of the path, by least squares over a working day. Where the day is flat it
 * tells nothing: the path's part of TLS time, as if it were one round trip, is given the weight of a small evening [`commonPathPrior`].
 */
function sharesOf(tls: DailyShape, path: DailyShape, logPart: number): { share: number; amplitude: number } {
  const [own, other] = [tls.value, path.value];
  let ownMean = 0;
  let otherMean = 0;
  for (let at = 0; at < slotsPerDay; at++) {
    ownMean += (own[at] as number) / slotsPerDay;
    otherMean += (other[at] as number) / slotsPerDay;
  }
  let product = 0;
  let square = 0;
  for (let at = 0; at < slotsPerDay; at++) {
    const distance = (other[at] as number) - otherMean;
    product += distance * ((own[at] as number) - ownMean);
    square += distance * distance;
  }
  const oneTrip = Math.min(1, Math.exp(logPart));
  const share = (product + commonPathPrior * oneTrip) / (square + commonPathPrior);
  return { share: Math.max(0, Math.min(1, share)), amplitude: Math.sqrt(square) + commonPathAmplitude };
}

/** The medians of what several things moved by, where they are known. */
export function mediansOf(rows: readonly Distances[]): Distances {
  const first = rows[0] as Distances;
  if (rows.length === 1) return Float64Array.from(first);
  const column = new Float64Array(rows.length);
  return first.map((_, at) => {
    let count = 0;
    for (const row of rows) if (!Number.isNaN(row[at])) column[count++] = row[at] as number;
    return count === 0 ? Number.NaN : quantileOf(column.subarray(0, count).sort(), 0.5);
  });
}
