import type { Pool } from 'pg';
import { getPool } from './database.ts';

type Entry<Value> = { at: number; value: Promise<Value> };
type Caches = Map<string, Map<string, Entry<unknown>>>;

// Next loads a module once a bundle layer: what a page's action forgets must be gone for the API's routes too.
const key = Symbol.for('roundtrip.kept');
const holder = globalThis as typeof globalThis & { [key]?: WeakMap<Pool, Caches> };

/** How long a value may be used (ms), and how many there may be; one more, and all are read again. */
type Options = { freshMs: number; most?: number };
const MOST = 1_000;

/** Values read from the database and kept in memory for a while: one set a process, a database and a name. */
export class Kept<Value> {
  readonly #name: string;
  readonly #options: Required<Options>;

  constructor(name: string, options: Options) {
    this.#name = name;
    this.#options = { most: MOST, ...options };
  }

  /** The value of `of`, read anew where it is older than `since` (ms since 1970). A read that fails is not kept. */
  get(of: string, read: () => Promise<Value>, since = 0): Promise<Value> {
    const cache = this.#cache();
    const found = cache.get(of);
    const age = found ? Date.now() - found.at : -1; // below 0 also where the clock was set back
    if (found && age >= 0 && age < this.#options.freshMs && found.at >= since) return found.value;
    const value = read();
    if (cache.size >= this.#options.most) cache.clear();
    cache.set(of, { at: Date.now(), value });
    value.catch(() => {
      if (cache.get(of)?.value === value) cache.delete(of);
    });
    return value;
  }

  /** Everything is read again at its next use. */
  forget(): void {
    this.#cache().clear();
  }

  #cache(): Map<string, Entry<Value>> {
    holder[key] ??= new WeakMap();
    const pool = getPool();
    const caches: Caches = holder[key].get(pool) ?? new Map();
    holder[key].set(pool, caches);
    const cache = caches.get(this.#name) ?? new Map();
    caches.set(this.#name, cache);
    return cache as Map<string, Entry<Value>>; // the name is that of one set, whose values are of one type
  }
}
