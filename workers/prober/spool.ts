/**
 * Results on disk until the server has them. The life of a result:
 *
 * 1. In memory: `append` frames it as a record (records.ts: separator, CRC-32, JSON, newline) and queues it. Every FLUSH_MS the
 *    queue is appended to the newest segment, `<number>.log`, and synced: from here on a kill -9 or a power cut costs nothing.
 *    While the disk takes nothing (full, read-only, failing) results stay in the queue, at most MEMORY_BYTES of them, and
 *    uploads go on from there; the next flush that succeeds brings them to the disk, in order.
 * 2. On disk: a log of SEGMENT_BYTES is closed and compressed as `<number>.<records>.zst`. The bound counts what the files
 *    take of the disk; beyond it the oldest segment goes, and its results are counted as dropped.
 * 3. Read, the oldest first, each record against its checksum: a torn or flipped one is counted and never delivered, and reading
 *    goes on with the next. Of a damaged .zst what comes before the damage is delivered and the rest counted, by its name.
 * 4. Acknowledged: a segment of which nothing is left is deleted at once, the newest too, so that the spool is empty while the
 *    server keeps up. Within a segment the file `position` says how far the server has answered. It may be behind, after a
 *    crash or on a full disk: then results go out again, and the server counts them once.
 *
 * A number is never used twice, and a process never appends to a segment of an earlier one.
 */
import { renameSync } from 'node:fs';
import { type FileHandle, rm } from 'node:fs/promises';
import { Losses } from './losses.ts';
import { readPosition, writePosition } from './position.ts';
import { cut, toRecord } from './records.ts';
import {
  contentOf,
  countRecords,
  createLog,
  diskBytesOf,
  isLost,
  isOfDisk,
  listSegments,
  pack,
  pathOf,
  type Segment,
  tailOf,
  writeSynced,
} from './segments.ts';
import { Unwritten } from './unwritten.ts';

/** How often buffered results go to the disk, in ms; a kill -9 loses what is younger. */
export const FLUSH_MS = 500;
/** Most bytes of results kept in memory while the disk takes none. */
export const MEMORY_BYTES = 32 * 1024 * 1024;
/** Most bytes on disk where no other bound is given. */
export const DEFAULT_SPOOL_BYTES = 1024 * 1024 * 1024;
const SEGMENT_BYTES = 2 * 1024 * 1024;
/** Most bytes of one write: a full disk refuses this much at a time. */
const WRITE_BYTES = 256 * 1024;
/** A segment that could not be compressed is tried again after so long (ms). */
const COMPRESS_AGAIN_MS = 10_000;
/** In place of a segment's number in a batch that comes from memory; segments count from 1. */
const MEMORY = 0;

export type SpoolOptions = {
  directory: string;
  /** Most bytes of disk the segments take. */
  maxBytes?: number | undefined;
  /** Most bytes of results in memory while the disk takes none. */
  memoryBytes?: number;
  segmentBytes?: number;
  /** Called with a sentence when results are lost, and when the disk stops or begins to take them. */
  warn?(message: string): void;
};
/** Results (JSON, one a line) from one segment or from memory, oldest first; `acknowledge` takes it back whole. */
export type SpoolBatch = { lines: string[]; segment: number; end: number; torn: number };

/** Results until the server has them: bounded, on disk or (while that is full) in memory, read from the oldest on. */
export class Spool {
  readonly #options: Required<Omit<SpoolOptions, 'maxBytes'>> & { maxBytes: number };
  readonly #losses: Losses;
  readonly #timer: NodeJS.Timeout;

  readonly #unwritten = new Unwritten();
  /** The disk takes nothing; whether a warning said so. */
  #refusal: { warned: boolean } | null = null;

  /** Oldest first. With `#file` open the last one is written to. */
  #segments: Segment[] = [];
  #diskBytes = 0;
  #file: FileHandle | undefined;
  #lastNumber = 0;
  /** Up to where the server has the first segment's content, and how many records that is. */
  #offset = 0;
  #taken = 0;
  /** The first segment's content, once it is closed and being read. */
  #content: { segment: Segment; bytes: Buffer } | undefined;

