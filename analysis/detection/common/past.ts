import {
  commonGreatest,
  commonNearSlots,
  commonPastLeast,
  commonSameSlots,
  commonWindow,
  halfHourCapacity,
  slotsPerDay,
} from '../parameters.ts';
import { ascending, madSigma, medianOf, quantileOf } from '../statistics.ts';

/** What a node moved by at the end of each of the last 8 days' half hours, at `slot % halfHourCapacity`; NaN where unknown. */
export type NodePast = { key: string; values: Float32Array; newest: number };

/** Nodes that were heard of within 8 days: those of deleted targets are dropped. */
export function livingPasts(pasts: readonly NodePast[], slot: number): NodePast[] {
  return pasts.filter(({ newest }) => slot - newest < halfHourCapacity);
}

export function newPast(key: string, slot: number): NodePast {
  return { key, values: new Float32Array(halfHourCapacity).fill(Number.NaN), newest: slot - 1 };
}

/** Puts a node's newest value; nothing is known of the slots that it missed. */
export function rememberIn(past: NodePast, slot: number, value: number): void {
  for (let missed = Math.max(past.newest + 1, slot - halfHourCapacity + 1); missed < slot; missed++)
    past.values[missed % halfHourCapacity] = Number.NaN;
  past.values[slot % halfHourCapacity] = value;
  past.newest = slot;
}

/** What nodes did from a slot on was a change that was told, and says nothing of what they do otherwise. */
export function forgetSince(pasts: readonly NodePast[], slot: number): void {
  for (const { values, newest } of pasts)
    for (let told = Math.max(slot, newest - halfHourCapacity + 1); told <= newest; told++)
      values[told % halfHourCapacity] = Number.NaN;
}

/**
 * What a node does when nothing happens, as logarithms: its robust standard deviation, the root of the mean square at the same
 * hours of other days, and what it seldom exceeds there [`commonGreatest`]. Null where too little of it is known.
 */
export type Noise = { robust: number; sameHours: number; greatest: number };

export function noiseOf({ values }: NodePast, slot: number): Noise | null {
  const past: number[] = [];
  const near: number[] = [];
  let squares = 0;
  let same = 0;
  for (let age = 2 * commonWindow; age < halfHourCapacity && slot - age >= 0; age++) {
    const value = values[(slot - age) % halfHourCapacity] as number;
    if (Number.isNaN(value)) continue;
    past.push(value);
    const apart = Math.abs(((age + slotsPerDay / 2) % slotsPerDay) - slotsPerDay / 2);
    if (apart <= commonNearSlots) near.push(Math.abs(value));
    if (apart > commonSameSlots) continue;
    squares += value * value;
    same += 1;
  }
  if (past.length < commonPastLeast || same === 0) return null;
  return {
    robust: madSigma(past, medianOf(past)),
    sameHours: Math.sqrt(squares / same),
    greatest: quantileOf(ascending(near), commonGreatest),
  };
}
