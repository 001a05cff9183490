import { promisify } from 'node:util';
import { zstdCompress, zstdDecompressSync } from 'node:zlib';
import { currentState, type Frozen } from '#analysis/detection/state.ts';
import { getPool, inTransaction } from '#server/database/database.ts';

/** What the detector knew after the tick `seq`, which ended at `to` (seconds since 1970). */
export type Checkpoint = { seq: number; to: number; state: Frozen; late: number };

/**
 * Bytes of one part before it is packed. A series takes some 20,000: so many are written in a few milliseconds, and between two
 * parts, which are packed on another thread, the event loop turns.
 */
const PART_BYTES = 512 * 1_024;

/** What goes into a checkpoint: a state as this version writes it. */
type NewCheckpoint = Omit<Checkpoint, 'state'> & { state: Iterable<Uint8Array> };

/**
 * Stores a checkpoint and removes the older ones: all of it or nothing. The state must stay as it is until this is done: it
 * is written while it is packed.
 */
export async function saveCheckpoint({ seq, to, state, late }: NewCheckpoint, partBytes = PART_BYTES): Promise<void> {
  // Without Prisma, which would make text of the bytes, on the event loop.
  await inTransaction(async (client) => {
    await client.query('delete from detector_checkpoint where seq <= $1', [seq]);
    let parts = 0;
    for await (const bytes of packed(state, partBytes)) {
      await client.query(
        `insert into detector_checkpoint (seq, part, parts, "to", late, state) values ($1, $2, $2::int + 1, $3, $4, $5)`,
        [seq, parts, to, late, bytes],
      );
      parts += 1;
    }
    await client.query('update detector_checkpoint set parts = $2 where seq = $1', [seq, parts]);
  });
}

/** A part begins with it; one of an earlier version, which is of text, with a brace. */
const MARK = 1;

/** Pieces one after the other, each after its length (four bytes), so many of them packed together that they are about a part. */
async function* packed(pieces: Iterable<Uint8Array>, partBytes: number): AsyncGenerator<Buffer> {
  let part: Uint8Array[] = [Uint8Array.of(MARK)];
  let size = 0;
  for (const piece of pieces) {
    part.push(lengthOf(piece), piece);
    size += piece.length;
    if (size < partBytes) continue;
    yield await pack(part);
    part = [Uint8Array.of(MARK)];
    size = 0;
  }
  if (size > 0) yield await pack(part);
}

function lengthOf({ length }: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(length);
  return bytes;
}

const compress = promisify(zstdCompress);

const pack = async (pieces: Uint8Array[]) => await compress(Buffer.concat(pieces));

/** The pieces of a state, one by one. */
function unpacked(parts: readonly { state: Uint8Array }[]): Frozen {
  const [first] = parts;
  const isText = first !== undefined && zstdDecompressSync(first.state)[0] !== MARK;
  return isText ? textsIn(parts) : piecesIn(parts);
}

function* textsIn(parts: readonly { state: Uint8Array }[]): Generator<string> {
  for (const { state } of parts) yield* zstdDecompressSync(state).toString().split('\n');
}

function* piecesIn(parts: readonly { state: Uint8Array }[]): Generator<Uint8Array> {
  for (const { state } of parts) {
    const bytes = zstdDecompressSync(state);
    for (let at = 1; at < bytes.length; ) {
      const length = bytes.readUInt32LE(at);
      yield new Uint8Array(bytes.buffer, bytes.byteOffset + at + 4, length);
      at += 4 + length;
    }
  }
}

/** The newest checkpoint, its state to be gone through once; null where there is none. */
export async function loadCheckpoint(): Promise<Checkpoint | null> {
  const { rows } = await getPool().query<{ seq: string; to: number; late: string; state: Buffer }>(
    `select seq, "to", late, state from detector_checkpoint
      where seq = (select max(seq) from detector_checkpoint) order by part`,
  );
  const [first] = rows;
  if (!first) return null;
  return { seq: Number(first.seq), to: first.to, state: currentState(unpacked(rows)), late: Number(first.late) };
}
