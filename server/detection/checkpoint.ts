import { promisify } from 'node:util';
import { zstdCompress, zstdDecompressSync } from 'node:zlib';
import { currentState } from '#analysis/detection/state.ts';
import { getPrisma } from '#server/database/database.ts';

/** What the detector knew after the tick `seq`, which ended at `to` (seconds since 1970). */
export type Checkpoint = { seq: number; to: number; state: Iterable<string>; late: number };

/**
 * Characters of one part before it is packed. A series takes about sixty thousand: so many are written in a few milliseconds,
 * and between two parts, which are packed on another thread, the event loop turns.
 */
const PART_CHARACTERS = 1024 * 1024;

/**
 * Stores a checkpoint and removes the older ones: all of it or nothing. The state must stay as it is until this is done: it
 * is written while it is packed.
 */
export async function saveCheckpoint(
  { seq, to, state, late }: Checkpoint,
  partCharacters = PART_CHARACTERS,
): Promise<void> {
  await getPrisma().$transaction(
    async (tx) => {
      await tx.detectorCheckpoint.deleteMany({ where: { seq: { lte: seq } } });
      let parts = 0;
      for await (const bytes of packed(state, partCharacters)) {
        await tx.detectorCheckpoint.create({ data: { seq, part: parts, parts: parts + 1, to, late, state: bytes } });
        parts += 1;
      }
      await tx.detectorCheckpoint.updateMany({ where: { seq }, data: { parts } });
    },
    { timeout: 300_000 },
  );
}

/** Texts by their lines, so many of them packed together that they are about a part. */
async function* packed(texts: Iterable<string>, partCharacters: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let part: string[] = [];
  let characters = 0;
  for (const text of texts) {
    part.push(text);
    characters += text.length;
    if (characters < partCharacters) continue;
    yield await pack(part);
    part = [];
    characters = 0;
  }
  if (part.length > 0) yield await pack(part);
}

const compress = promisify(zstdCompress);

const pack = async (texts: string[]) => Uint8Array.from(await compress(Buffer.from(texts.join('\n'))));

function* unpacked(parts: readonly { state: Uint8Array }[]): Generator<string> {
  for (const { state } of parts) yield* zstdDecompressSync(state).toString().split('\n');
}

/** The newest checkpoint, its state to be gone through once; null where there is none. */
export async function loadCheckpoint(): Promise<Checkpoint | null> {
  const [newest] = await getPrisma().detectorCheckpoint.findMany({ orderBy: { seq: 'desc' }, take: 1 });
  if (!newest) return null;
  const parts = await getPrisma().detectorCheckpoint.findMany({
    where: { seq: newest.seq },
    orderBy: { part: 'asc' },
  });
  const state = currentState(unpacked(parts));
  return { seq: Number(newest.seq), to: newest.to, state, late: Number(newest.late) };
}
