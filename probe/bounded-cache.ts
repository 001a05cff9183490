import { hash } from 'node:crypto';

/** The lower-case hexadecimal SHA-256 of some bytes. */
export function sha256Of(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

/** What was made of the newest `limit` keys; the oldest goes when a further one comes. */
export class BoundedCache<Value> {
  readonly #limit: number;
  readonly #kept = new Map<string, Value>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The value of the key, made now where it is not kept. What `make` throws is not kept. */
  get(key: string, make: () => Value): Value {
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const made = make();
    if (this.#kept.size >= this.#limit) this.#kept.delete(this.#kept.keys().next().value ?? '');
    this.#kept.set(key, made);
    return made;
  }
}
