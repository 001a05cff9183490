import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { currentState } from '#analysis/detection/state.ts';
import { getPrisma } from '../database.ts';

/** What the detector knew after the tick `seq`, which ended at `to` (seconds since 1970). */
export type Checkpoint = { seq: number; to: number; state: string; late: number };

/** Bytes of one part: PostgreSQL takes up to a gigabyte in a field, but needs several times that to read it. */
const PART_BYTES = 16 * 1024 * 1024;

/** Stores a checkpoint and removes the older ones: all of it or nothing. */
export async function saveCheckpoint({ seq, to, state, late }: Checkpoint): Promise<void> {
  const packed = zstdCompressSync(Buffer.from(state));
  const parts = Math.ceil(packed.length / PART_BYTES);
  await getPrisma().$transaction(
    async (tx) => {
      await tx.detectorCheckpoint.deleteMany({ where: { seq: { lte: seq } } });
      for (let part = 0; part < parts; part++) {
        const bytes = Uint8Array.from(packed.subarray(part * PART_BYTES, (part + 1) * PART_BYTES));
        await tx.detectorCheckpoint.create({ data: { seq, part, parts, to, late, state: bytes } });
      }
    },
    { timeout: 120_000 },
  );
}

/** The newest checkpoint; null where there is none. */
export async function loadCheckpoint(): Promise<Checkpoint | null> {
  const [newest] = await getPrisma().detectorCheckpoint.findMany({ orderBy: { seq: 'desc' }, take: 1 });
  if (!newest) return null;
  const parts = await getPrisma().detectorCheckpoint.findMany({
    where: { seq: newest.seq },
    orderBy: { part: 'asc' },
  });
  const state = zstdDecompressSync(Buffer.concat(parts.map((part) => part.state))).toString();
  return { seq: Number(newest.seq), to: newest.to, state: currentState(state), late: Number(newest.late) };
}
