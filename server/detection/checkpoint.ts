import { type Frozen, hasCurrentVersion } from '#analysis/detection/state.ts';
import { getPool, inTransaction } from '#server/database/database.ts';
import { followedBy, PART_BYTES, packed, piecesIn } from './checkpoint-parts.ts';
import { apply, differenceOf, type Fingerprint, fingerprintOf } from './pages.ts';

/** What the detector knew after the tick `seq`, which ended at `to` (seconds since 1970). The state can be resumed where it has the current version. */
export type Checkpoint = { seq: number; to: number; state: Frozen; late: number; hasCurrentVersion: boolean };

/** What goes into a checkpoint: a state as this version writes it. */
type NewCheckpoint = Omit<Checkpoint, 'state' | 'hasCurrentVersion'> & { state: Iterable<Uint8Array> };

/** Stores a whole checkpoint and removes the older ones: all of it or nothing. */
export async function saveCheckpoint(checkpoint: NewCheckpoint): Promise<void> {
  await new Checkpoints().save(checkpoint);
}

/**
 * Stores one checkpoint after the other: what has changed since the last one, or, where that was another's or differences
 * have come to as much as the whole, all of it.
 */
export class Checkpoints {
  #last: number | null = null;
  #fingerprints: Fingerprint[] = [];
  #wholeBytes = 0;
  #bytesSince = 0;
  readonly #partBytes: number;

  constructor(partBytes = PART_BYTES) {
    this.#partBytes = partBytes;
  }

  /**
   * Stores a checkpoint: all of it or nothing. The state must stay as it is until this is done: it is written while it is
   * packed.
   */
  async save({ seq, to, state, late }: NewCheckpoint): Promise<void> {
    const last = this.#bytesSince >= this.#wholeBytes ? null : this.#last;
    // Unless all of it is stored, what is remembered is of no stored checkpoint.
    this.#last = null;
    // Without Prisma, which would make text of the bytes, on the event loop.
    const bytes = await inTransaction(async (client) => {
      const { rows } = await client.query<{ seq: string | null }>(`select max(seq) as seq from detector_checkpoint`);
      const follows = last !== null && Number(rows[0]?.seq) === last && last < seq ? last : null;
      if (follows === null) await client.query(`delete from detector_checkpoint where seq <= $1`, [seq]);
      let parts = 0;
      let stored = 0;
      for await (const part of packed(this.#pieces(state, follows !== null), follows, this.#partBytes)) {
        await client.query(
          `insert into detector_checkpoint (seq, part, parts, "to", late, state) values ($1, $2, $2::int + 1, $3, $4, $5)`,
          [seq, parts, to, late, part],
        );
        parts += 1;
        stored += part.length;
      }
      await client.query(`update detector_checkpoint set parts = $2 where seq = $1`, [seq, parts]);
      if (follows === null) this.#wholeBytes = stored;
      return follows === null ? 0 : stored;
    });
    this.#bytesSince = bytes === 0 ? 0 : this.#bytesSince + bytes;
    this.#last = seq;
  }

  *#pieces(state: Iterable<Uint8Array>, asDifferences: boolean): Generator<Uint8Array> {
    let index = 0;
    for (const piece of state) {
      const now = fingerprintOf(piece);
      yield asDifferences ? differenceOf(piece, now, this.#fingerprints[index]) : piece;
      this.#fingerprints[index] = now;
      index += 1;
    }
  }
}

/**
 * The newest checkpoint that is complete with those it follows; null where there is none. Its state can be iterated once: parts are
 * decompressed as they are read.
 */
export async function loadCheckpoint(): Promise<Checkpoint | null> {
  const { rows } = await getPool().query<{ seq: string; to: number; late: string; state: Buffer }>(
    `select seq, "to", late, state from detector_checkpoint order by seq, part`,
  );
  const bySeq = Map.groupBy(rows, ({ seq }) => Number(seq));
  const partsBySeq = new Map([...bySeq].map(([seq, parts]) => [seq, parts.map(({ state }) => state)]));
  for (const seq of [...bySeq.keys()].reverse()) {
    const chain = await chainTo(seq, partsBySeq);
    const [first] = bySeq.get(seq) ?? [];
    if (chain === null || !first) continue;
    return {
      seq,
      to: first.to,
      state: piecesOf(chain),
      late: Number(first.late),
      hasCurrentVersion: hasCurrentVersion(piecesOf(chain)),
    };
  }
  return null;
}

/** The parts of a whole checkpoint and of the differences after it up to `seq`; null where one is missing. */
async function chainTo(seq: number, checkpoints: ReadonlyMap<number, Buffer[]>): Promise<Buffer[][] | null> {
  const chain: Buffer[][] = [];
  for (let at: number | null = seq; at !== null; ) {
    const parts: Buffer[] | undefined = checkpoints.get(at);
    if (!parts) return null;
    chain.unshift(parts);
    at = followedBy(parts);
    await new Promise(setImmediate);
  }
  return chain;
}

/** Pieces of a whole checkpoint as the differences after it have changed them, and those that are new in these. */
function* piecesOf(chain: Buffer[][]): Generator<Uint8Array> {
  const [first, ...rest] = chain.map((parts) => piecesIn(parts));
  for (;;) {
    let piece: Uint8Array | undefined = first?.next().value ?? undefined;
    for (const differences of rest) {
      const { value } = differences.next();
      if (value) piece = apply(value, piece);
    }
    if (piece === undefined) return;
    yield piece;
  }
}
