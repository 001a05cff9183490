import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import { z } from 'zod';

// A backup is one file: a line that says what it is, then, packed by zstd with a checksum, frames of a length (32 bits, big
// endian) and so many bytes. First the manifest as JSON; then of each table in its order the bytes of a binary COPY, ended by
// a frame of length 0; at the end, as JSON, how many rows each table had. A file that was cut short has no end.

const MAGIC = 'roundtrip backup 1\n';
/** A frame may have so many bytes: COPY gives a row or a little more at a time. */
const MAX_FRAME = 1024 * 1024 * 1024;

const name = z.string().regex(/^\w{1,63}$/);

/** Partitions that a table does not have yet, or no longer: they are made aside and taken in, or out and dropped. */
export const STAGED = '_p[0-9]{8}$';

/** What a backup holds. Tables stand in an order in which each comes after those that its rows name. */
export const Manifest = z.object({
  /** Names of the migrations of the database, oldest first. */
  migrations: z.array(name).min(1),
  createdAt: z.iso.datetime(),
  tables: z.array(z.object({ name, columns: z.array(name).min(1) })),
  /** Partitions, by their bounds as PostgreSQL takes them. */
  partitions: z.array(z.object({ table: name, lower: z.string(), upper: z.string() })),
  sequences: z.array(z.object({ name, value: z.string().regex(/^\d+$/) })),
});
export type Manifest = z.infer<typeof Manifest>;

/** Rows by table. */
export const RowCounts = z.record(name, z.number().int());
export type RowCounts = z.infer<typeof RowCounts>;

/** The file is none, or not whole; `message` is a sentence for the person at the terminal. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/** Writes the frames of a backup; each call waits until there is room. */
export class BackupWriter {
  readonly #zstd = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } });
  readonly #done: Promise<unknown>;
  /** Rejects when nothing can be written any more. */
  readonly #failed: Promise<never>;
  readonly #to: Writable;

  constructor(to: Writable) {
    this.#to = to;
    to.write(MAGIC);
    this.#failed = new Promise((_, reject) => {
      for (const stream of [to, this.#zstd]) stream.once('error', reject);
    });
    this.#failed.catch(() => {});
    // Standard output stays open for whoever has it.
    this.#zstd.pipe(to, { end: false });
    this.#done = once(this.#zstd, 'end');
    this.#done.catch(() => {});
  }

  json(value: unknown): Promise<void> {
    return this.frame(Buffer.from(JSON.stringify(value)));
  }

  async frame(bytes: Buffer): Promise<void> {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(bytes.length);
    this.#zstd.write(head);
    if (!this.#zstd.write(bytes)) await Promise.race([once(this.#zstd, 'drain'), this.#failed]);
  }

  /** All that was written is with the system. */
  async finish(): Promise<void> {
    this.#zstd.end();
    await Promise.race([this.#done, this.#failed]);
    if (this.#to.writableNeedDrain) await Promise.race([once(this.#to, 'drain'), this.#failed]);
  }
}

/** Reads the frames of a backup one after the other. Throws BackupError for what is none. */
export async function* readFrames(from: Readable): AsyncGenerator<Buffer, void> {
  const bytes = new Pending();
  try {
    for await (const chunk of unpacked(from)) {
      bytes.add(chunk as Buffer);
      for (let frame = bytes.frame(); frame; frame = bytes.frame()) yield frame;
    }
  } catch (error) {
    if (error instanceof BackupError || !isZstdError(error)) throw error;
    throw new BackupError(`the backup is damaged or was cut short (${error.message})`);
  }
  if (bytes.length > 0) throw new BackupError('the backup was cut short');
}

/** Reads a backup to its end, with its checksum, and gives its manifest. Throws BackupError for what is none or not whole. */
export async function checkBackup(from: Readable): Promise<Manifest> {
  const frames = readFrames(from);
  const next = async () => (await frames.next()).value ?? undefined;
  const manifest = jsonOf(await next(), Manifest);
  for (const _ of manifest.tables) await skipTable(next);
  const counts = jsonOf(await next(), RowCounts);
  const missing = manifest.tables.find((table) => counts[table.name] === undefined);
  if (missing) throw new BackupError(`the backup is damaged: it does not say how many rows ${missing.name} has`);
  await expectEnd(next);
  return manifest;
}

/** Reads over the rows of a table. */
export async function skipTable(next: NextFrame): Promise<void> {
  for (;;) {
    const frame = await next();
    if (frame === undefined) throw new BackupError('the backup was cut short');
    if (frame.length === 0) return;
  }
}

/** The checksum is compared at the very end. */
export async function expectEnd(next: NextFrame): Promise<void> {
  if ((await next()) !== undefined) throw new BackupError('the backup is damaged: something follows its end');
}

/** The next frame of a backup; `undefined` at its end. */
export type NextFrame = () => Promise<Buffer | undefined>;

/** JSON of a frame; `undefined` is the end of the file. */
export function jsonOf<T>(frame: Buffer | undefined, shape: z.ZodType<T>): T {
  if (frame === undefined) throw new BackupError('the backup was cut short');
  const parsed = shape.safeParse(parseJson(frame));
  if (!parsed.success) throw new BackupError(`the backup is damaged: ${parsed.error.issues[0]?.message}`);
  return parsed.data;
}

function parseJson(frame: Buffer): unknown {
  try {
    return JSON.parse(frame.toString());
  } catch {
    throw new BackupError('the backup is damaged: a part of it is no JSON');
  }
}

/** What follows the first line, unpacked. */
function unpacked(from: Readable): Readable {
  const zstd = createZstdDecompress();
  // What goes wrong on the way is thrown where it is read.
  pipeline(packed(from), zstd).catch(() => {});
  return zstd;
}

async function* packed(from: Readable): AsyncGenerator<Buffer, void> {
  let start: Buffer | null = Buffer.alloc(0);
  for await (const chunk of from) {
    if (start === null) {
      yield chunk;
      continue;
    }
    start = Buffer.concat([start, chunk as Buffer]);
    if (start.length < MAGIC.length) continue;
    if (start.toString('latin1', 0, MAGIC.length) !== MAGIC) break;
    yield start.subarray(MAGIC.length);
    start = null;
  }
  if (start !== null) throw new BackupError('this file is no backup that `roundtrip backup` of this version wrote');
}

const isZstdError = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && /^(ZSTD_|Z_|ERR_ZSTD|ERR_ZLIB)/.test(String(error.code));

/** Bytes that were read and are no whole frame yet. */
class Pending {
  #parts: Buffer[] = [];
  length = 0;

  add(part: Buffer): void {
    this.#parts.push(part);
    this.length += part.length;
  }

  /** The next frame, null where it is not whole yet. */
  frame(): Buffer | null {
    if (this.length < 4) return null;
    const size = this.#join(4).readUInt32BE();
    if (size > MAX_FRAME) throw new BackupError('the backup is damaged: a part of it has no possible length');
    if (this.length < 4 + size) return null;
    const all = this.#join(4 + size);
    const frame = all.subarray(4, 4 + size);
    const rest = all.subarray(4 + size);
    this.#parts[0] = rest;
    this.length -= 4 + size;
    return frame;
  }

  /** The first part, made at least so long. */
  #join(size: number): Buffer {
    const [first] = this.#parts;
    if (first && first.length >= size) return first;
    const all = Buffer.concat(this.#parts);
    this.#parts = [all];
    return all;
  }
}
