import { onceAProcess } from '#server/environment/once-a-process.ts';
import { openDatabase } from './database.ts';

/** `next` is under way in place of a value that is no longer fresh. */
type Entry<Value> = { at: number; value: Promise<Value>; next?: Promise<unknown> };
type Caches = Map<string, Map<string, Entry<unknown>>>;

/** By database: what a page's action forgets must be gone for the API's routes too. */
const kept = onceAProcess('kept', () => new WeakMap<object, Caches>());

/**
 * How long a value may be used (ms), and how many there may be; one more, and all are read again. Until `staleMs` a value is still
 * used, and read again meanwhile: for what takes long to read.
 */
type Options = { freshMs: number; staleMs?: number; most?: number };
const MOST = 1_000;

/** Values read from the database and kept in memory for a while: one set a process, a database and a name. */
export class TimedCache<Value> {
  readonly #name: string;
  readonly #options: Required<Options>;

  constructor(name: string, options: Options) {
    this.#name = name;
    this.#options = { most: MOST, staleMs: options.freshMs, ...options };
  }

  /** The value of `of`, read again where it is older than `since` (ms since 1970). A read that fails is not kept. */
  get(of: string, read: () => Promise<Value>, since = 0): Promise<Value> {
    const cache = this.#cache();
    const found = cache.get(of);
    const age = found ? Date.now() - found.at : -1; // below 0 also where the clock was set back
    const { freshMs, staleMs } = this.#options;
    if (found && age >= 0 && age < staleMs && found.at >= since) {
      if (age >= freshMs) found.next ??= this.#renew(cache, of, found, read);
      return found.value;
    }
    const value = read();
    this.#roomy().set(of, { at: Date.now(), value });
    value.catch(() => {
      if (cache.get(of)?.value === value) cache.delete(of);
    });
    return value;
  }

  /** The value of `of` where it is fresh, for those who read it together with something else. */
  async fresh(of: string): Promise<Value | undefined> {
    const found = this.#cache().get(of);
    const age = found ? Date.now() - found.at : -1;
    return found && age >= 0 && age < this.#options.freshMs ? await found.value : undefined;
  }

  /** Keeps what was read. */
  put(of: string, value: Value): void {
    this.#roomy().set(of, { at: Date.now(), value: Promise.resolve(value) });
  }

  /** Puts a new value in the place of `old` once it is read; one that fails leaves the old one, for another try. */
  async #renew(
    cache: Map<string, Entry<Value>>,
    of: string,
    old: Entry<Value>,
    read: () => Promise<Value>,
  ): Promise<void> {
    const at = Date.now();
    try {
      const value = await read();
      if (cache.get(of) === old) cache.set(of, { at, value: Promise.resolve(value) });
    } catch {
      delete old.next;
    }
  }

  /** Everything is read again at its next use. */
  forget(): void {
    this.#cache().clear();
  }

  /** The cache with room for one more. */
  #roomy(): Map<string, Entry<Value>> {
    const cache = this.#cache();
    if (cache.size >= this.#options.most) cache.clear();
    return cache;
  }

  #cache(): Map<string, Entry<Value>> {
    const caches: Caches = kept().get(openDatabase()) ?? new Map();
    kept().set(openDatabase(), caches);
    const cache = caches.get(this.#name) ?? new Map();
    caches.set(this.#name, cache);
    return cache as Map<string, Entry<Value>>; // the name is that of one set, whose values are of one type
  }
}
