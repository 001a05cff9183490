import { type DailyShape, valueAt } from '../baseline/daily-shape.ts';
import {
  excessFloor,
  excessFloorMs,
  jointRateFloor,
  rateMemory,
  sigmaLimit,
  variancePerMeanDeviation,
} from '../parameters.ts';
import { medianOf } from '../statistics.ts';

/**
 * TCP connect as a second witness of what TLS time shows: it holds neither resumptions nor the server's work, and loses
 * segments at another height. Logarithms less connect's daily shape.
 */
export type PathWitness = {
  /** Median of the last day since the last lasting change; null until that is known. */
  level: number | null;
  /** Mean distance of samples from it. */
  spread: number;
  /** How often both connect and TLS time are high outside incidents. */
  rate: number;
};

/** Three standard deviations of a normal distribution, in mean distances. */
const REACH = sigmaLimit * Math.sqrt(variancePerMeanDeviation);

export function newPathWitness(): PathWitness {
  return { level: null, spread: excessFloor / REACH, rate: jointRateFloor };
}

/** Recomputes the level from a day's medians of half hours less the daily shape. */
export function refreshWitness(witness: PathWitness, residual: readonly number[]): void {
  witness.level = residual.length === 0 ? null : medianOf(residual);
}

/** Whether a connect time (ms) is as high as in an incident, at a position of the day. */
export function isPathHigh({ level, spread }: PathWitness, tcp: number, shape: DailyShape, position: number): boolean {
  if (level === null) return false;
  const usual = level + valueAt(shape.value, position);
  const reach = Math.hypot(Math.max(excessFloor, REACH * spread), sigmaLimit * valueAt(shape.spread, position));
  // One round trip of two: half of what TLS time exceeds by.
  return Math.log(tcp) > usual + reach && tcp > Math.exp(usual) + excessFloorMs / 2;
}

/** Learns from a sample outside incidents, whose distance counts up to six mean distances; `both`: connect and TLS time were high. */
export function learnWitness(
  witness: PathWitness,
  tcp: number,
  shape: DailyShape,
  position: number,
  both: boolean,
): void {
  const { level, spread, rate } = witness;
  witness.rate = Math.max(jointRateFloor, rate + ((both ? 1 : 0) - rate) / rateMemory);
  if (level === null) return;
  const distance = Math.abs(Math.log(tcp) - valueAt(shape.value, position) - level);
  witness.spread += (Math.min(distance, 2 * sigmaLimit * spread) - spread) / rateMemory;
}
