import { promisify } from 'node:util';
import { zstdCompress, zstdDecompressSync } from 'node:zlib';
import { type Frozen, hasCurrentVersion } from '#analysis/detection/state.ts';
import { getPool, inTransaction } from '#server/database/database.ts';

// A checkpoint is all that the detector knew, stored in parts, each compressed by itself: pieces of the state, each after its length.

/** What the detector knew after the tick `seq`, which ended at `to` (seconds since 1970). The state can be resumed where it has the current version. */
export type Checkpoint = { seq: number; to: number; state: Frozen; hasCurrentVersion: boolean };

/** Bytes of one part before it is compressed, on another thread: some 25 series. */
const PART_BYTES = 512 * 1_024;
/** So many pieces are written in a few milliseconds; then the event loop turns. */
const PIECES_AT_ONCE = 16;

const compress = promisify(zstdCompress);

/**
 * Stores a checkpoint in the place of older ones: all of it or nothing. The state, as this version writes it, must stay as it is until
 * this is done: it is written while it is packed.
 */
export async function saveCheckpoint(
  { seq, to, state }: Omit<Checkpoint, 'hasCurrentVersion'>,
  partBytes = PART_BYTES,
): Promise<void> {
  // Without Prisma, which would make text of the bytes, on the event loop.
  await inTransaction(async (client) => {
    await client.query('delete from detector_checkpoint where seq <= $1', [seq]);
    let part = 0;
    for await (const bytes of packed(state, partBytes)) {
      await client.query('insert into detector_checkpoint (seq, part, "to", state) values ($1, $2, $3, $4)', [
        seq,
        part,
        to,
        bytes,
      ]);
      part += 1;
    }
  });
}

/** The newest checkpoint; null where there is none. Its state can be iterated once: parts are decompressed as they are read. */
export async function loadCheckpoint(): Promise<Checkpoint | null> {
  const { rows } = await getPool().query<{ seq: string; to: number; state: Buffer }>(
    `select seq, "to", state from detector_checkpoint where seq = (select max(seq) from detector_checkpoint) order by part`,
  );
  const [first] = rows;
  if (!first) return null;
  const parts = rows.map(({ state }) => state);
  return {
    seq: Number(first.seq),
    to: first.to,
    state: piecesIn(parts),
    hasCurrentVersion: hasCurrentVersion(piecesIn(parts)),
  };
}

/** Pieces, so many of them compressed together that they are about a part. */
async function* packed(pieces: Iterable<Uint8Array>, partBytes: number): AsyncGenerator<Buffer> {
  let part: Uint8Array[] = [];
  let size = 0;
  for (const piece of pieces) {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(piece.length);
    part.push(length, piece);
    size += piece.length;
    if (part.length % (2 * PIECES_AT_ONCE) === 0) await new Promise(setImmediate);
    if (size < partBytes) continue;
    yield await compress(Buffer.concat(part));
    part = [];
    size = 0;
  }
  if (part.length > 0) yield await compress(Buffer.concat(part));
}

function* piecesIn(parts: readonly Uint8Array[]): Generator<Uint8Array> {
  for (const part of parts) {
    const bytes = zstdDecompressSync(part);
    for (let at = 0; at < bytes.length; ) {
      const length = bytes.readUInt32LE(at);
      yield new Uint8Array(bytes.buffer, bytes.byteOffset + at + 4, length);
      at += 4 + length;
    }
  }
}
