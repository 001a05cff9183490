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