  /** What changes segments runs one after another; so does what only follows an acknowledgement. */
  #changing: Promise<unknown> = Promise.resolve();
  #tidying = Promise.resolve();
  #positionWaits = false;
  #compressing: Promise<void> | undefined;
  #compressAfter = 0;
  #closed = false;

  /** Throws where the folder cannot be made or read, unless the disk is full or failing: then memory has to do. */
  constructor(options: SpoolOptions) {
    const { maxBytes = DEFAULT_SPOOL_BYTES } = options;
    const segmentBytes = Math.min(options.segmentBytes ?? SEGMENT_BYTES, Math.ceil(maxBytes / 8));
    this.#options = { memoryBytes: MEMORY_BYTES, warn: () => {}, ...options, maxBytes, segmentBytes };
    this.#losses = new Losses(this.#options.warn);
    try {
      this.#segments = listSegments(options.directory);
    } catch (error) {
      if (!isOfDisk(error)) throw error;
      this.#refuse(error);
    }
    this.#diskBytes = this.#segments.reduce((sum, segment) => sum + diskBytesOf(segment), 0);
    this.#readPosition();
    this.#timer = setInterval(() => void this.flush(), FLUSH_MS);
    this.#compressClosed();
  }

  /** What was lost. */
  get counts(): Losses['counts'] {
    return this.#losses.counts;
  }

  /** Takes a Result, as JSON. */
  append(line: string): void {
    const gone = this.#unwritten.add(toRecord(line), this.#options.memoryBytes);
    if (gone > 0) this.#losses.lose('droppedFromMemory', gone);
  }

  /** Bytes that results take which no server has confirmed: of the disk, compressed or not, and of memory. */
  get pendingBytes(): number {
    return this.#diskBytes + this.#unwritten.bytes;
  }

  /** Results that no server has confirmed; without end where a segment of an earlier process has not been counted. */
  get unconfirmed(): number {
    const onDisk = this.#segments.reduce((sum, { records }) => sum + (records ?? Number.POSITIVE_INFINITY), 0);
    return onDisk - this.#taken + this.#unwritten.count;
  }

  /** Results in memory because the disk takes none. */
  get inMemory(): number {
    return this.#refusal ? this.#unwritten.count : 0;
  }

  /** Writes what is queued and waits for the disk. Never rejects: what the disk refuses stays in memory. */
  flush(): Promise<void> {
    return this.#change(() => this.#write());
  }

