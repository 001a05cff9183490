import { medianOf } from '../detection/statistics.ts';
import type { Sides } from './measurement.ts';

// What the times of an incident would be without it: the level before × what series that it does not affect moved by meanwhile. Where that
// level is already the one of these hours of the day, it is what they moved by beyond their own usual day.

/** Results that a series needs on either side of the onset. */
export const LEAST_RESULTS = 5;
/** Series whose median says something: with two, one that is odd is half of it. */
export const LEAST_UNAFFECTED = 3;

/** `usual`: by what its usual level changes from the hours before to those since, 1 for not at all; null: not known. */
export type Unaffected = Sides & { usual: number | null };

/** What unaffected series moved by, 1 for not at all: the median of `siblings` series. */
export type Movement = { ratio: number; siblings: number };

/** Null where too few series have enough results, or a usual level. */
export function movementOf(unaffected: readonly Unaffected[]): Movement | null {
  const ratios = unaffected.flatMap(({ before, after, usual }) => {
    const [was, is] = [before, after].map((side) =>
      side.length < LEAST_RESULTS ? 0 : medianOf(side.map(({ ms }) => ms)),
    );
    return was && is && usual ? is / was / usual : [];
  });
  return ratios.length < LEAST_UNAFFECTED ? null : { ratio: medianOf(ratios), siblings: ratios.length };
}
