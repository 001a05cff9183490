import { Random as Draws } from '#analysis/synthetic/random.ts';

/** Numbers from 0 up to, but not reaching, 1. */
export type Random = () => number;

/** A seeded generator: the same seed gives the same numbers on every machine. */
export function seededRandom(seed: number): Random {
  const draws = new Draws(seed);
  return () => draws.next();
}

/** A 32-bit seed made from a text (FNV-1a), so that every place has numbers of its own. */
export function seedOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  return hash >>> 0;
}

/** A draw with this median and a heavy upper tail: about 1 in 40 exceeds `median * e^(2 * spread)`. */
export function heavyTailed(random: Random, median: number, spread: number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return median * Math.exp(spread * normal);
}
