import { type DailyShape, valueAt } from '../baseline/daily-shape.ts';
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

const LEAST_RATE = 0.01;
const LEAST_EXCESS = Math.log(1.2);
const LEAST_MS = 4.5;
/** Half hours that make a level. */
const LEAST_KNOWN = 6;
/** Three standard deviations of a normal distribution, in mean distances. */
const REACH = 3 * Math.sqrt(Math.PI / 2);
/** Spread and rate are means over about so many samples; one sample counts as at most so many times the spread. */
const SPREAD_OVER = 300;
const RATE_OVER = 500;
const MOST_SPREADS = 6;

export function newPathWitness(): PathWitness {
  return { level: null, spread: 0.05, rate: LEAST_RATE };
}

/** Takes the level anew from a day's medians of half hours less the daily shape. */
export function refreshWitness(witness: PathWitness, flat: readonly number[]): void {
  witness.level = flat.length < LEAST_KNOWN ? null : medianOf(flat);
}

/** Whether a connect time (ms) is as high as in an incident, at a place of the day. */
export function pathIsHigh({ level, spread }: PathWitness, connect: number, shape: DailyShape, place: number): boolean {
  if (level === null) return false;
  const usual = level + valueAt(shape.value, place);
  const reach = Math.hypot(Math.max(LEAST_EXCESS, REACH * spread), 3 * valueAt(shape.spread, place));
  return Math.log(connect) > usual + reach && connect > Math.exp(usual) + LEAST_MS;
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
  witness.rate = Math.max(LEAST_RATE, rate + ((both ? 1 : 0) - rate) / RATE_OVER);
  if (level === null) return;
  const distance = Math.abs(Math.log(connect) - valueAt(shape.value, place) - level);
  witness.spread += (Math.min(distance, MOST_SPREADS * spread) - spread) / SPREAD_OVER;
}
