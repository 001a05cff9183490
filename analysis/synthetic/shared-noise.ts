import { Random } from './random.ts';

/**
 * Noise that several series share, by epoch seconds: mean 0, deviation about 1, remembered for about `memorySeconds`. Drawn at
 * knots from seed and time alone, so that every series sees the same at the same instant.
 */
export function sharedNoiseOf(seed: number, memorySeconds: number): (at: number) => number {
  const random = new Random(seed);
  let knot = Number.NaN;
  let left = 0;
  let right = 0;
  const valueAt = (index: number) => random.fork(`ripple ${index}`).normal();
  return (at) => {
    const position = at / memorySeconds;
    const index = Math.floor(position);
    if (index !== knot) {
      left = index === knot + 1 ? right : valueAt(index);
      right = valueAt(index + 1);
      knot = index;
    }
    const part = position - index;
    // Weights of two independent knots whose squares sum to 1 keep the deviation.
    return left * Math.cos((part * Math.PI) / 2) + right * Math.sin((part * Math.PI) / 2);
  };
}
