// Plain data with typed arrays as text.

const TYPED = { Uint8Array, Uint16Array, Int16Array, Int32Array, Uint32Array, Float32Array, Float64Array };
type TypedName = keyof typeof TYPED;
type Encoded = { typed: TypedName; base64: string };

/** State as JSON, typed arrays as base64 of their bytes (little-endian). Plain numbers must be finite. */
export function freeze(state: unknown): string {
  return JSON.stringify(state, (_key, value) => {
    if (!ArrayBuffer.isView(value)) return value;
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    return { typed: value.constructor.name, base64: bytes.toString('base64') };
  });
}

/** What `freeze` was given, exactly. Throws a SyntaxError where the text is not JSON. */
export function thaw<State>(frozen: string): State {
  return JSON.parse(frozen, (_key, value) => (isEncoded(value) ? decode(value) : value));
}

function isEncoded(value: unknown): value is Encoded {
  return typeof value === 'object' && value !== null && 'typed' in value && 'base64' in value;
}

function decode({ typed, base64 }: Encoded): ArrayBufferView {
  const bytes = Buffer.from(base64, 'base64');
  // A copy, since Buffer's pool is not aligned to the elements' size.
  return new TYPED[typed](new Uint8Array(bytes).buffer);
}
