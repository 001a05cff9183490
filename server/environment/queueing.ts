/** Turns, of which so many are taken at once: first come, first served. */
export class Turns {
  readonly #most: number;
  #taken = 0;
  readonly #waiting = new Set<() => void>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Waits for a turn; false for who goes away before it has one (`signal`). */
  async take(signal?: AbortSignal): Promise<boolean> {
    if (signal?.aborted) return false;
    if (this.#taken < this.#most) {
      this.#taken += 1;
      return true;
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const leave = () => {
      this.#waiting.delete(begin);
      resolve(false);
    };
    const begin = () => {
      signal?.removeEventListener('abort', leave);
      resolve(true);
    };
    this.#waiting.add(begin);
    signal?.addEventListener('abort', leave, { once: true });
    return await promise;
  }

  /** Gives a turn to the next. */
  end(): void {
    const [next] = this.#waiting;
    if (next) {
      this.#waiting.delete(next);
      next();
    } else this.#taken -= 1;
  }
}

/** What is under way, for those who let it pass. */
export class Underway {
  #count = 0;
  readonly #waiting = new Set<() => void>();

  /** Notes that something begins, and returns what ends it. */
  begin(): () => void {
    this.#count += 1;
    return () => {
      this.#count -= 1;
      if (this.#count === 0) for (const go of this.#waiting) go();
    };
  }

  /** Waits until nothing is under way, and no longer than so many ms. */
  async letPass(mostMs: number): Promise<void> {
    if (this.#count === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    const timer = setTimeout(resolve, mostMs);
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(resolve);
  }
}
