import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { constants, createZstdDecompress, zstdCompress } from 'node:zlib';
import { cut } from './records.ts';

/**
 * Measured (docs/benchmarks.md): higher levels win a tenth of the bytes for four times the processor time, and larger
 * segments than 2 MiB, which is this level's window, win nothing.
 */
const LEVEL = 3;
/** Output of zlib a callback, in bytes: little work on the event loop at a time, and all that damage costs before it. */
const CHUNK_BYTES = 64 * 1024;
/** No segment unpacks to more than this, in bytes: what does is damaged. */
const MOST_CONTENT_BYTES = 64 * 1024 * 1024;
const DISK_BLOCK_BYTES = 4 * 1024;

const compress = promisify(zstdCompress);

/**
 * A file of records. `log`: as they were appended; `zst`: the same bytes compressed, with the number of records in the
 * name, so that a damaged file can be counted.
 */
export type Segment = {
  readonly number: number;
  form: 'log' | 'zst';
  /** Size of the file; of a log that is written to, up to the last write that has ended. */
  bytes: number;
  /** How many results were written to it; null until it has been read. */
  records: number | null;
};

/** What a file of this size takes of the disk. */
export function diskBytesOf({ bytes }: { bytes: number }): number {
  return Math.ceil(bytes / DISK_BLOCK_BYTES) * DISK_BLOCK_BYTES;
}

export function pathOf(directory: string, { number, form, records }: Segment): string {
  const name = String(number).padStart(12, '0');
  return join(directory, form === 'zst' ? `${name}.${records}.zst` : `${name}.log`);
}

/** The segments of the folder (made where it is not there), oldest first; clears away what a crash left half-made. */
export function listSegments(directory: string): Segment[] {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const segments = new Map<number, Segment>();
  // In this order a compressed file comes after the log that it was made of, and takes its place.
  for (const name of readdirSync(directory).sort(byForm)) {
    if (name.endsWith('.zst.new')) rmSync(join(directory, name), { force: true });
    const [, number, records = null, form] = /^(\d{12})(?:\.(\d{1,9}))?\.(log|zst)$/.exec(name) ?? [];
    if (number === undefined || (form === 'zst') !== (records !== null)) continue;
    const { size: bytes } = statSync(join(directory, name));
    const segment = {
      number: Number(number),
      form: form as Segment['form'],
      bytes,
      records: records && Number(records),
    };
    const double = segments.get(segment.number);
    if (double) rmSync(pathOf(directory, double), { force: true });
    segments.set(segment.number, segment as Segment);
  }
  return [...segments.values()].sort((a, b) => a.number - b.number);
}

const byForm = (a: string, b: string) => Number(a.endsWith('.zst')) - Number(b.endsWith('.zst'));

/** Makes a log to append to; rejects where there is one of that number. */
export async function createLog(directory: string, segment: Segment): Promise<FileHandle> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return await open(pathOf(directory, segment), 'ax', 0o600);
}

/** The records of a segment as they were appended; of a damaged compressed file what comes before the damage. */
export async function contentOf(directory: string, segment: Segment): Promise<Buffer> {
  const { form, bytes } = segment;
  const file = await readFile(pathOf(directory, segment));
  return form === 'zst' ? await unpack(file) : file.subarray(0, bytes);
}

/** The part of a log that is written to, from `start` on. */
export async function tailOf(directory: string, segment: Segment, start: number): Promise<Buffer> {
  const length = segment.bytes - start;
  if (length <= 0) return Buffer.alloc(0);
  await using file = await open(pathOf(directory, segment));
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, start);
  return buffer.subarray(0, bytesRead);
}

/** How many results a content holds from `start` on, torn ones included. */
export async function countRecords(content: Buffer, start = 0): Promise<number> {
  const { lines, torn } = await cut(content, start, Number.POSITIVE_INFINITY);
  return lines.length + torn;
}

/** A log's content compressed, in zlib's own threads: the event loop, which stamps arrivals, has nothing to do with it. */
export async function pack(content: Buffer): Promise<Buffer> {
  return await compress(content, {
    chunkSize: CHUNK_BYTES,
    params: { [constants.ZSTD_c_compressionLevel]: LEVEL, [constants.ZSTD_c_checksumFlag]: 1 },
  });
}

/** Writes a file and waits for the disk; leaves none behind where that fails. */
export async function writeSynced(path: string, data: Buffer): Promise<void> {
  try {
    await using file = await open(path, 'w', 0o600);
    await file.writeFile(data);
    await file.datasync();
  } catch (error) {
    await rm(path, { force: true }).catch(() => {});
    throw error;
  }
}

function unpack(data: Buffer): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const stream = createZstdDecompress({ chunkSize: CHUNK_BYTES });
  const done = () => {
    stream.destroy();
    resolve(Buffer.concat(chunks));
  };
  stream.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MOST_CONTENT_BYTES) done();
  });
  stream.once('error', done); // what came before the damage is kept: each record has a checksum of its own
  stream.once('end', done);
  stream.end(data);
  return promise;
}

/** Of a disk that is full or failing; other errors (no permission, not a folder) are for the operator to mend. */
export const isOfDisk = (error: unknown): boolean => ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'].includes(codeOf(error));

/** A segment that is not there or cannot be read from the disk is lost; with any other error it is read again later. */
export const isLost = (error: unknown): boolean => ['ENOENT', 'EIO'].includes(codeOf(error));

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
