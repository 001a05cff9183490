import { Random as Draws } from '#analysis/synthetic/random.ts';

/** Draws of what a world is planned by, beside those that its samples are made of. */
export class Random extends Draws {
  /** Evenly spread over orders of magnitude; both ends above 0. */
  logUniform(low: number, high: number): number {
    return low * (high / low) ** this.next();
  }

  /** How many of a process with this mean count happen. */
  poisson(mean: number): number {
    let count = 0;
    for (let passed = this.exponential(1); passed < mean; passed += this.exponential(1)) count += 1;
    return count;
  }

  pick<T>(choices: readonly T[]): T {
    const choice = choices[Math.floor(this.next() * choices.length)];
    if (choice === undefined) throw new Error('nothing to pick from');
    return choice;
  }

  /** `count` different ones, in the order given; all when there are fewer. */
  some<T>(choices: readonly T[], count: number): T[] {
    const left = choices.map((choice, index) => ({ choice, index, key: this.next() }));
    left.sort((a, b) => a.key - b.key);
    return left
      .slice(0, count)
      .sort((a, b) => a.index - b.index)
      .map(({ choice }) => choice);
  }
}
