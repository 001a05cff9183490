// Arrays that series keep for good, cut from large ones: an array of its own takes 360 bytes beside its numbers, a part of
// another one 100.

const SLAB_BYTES = 256 * 1_024;

let slab = new ArrayBuffer(0);
let used = 0;

function take(bytes: number): { buffer: ArrayBuffer; at: number } {
  if (bytes > SLAB_BYTES / 8) return { buffer: new ArrayBuffer(bytes), at: 0 };
  if (used + bytes > slab.byteLength) {
    slab = new ArrayBuffer(SLAB_BYTES);
    used = 0;
  }
  const at = used;
  used += Math.ceil(bytes / 8) * 8;
  return { buffer: slab, at };
}

/** So many numbers, 0 each; for as long as the process lives. */
export function floats(length: number): Float32Array {
  const { buffer, at } = take(length * Float32Array.BYTES_PER_ELEMENT);
  return new Float32Array(buffer, at, length);
}

/** So many bytes, 0 each; for as long as the process lives. */
export function bytes(length: number): Uint8Array {
  const { buffer, at } = take(length);
  return new Uint8Array(buffer, at, length);
}