  /** The oldest results, `max` at most, or null when there are none. */
  async read(max: number): Promise<SpoolBatch | null> {
    for (let segment = this.#segments[0]; segment; segment = this.#segments[0]) {
      const active = this.#isActive(segment);
      const offset = this.#offset;
      const content = await (active
        ? this.#readable(segment, () => tailOf(this.#options.directory, segment, offset))
        : this.#contentOf(segment));
      if (content === null) return null;
      const base = active ? offset : 0;
      const { lines, end, torn } = await cut(content, offset - base, max);
      if (segment !== this.#segments[0] || offset !== this.#offset) continue; // dropped by the bound meanwhile
      const batch = { lines, segment: segment.number, end: base + end, torn };
      if (lines.length > 0) return batch;
      if (torn > 0) await this.acknowledge(batch);
      else if (this.#isActive(segment)) break;
      else if (!active) this.#finishFirst(); // else it was closed while it was read, and may hold more by now
    }
    if (!this.#refusal || this.#unwritten.count === 0) return null;
    return { ...(await this.#unwritten.lines(max)), segment: MEMORY, torn: 0 };
  }

  /** The server has these results, or will never take them: they are not read again. Resolves when the disk knows. */
  async acknowledge({ lines, segment: number, end, torn }: SpoolBatch): Promise<void> {
    const first = this.#segments[0];
    if (number === MEMORY) this.#unwritten.forget(end);
    else if (first?.number === number && end > this.#offset) {
      this.#offset = end;
      this.#taken += lines.length + torn;
      if (torn > 0) this.#losses.lose('torn', torn);
      if (this.#isActive(first)) await this.#change(() => this.#retire(first));
      else if (this.#content?.segment === first && end >= this.#content.bytes.length) this.#finishFirst();
      else this.#savePosition();
    }
    await this.#tidying;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closed = true;
    await this.flush();
    await this.#compressing;
    await this.#change(() => this.#closeFile());
    await this.#tidying;
    this.#losses.lose('droppedFromMemory', this.#unwritten.count);
    this.#unwritten.forget(Number.POSITIVE_INFINITY);
  }

  // --- Writing ---

  #refuse(error: unknown): void {
    if (this.#refusal) return;
    const most = Math.floor(this.#options.memoryBytes / 1024 / 1024);
    const warned = this.#losses.warn(
      'refused',
      () => `the spool cannot be written, results are kept in memory, at most ${most} MiB of them: ${String(error)}`,
    );
    this.#refusal = { warned };
  }

  #change<T>(action: () => Promise<T>): Promise<T> {
    const done = this.#changing.then(action);
    this.#changing = done;
    return done;
  }

  async #write(): Promise<void> {
    while (this.#unwritten.count > 0) {
      const { records, end } = this.#unwritten.piece(Math.min(WRITE_BYTES, this.#options.segmentBytes));
      try {
        await this.#append(records);
      } catch (error) {
        this.#refuse(error);
        break;
      }
      this.#unwritten.forget(end);
      if (this.#refusal?.warned) this.#options.warn('the spool can be written again');
      this.#refusal = null;
    }
    this.#compressClosed();
  }

  async #append(records: Buffer[]): Promise<void> {
    const data = Buffer.concat(records);
    await this.#makeRoom(data.length);
    const { file, segment } = await this.#writable();
    try {
      await file.appendFile(data);
      await file.datasync();
    } catch (error) {
      await file.truncate(segment.bytes).catch(() => this.#closeFile()); // no half record before the next one
      throw error;
    }
    this.#resize(segment, { bytes: segment.bytes + data.length, records: (segment.records ?? 0) + records.length });
  }

  async #writable(): Promise<{ file: FileHandle; segment: Segment }> {
    const last = this.#segments.at(-1);
    if (this.#file && last && last.bytes < this.#options.segmentBytes) return { file: this.#file, segment: last };
    await this.#closeFile();
    const segment: Segment = { number: this.#lastNumber + 1, form: 'log', bytes: 0, records: 0 };
    const file = await createLog(this.#options.directory, segment);
    this.#lastNumber = segment.number;
    this.#file = file;
    this.#segments.push(segment);
    return { file, segment };
  }

  async #closeFile(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close().catch(() => {});
  }

  #isActive(segment: Segment): boolean {
    return this.#file !== undefined && segment === this.#segments.at(-1);
  }

  #resize(segment: Segment, to: Partial<Segment>): void {
    this.#diskBytes -= diskBytesOf(segment);
    Object.assign(segment, to);
    this.#diskBytes += diskBytesOf(segment);
  }

  /** Drops the oldest closed segments until so many bytes more are within the bound. */
  async #makeRoom(bytes: number): Promise<void> {
    while (this.#diskBytes + diskBytesOf({ bytes }) > this.#options.maxBytes) {
      const oldest = this.#segments[0];
      if (!oldest || this.#isActive(oldest)) return;
      const records = oldest.records ?? this.#taken + (await this.#countLeft(oldest));
      if (oldest !== this.#segments[0]) continue; // acknowledged meanwhile
      this.#losses.lose('dropped', Math.max(0, records - this.#taken));
      this.#discardFirst();
      await this.#tidying;
    }
  }

  async #countLeft(segment: Segment): Promise<number> {
    const content = await contentOf(this.#options.directory, segment).catch(() => Buffer.alloc(0));
    return await countRecords(content, this.#offset);
  }

  /** Compresses closed logs in the background, one at a time. */
  #compressClosed(): void {
    const isClosedLog = (segment: Segment) => segment.form === 'log' && !this.#isActive(segment);
    if (this.#closed || this.#compressing || performance.now() < this.#compressAfter) return;
    const log = this.#segments.findLast(isClosedLog);
    if (!log) return;
    this.#compressing = this.#compress(log)
      .catch(() => {
        this.#compressAfter = performance.now() + COMPRESS_AGAIN_MS; // no room for it now, or it is gone
      })
      .finally(() => {
        this.#compressing = undefined;
        this.#compressClosed();
      });
  }

  async #compress(log: Segment): Promise<void> {
    const { directory } = this.#options;
    const content = await contentOf(directory, log);
    const records = log.records ?? (await countRecords(content));
    const data = await pack(content);
    await this.#change(async () => {
      await this.#makeRoom(data.length);
      const packed: Segment = { number: log.number, form: 'zst', bytes: data.length, records };
      const [logPath, path] = [pathOf(directory, log), pathOf(directory, packed)];
      await writeSynced(`${path}.new`, data);
      if (!this.#segments.includes(log)) return rm(`${path}.new`); // acknowledged or dropped meanwhile
      // At once, so that no acknowledgement comes between: it would delete the one form and leave the other to come back.
      renameSync(`${path}.new`, path);
      this.#resize(log, packed);
      this.#tidy(() => rm(logPath, { force: true }));
      // Until it is gone both forms take room, which only this change has made.
      await this.#tidying;
    });
  }

  // --- Reading ---

  /** What a closed segment holds; null where it cannot be read now. */
  async #contentOf(segment: Segment): Promise<Buffer | null> {
    if (this.#content?.segment === segment) return this.#content.bytes;
    const bytes = await this.#readable(segment, () => contentOf(this.#options.directory, segment));
    if (bytes) this.#content = { segment, bytes };
    return bytes;
  }

  async #readable(segment: Segment, read: () => Promise<Buffer>): Promise<Buffer | null> {
    const { form } = segment;
    try {
      return await read();
    } catch (error) {
      if (form !== segment.form) return await read(); // compressed just now
      if (isLost(error)) return Buffer.alloc(0);
      this.#losses.warn('unreadable', () => `the spool cannot be read, trying again: ${String(error)}`);
      return null;
    }
  }

  // --- After an acknowledgement ---

  /** Deletes the segment that is written to when the server has all of it; the next result begins another. */
  async #retire(segment: Segment): Promise<void> {
    const done = segment === this.#segments[0] && this.#isActive(segment) && this.#offset >= segment.bytes;
    if (!done) return this.#savePosition();
    await this.#closeFile();
    this.#discardFirst();
  }

  /** The first segment has been read to its end. What it should have held beyond that is lost. */
  #finishFirst(): void {
    const lost = (this.#segments[0]?.records ?? 0) - this.#taken;
    if (lost > 0) this.#losses.lose('torn', lost);
    this.#discardFirst();
  }

  #discardFirst(): void {
    const first = this.#segments.shift();
    if (!first) return;
    this.#diskBytes -= diskBytesOf(first);
    this.#offset = 0;
    this.#taken = 0;
    this.#content = undefined;
    const path = pathOf(this.#options.directory, first);
    this.#tidy(() => rm(path, { force: true }));
  }

  /** In order: of a segment's two forms the last one to go is the one that counts after a crash. */
  #tidy(action: () => Promise<void>): void {
    this.#tidying = this.#tidying.then(action).catch(() => {});
  }

  /** Several that wait become one. */
  #savePosition(): void {
    if (this.#positionWaits) return;
    this.#positionWaits = true;
    this.#tidy(() => {
      this.#positionWaits = false;
      const number = this.#segments[0]?.number ?? this.#lastNumber;
      return writePosition(this.#options.directory, { number, offset: this.#offset, taken: this.#taken });
    });
  }

  #readPosition(): void {
    const first = this.#segments[0];
    this.#lastNumber = this.#segments.at(-1)?.number ?? 0;
    const position = readPosition(this.#options.directory);
    if (!position) return;
    const { number, offset, taken } = position;
    // A number that was used and deleted must not come again, or this position would be taken for the new segment's.
    if (number > this.#lastNumber) this.#lastNumber = number;
    const within = offset >= 0 && (first?.form === 'zst' || offset <= (first?.bytes ?? 0));
    if (first?.number === number && within) [this.#offset, this.#taken] = [offset, taken];
  }
}
