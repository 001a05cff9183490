import { promisify } from 'node:util';
import { zstdCompress, zstdDecompressSync } from 'node:zlib';

// A checkpoint is stored in parts, each compressed by itself: the checkpoint that it is a difference from, then pieces, each after
// its length.

/** Bytes of one part before it is packed, on another thread: some 25 series, or 200 of which only differences are stored. */
export const PART_BYTES = 512 * 1_024;
/** So many pieces are written in a few milliseconds; then the event loop turns. */
const PIECES_AT_ONCE = 16;

const HEAD_BYTES = 8;
const WHOLE = -1;

const compress = promisify(zstdCompress);

/** Pieces, so many of them packed together that they are about a part. `follows`: null where they are whole. */
export async function* packed(
  pieces: Iterable<Uint8Array>,
  follows: number | null,
  partBytes: number,
): AsyncGenerator<Buffer> {
  let part: Uint8Array[] = [];
  let size = 0;
  for (const piece of pieces) {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(piece.length);
    part.push(length, piece);
    size += piece.length;
    if (part.length % (2 * PIECES_AT_ONCE) === 0) await new Promise(setImmediate);
    if (size < partBytes) continue;
    yield await compress(Buffer.concat([headOf(follows), ...part]));
    part = [];
    size = 0;
  }
  if (part.length > 0) yield await compress(Buffer.concat([headOf(follows), ...part]));
}

function headOf(follows: number | null): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeDoubleLE(follows ?? WHOLE);
  return head;
}

/** Which checkpoint the one of these parts is a difference from; null where it is whole. */
export function followedBy(parts: readonly Uint8Array[]): number | null {
  const [first] = parts;
  const bytes = first && zstdDecompressSync(first);
  if (!bytes) return null;
  const follows = bytes.readDoubleLE();
  return follows === WHOLE ? null : follows;
}

export function* piecesIn(parts: readonly Uint8Array[]): Generator<Uint8Array> {
  for (const part of parts) {
    const bytes = zstdDecompressSync(part);
    for (let at = HEAD_BYTES; at < bytes.length; ) {
      const length = bytes.readUInt32LE(at);
      yield new Uint8Array(bytes.buffer, bytes.byteOffset + at + 4, length);
      at += 4 + length;
    }
  }
}
