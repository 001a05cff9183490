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

/**
 * What was made of the newest `limit` sequences of bytes. They are compared as they are, among those of the same length:
 * for the few that a prober meets again and again that takes a tenth of a hash's time.
 */
export class BytesCache<Value> {
  readonly #limit: number;
  readonly #byLength = new Map<number, { bytes: Buffer; value: Value }[]>();
  #count = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The value of the bytes, made now of an own copy of them where it is not kept. What `make` throws is not kept. */
  get(bytes: Uint8Array, make: (own: Buffer) => Value): Value {
    const known = this.#byLength.get(bytes.length)?.find((entry) => entry.bytes.equals(bytes));
    if (known) return known.value;
    const own = Buffer.from(bytes);
    const value = make(own);
    if (this.#count >= this.#limit) this.#dropOldest();
    const alike = this.#byLength.get(bytes.length);
    if (alike) alike.push({ bytes: own, value });
    else this.#byLength.set(bytes.length, [{ bytes: own, value }]);
    this.#count += 1;
    return value;
  }

  /** The oldest of the length that has been known longest. */
  #dropOldest(): void {
    for (const [length, entries] of this.#byLength) {
      entries.shift();
      if (entries.length === 0) this.#byLength.delete(length);
      this.#count -= 1;
      return;
    }
  }
}
