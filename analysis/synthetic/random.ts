/** Seeded draws (mulberry32): the same seed gives the same numbers on every machine. Nothing else in this folder is random. */
export class Random {
  readonly #seed: number;
  #state: number;
  #spare: number | null = null;

  constructor(seed: number) {
    this.#seed = seed >>> 0;
    this.#state = this.#seed;
  }

  /** A generator of its own for a named part, so that one more draw in one part changes no other part. */
  fork(name: string): this {
    let hash = 0x811c9dc5 ^ this.#seed;
    for (const char of name) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
    const Kind = this.constructor as new (seed: number) => this;
    return new Kind(Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d));
  }

  /** From 0 up to, but not reaching, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  uniform(low: number, high: number): number {
    return low + (high - low) * this.next();
  }

  /** An integer from `low` to `high`, both included. */
  integer(low: number, high: number): number {
    return low + Math.floor((high - low + 1) * this.next());
  }

  /** Mean 0, deviation 1 (Box-Muller, both of a pair are used). */
  normal(): number {
    if (this.#spare !== null) {
      const spare = this.#spare;
      this.#spare = null;
      return spare;
    }
    const radius = Math.sqrt(-2 * Math.log(1 - this.next()));
    const angle = 2 * Math.PI * this.next();
    this.#spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  }

  /** A factor around 1 with mean 1: `spread` is the deviation of its logarithm. */
  factor(spread: number): number {
    return Math.exp(spread * this.normal() - (spread * spread) / 2);
  }

  exponential(mean: number): number {
    return -mean * Math.log(1 - this.next());
  }
}
