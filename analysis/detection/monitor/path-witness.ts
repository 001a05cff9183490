import { type DailyShape, valueAt } from '../baseline/daily-shape.ts';
import {
  excessFloor,
  jointRateFloor,
  jointRateMemory,
  sigmaLimit,
  variancePerMeanDeviation,
  witnessExcessFloorMs,
  witnessLeastSlots,
  witnessSpreadMemory,
  witnessSpreadPrior,
  witnessWinsor,
} from '../parameters.ts';
import { medianOf } from '../statistics.ts';

/**
 * Connect as a second witness of what TLS time shows: it holds neither resumptions nor the server's work, and loses
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
  return { level: null, spread: witnessSpreadPrior, rate: jointRateFloor };
}

/** Takes the level anew from a day's medians of half hours less the daily shape. */
export function refreshWitness(witness: PathWitness, flat: readonly number[]): void {
  witness.level = flat.length < witnessLeastSlots ? null : medianOf(flat);
}

/** Whether a connect time (ms) is as high as in an incident, at a place of the day. */
export function pathIsHigh({ level, spread }: PathWitness, connect: number, shape: DailyShape, place: number): boolean {
  if (level === null) return false;
  const usual = level + valueAt(shape.value, place);
  const reach = Math.hypot(Math.max(excessFloor, REACH * spread), sigmaLimit * valueAt(shape.spread, place));
  return Math.log(connect) > usual + reach && connect > Math.exp(usual) + witnessExcessFloorMs;
}

/** Learns from a sample outside incidents; `both`: connect and TLS time were high. */
export function teachWitness(
  witness: PathWitness,
  connect: number,
  shape: DailyShape,
  place: number,
  both: boolean,
): void {
  const { level, spread, rate } = witness;
  witness.rate = Math.max(jointRateFloor, rate + ((both ? 1 : 0) - rate) / jointRateMemory);
  if (level === null) return;
  const distance = Math.abs(Math.log(connect) - valueAt(shape.value, place) - level);
  witness.spread += (Math.min(distance, witnessWinsor * spread) - spread) / witnessSpreadMemory;
}
