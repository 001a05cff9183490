import { readFileSync, statSync } from 'node:fs';

const CHECK_EVERY_MS = 5_000;

/**
 * What a small file of the system says, read at once and rarely: through the thread pool it would cost a look-up more than
 * the query of a resolver. A file that cannot be read says what an empty one does.
 */
export class KnownFile<T> {
  readonly #path: string;
  readonly #parse: (text: string) => T;
  #known: T;
  #modifiedAt = Number.NaN;
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(path: string, parse: (text: string) => T) {
    this.#path = path;
    this.#parse = parse;
    this.#known = parse('');
  }

  /** As the file was 5 s ago at the latest. */
  get(): T {
    if (performance.now() - this.#checkedAt > CHECK_EVERY_MS) this.#refresh();
    return this.#known;
  }

  #refresh(): void {
    this.#checkedAt = performance.now();
    try {
      const { mtimeMs } = statSync(this.#path);
      if (mtimeMs === this.#modifiedAt) return;
      this.#known = this.#parse(readFileSync(this.#path, 'utf8'));
      this.#modifiedAt = mtimeMs;
    } catch {
      this.#known = this.#parse('');
      this.#modifiedAt = Number.NaN;
    }
  }
}
