import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import { extract, pack } from 'tar-stream';
import { z } from 'zod';

// A backup is a tar, packed by zstd with a checksum over all of it: `manifest.json`; of each table, in the manifest's order, the
// bytes of a binary COPY in parts (`result.000001`, ...); `counts.json`, how many rows each had. A later format names its first
// entry otherwise.

export const MANIFEST = 'manifest.json';
export const COUNTS = 'counts.json';
/** No entry has more bytes: it is read into memory. */
export const MAX_ENTRY_BYTES = 16 * 1024 * 1024;

const name = z.string().regex(/^\w{1,63}$/);

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
const RowCounts = z.record(name, z.number().int());
export type RowCounts = z.infer<typeof RowCounts>;

/** What stands in the way of a backup or restore; `message` is a sentence for the person at the terminal. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/** An entry of a backup, whole. */
export type Entry = readonly [name: string, bytes: Buffer];

export const jsonBytes = (value: Manifest | RowCounts): Buffer => Buffer.from(JSON.stringify(value));

/** Writes a backup as fast as `to` takes it, and leaves `to` open: the caller may own it, as with standard output. */
export async function writeEntries(to: Writable, entries: AsyncIterable<Entry>): Promise<void> {
  const tar = pack();
  const fill = async () => {
    for await (const [name, bytes] of entries) await once(tar.entry({ name, mode: 0o600 }, bytes), 'close');
    tar.finalize();
  };
  const zstd = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } });
  await Promise.all([
    pipeline(tar, zstd, to, { end: false }),
    fill().catch((error: Error) => {
      tar.destroy(error);
      throw error;
    }),
  ]);
}

const none = () => new BackupError('this file is no backup that `roundtrip backup` of this version wrote');

/** The entries of a backup. They end where its checksum is right. Throws BackupError for what is none or not whole. */
export async function* readEntries(from: Readable): AsyncGenerator<Entry, void> {
  const zstd = createZstdDecompress();
  const tar = extract();
  // What goes wrong on the way is thrown where it is read.
  pipeline(from, zstd, tar).catch(() => {});
  try {
    for await (const entry of tar) {
      if (entry.header.size > MAX_ENTRY_BYTES)
        throw new BackupError(`the backup is damaged: ${entry.header.name} has ${entry.header.size} bytes`);
      const chunks: Buffer[] = [];
      for await (const chunk of entry) chunks.push(chunk as Buffer);
      yield [entry.header.name, Buffer.concat(chunks)];
    }
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    // Of zstd, or of tar-stream, whose errors have no code.
    if (error instanceof BackupError || !/^(Z.*)?$/.test(code)) throw error;
    // An empty file ends too early. Of one that is wrong in its first chunk nothing counts as read either.
    const isEmpty = code === 'Z_BUF_ERROR' && zstd.bytesWritten === 0;
    if (code === 'ZSTD_error_prefix_unknown' || isEmpty) throw none();
    throw new BackupError(`the backup is damaged or was cut short (${message})`);
  }
}

/** Reads a backup once, in its order: the manifest, the rows of each of its tables, the counts. All throw BackupError. */
export class BackupReader {
  readonly #entries: AsyncGenerator<Entry, void>;
  #next: Entry | undefined;

  constructor(from: Readable) {
    this.#entries = readEntries(from);
  }

  async manifest(): Promise<Manifest> {
    await this.#advance();
    if (this.#next?.[0] !== MANIFEST) throw none();
    return await this.#json(MANIFEST, Manifest);
  }

  /** The bytes of a table's binary COPY. */
  async *rows(table: string): AsyncGenerator<Buffer, void> {
    for (; this.#next && this.#next[0].split('.')[0] === table; await this.#advance()) yield this.#next[1];
  }

  /** Nothing follows them, and the checksum is right. */
  async counts(): Promise<RowCounts> {
    const counts = await this.#json(COUNTS, RowCounts);
    if (this.#next) throw new BackupError(`the backup is damaged: ${this.#next[0]} follows its end`);
    return counts;
  }

  /** Reads what is left to the end, checksum included. */
  async check(): Promise<void> {
    for (const { name } of (await this.manifest()).tables) for await (const _ of this.rows(name));
    await this.counts();
  }

  async #advance(): Promise<void> {
    this.#next = (await this.#entries.next()).value ?? undefined;
  }

  async #json<T>(name: string, shape: z.ZodType<T>): Promise<T> {
    const [found, bytes] = this.#next ?? ['its end'];
    if (found !== name) throw new BackupError(`the backup is damaged: ${found} stands where ${name} belongs`);
    await this.#advance();
    try {
      return shape.parse(JSON.parse(String(bytes)));
    } catch {
      throw new BackupError(`the backup is damaged: ${name} cannot be read`);
    }
  }
}
