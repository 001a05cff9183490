/** A copy of the bytes as the plain ArrayBuffer that the ASN.1 library wants. */
export function toArrayBuffer(bytes: Uint8Array): ArrayBuffer {
  const copy = new ArrayBuffer(bytes.byteLength);
  new Uint8Array(copy).set(bytes);
  return copy;
}

/** Whether two runs of bytes are the same. */
export function sameBytes(one: ArrayBuffer | Uint8Array, other: ArrayBuffer | Uint8Array): boolean {
  return Buffer.from(new Uint8Array(one)).equals(Buffer.from(new Uint8Array(other)));
}

/** A DER element with a tag of one byte: where it ends, and its content. */
export type DerElement = { tag: number; content: Uint8Array; end: number };

/** Reads the element at `at`; null where it is cut short, indefinite, or 16 MB and more. Never throws. */
export function derElement(bytes: Uint8Array, at: number): DerElement | null {
  const tag = bytes[at];
  const first = bytes[at + 1];
  if (tag === undefined || first === undefined) return null;
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  if (first === 0x80 || lengthBytes > 3) return null;
  const start = at + 2 + lengthBytes;
  const length = lengthBytes === 0 ? first : bigEndian(bytes.subarray(at + 2, start));
  const end = start + length;
  return end > bytes.length ? null : { tag, content: bytes.subarray(start, end), end };
}

/** Whether the bytes are one element and nothing behind it. */
export function isOneElement(bytes: Uint8Array): boolean {
  return derElement(bytes, 0)?.end === bytes.length;
}

/** The bytes as one number; exact up to six of them. */
export function bigEndian(bytes: Uint8Array): number {
  return bytes.reduce((value, byte) => value * 256 + byte, 0);
}
