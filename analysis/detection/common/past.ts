import { commonGreatest, commonPastLeast, commonWindow, halfHourCapacity, slotsPerDay } from '../parameters.ts';
import { ascending, madSigma, medianOf, quantileOf } from '../statistics.ts';

/** What a node moved by at the end of each of the last 8 days' half hours, at `slot % halfHourCapacity`; NaN where unknown. */
export type NodePast = { key: string; values: Float32Array; newest: number };

/** The past of a node, with its newest value. */
export function remembered(pasts: NodePast[], key: string, slot: number, value: number): NodePast {
  let past = pasts.find((each) => each.key === key);
  if (!past) {
    past = { key, values: new Float32Array(halfHourCapacity).fill(Number.NaN), newest: slot - 1 };
    pasts.push(past);
  }
  for (let missed = Math.max(past.newest + 1, slot - halfHourCapacity + 1); missed < slot; missed++)
    past.values[missed % halfHourCapacity] = Number.NaN;
  past.values[slot % halfHourCapacity] = value;
  past.newest = slot;
  return past;
}

/** What nodes did from a slot on was a change that was told, and says nothing of what they do otherwise. */
export function forgetSince(pasts: readonly NodePast[], slot: number): void {
  for (const { values, newest } of pasts)
    for (let told = Math.max(slot, newest - halfHourCapacity + 1); told <= newest; told++)
      values[told % halfHourCapacity] = Number.NaN;
}

/**
 * What a node does when nothing happens, as logarithms: its robust standard deviation, the root of the mean square at the same
 * hours of other days, and what it seldom exceeds [`commonGreatest`]. Null where too little of it is known.
 */
export type Noise = { robust: number; sameHours: number; greatest: number };

export function noiseOf({ values }: NodePast, slot: number): Noise | null {
  const past: number[] = [];
  const same: number[] = [];
  for (let age = 2 * commonWindow; age < halfHourCapacity && slot - age >= 0; age++) {
    const value = values[(slot - age) % halfHourCapacity] as number;
    if (Number.isNaN(value)) continue;
    past.push(value);
    const apart = ((age + slotsPerDay / 2) % slotsPerDay) - slotsPerDay / 2;
    if (Math.abs(apart) <= 2) same.push(value);
  }
  if (past.length < commonPastLeast || same.length === 0) return null;
  const square = same.reduce((sum, value) => sum + value * value, 0) / same.length;
  return {
    robust: madSigma(past, medianOf(past)),
    sameHours: Math.sqrt(square),
    greatest: quantileOf(ascending(past.map(Math.abs)), commonGreatest),
  };
}
