// Plain data with typed arrays as bytes: the length of a JSON text (four bytes, little-endian), the text, in which an array
// stands as its kind and length, and the arrays' bytes one after the other.

import { bytes, floats } from './history/slabs.ts';

/** Longer arrays of bytes are replaced when they grow: they are no part of another one. */
const LONGEST_OF_SLABS = 128;

const KINDS = {
  Float32Array: { size: 4, make: floats },
  Uint8Array: {
    size: 1,
    make: (length: number) => (length > LONGEST_OF_SLABS ? new Uint8Array(length) : bytes(length)),
  },
};
type Kind = keyof typeof KINDS;
type Placeholder = { array: Kind; length: number };

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** State as bytes. Plain numbers must be finite, typed arrays of the two kinds; what is named `transient` is left out. */
export function freeze(state: unknown): Uint8Array<ArrayBuffer> {
  const arrays: Uint8Array[] = [];
  const text = JSON.stringify(state, (key, value) => {
    if (key === 'transient') return undefined;
    if (!ArrayBuffer.isView(value)) return value;
    arrays.push(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
    const { name } = value.constructor;
    if (!Object.hasOwn(KINDS, name)) throw new TypeError(`a state has no ${name}`);
    return { array: name, length: (value as unknown as { length: number }).length };
  });
  const json = encoder.encode(text);
  const total = arrays.reduce((sum, { byteLength }) => sum + byteLength, 4 + json.length);
  const frozen = new Uint8Array(total);
  new DataView(frozen.buffer).setUint32(0, json.length, true);
  frozen.set(json, 4);
  let at = 4 + json.length;
  for (const array of arrays) {
    frozen.set(array, at);
    at += array.length;
  }
  return frozen;
}

/** What `freeze` was given, exactly. Throws an Error where the bytes are not of it. */
export function thaw<State>(frozen: Uint8Array): State {
  const length = new DataView(frozen.buffer, frozen.byteOffset, frozen.byteLength).getUint32(0, true);
  let at = 4 + length;
  const state = JSON.parse(decoder.decode(frozen.subarray(4, at)), (_key, value) => {
    if (!isPlaceholder(value)) return value;
    const { size, make } = KINDS[value.array];
    const array = make(value.length);
    const end = at + size * value.length;
    if (end > frozen.length) throw new RangeError('a frozen state ends before its arrays do');
    new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(frozen.subarray(at, end));
    at = end;
    return array;
  });
  return state;
}

function isPlaceholder(value: unknown): value is Placeholder {
  return typeof value === 'object' && value !== null && 'array' in value && 'length' in value;
}
