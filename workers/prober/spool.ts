import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';

/** How often buffered results go to the disk, in ms; a kill -9 loses what is younger. */
export const FLUSH_MS = 500;
const NEWLINE = 10;

export type SpoolOptions = {
  directory: string;
  /** Most bytes kept; beyond it the oldest segment goes. */
  maxBytes?: number;
  segmentBytes?: number;
  /** Called with a sentence when results are lost. */
  warn?(message: string): void;
};
/** Results (JSON, one a line) from one segment, oldest first; `acknowledge` takes it back. */
export type SpoolBatch = { lines: string[]; segment: number; end: number };
/** `ours` segments were written by this process, so every line up to `bytes` is whole. */
type Segment = { number: number; bytes: number; ours: boolean };

/** Results on disk until the server has them: segment files of JSON lines, bounded, read from the oldest on. */
export class Spool {
  /** Results lost to the bound or to a full disk, and lines that a crash tore. */
  readonly counts = { dropped: 0, torn: 0 };
  #options: Required<SpoolOptions>;
  #segments: Segment[] = [];
  /** Where reading goes on, in the first segment. */
  #offset = 0;
  #buffer: string[] = [];
  #lastNumber = 0;
  #file: FileHandle | undefined;
  #writing: Promise<void> = Promise.resolve();
  #positionSaved: Promise<void> = Promise.resolve();
  #positionWaits = false;
  #timer: NodeJS.Timeout;

  constructor(options: SpoolOptions) {
    const maxBytes = options.maxBytes ?? 256 * 1024 * 1024;
    const segmentBytes = Math.min(options.segmentBytes ?? 2 * 1024 * 1024, Math.ceil(maxBytes / 4));
    this.#options = { warn: () => {}, ...options, maxBytes, segmentBytes };
    this.#open();
    this.#timer = setInterval(() => void this.flush(), FLUSH_MS);
  }

  append(result: unknown): void {
    this.appendLine(JSON.stringify(result));
  }

  /** Takes a Result that is JSON already. */
  appendLine(line: string): void {
    this.#buffer.push(`${line}\n`);
  }

  /** Bytes on disk that no server has confirmed. */
  get pendingBytes(): number {
    return this.#segments.reduce((sum, segment) => sum + segment.bytes, 0) - this.#offset;
  }

  /** Writes what is buffered and waits for the disk. Never rejects: a full disk costs results and is counted. */
  flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  /** The oldest results, `max` at most, or null when there are none. */
  async read(max: number): Promise<SpoolBatch | null> {
    for (let segment = this.#segments[0]; segment; segment = this.#segments[0]) {
      const start = this.#offset;
      const { lines, taken } = await this.#cut(await this.#load(segment, start), segment, max);
      if (lines.length > 0) return { lines, segment: segment.number, end: start + taken };
      if (segment !== this.#segments[0]) continue; // dropped by the bound meanwhile
      if (this.#isActive(segment)) return null;
      this.#discardFirst();
    }
    return null;
  }

  /** The server has these results, or will never take them: they are not read again. Resolves when the disk knows. */
  acknowledge(batch: SpoolBatch): Promise<void> {
    const first = this.#segments[0];
    if (first?.number !== batch.segment) return this.#positionSaved;
    this.#offset = batch.end;
    if (batch.end >= first.bytes && !this.#isActive(first)) this.#discardFirst();
    else this.#savePosition();
    return this.#positionSaved;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
    await this.#closeFile();
    await this.#positionSaved;
  }

  #open(): void {
    const { directory } = this.#options;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.#segments = readdirSync(directory)
      .filter((name) => /^\d{12}\.ndjson$/.test(name))
      .sort()
      .map((name) => ({ number: Number.parseInt(name, 10), bytes: statSync(join(directory, name)).size, ours: false }));
    this.#offset = this.#savedOffset();
  }

  async #write(): Promise<void> {
    const lines = this.#buffer;
    if (lines.length === 0) return;
    this.#buffer = [];
    try {
      await this.#append(Buffer.from(lines.join('')));
    } catch (error) {
      this.counts.dropped += lines.length;
      this.#options.warn(`${lines.length} results are lost: the spool cannot be written (${String(error)})`);
    }
    await this.#bound();
  }

  async #append(data: Buffer): Promise<void> {
    const { file, segment } = await this.#writable();
    try {
      await file.appendFile(data);
      await file.datasync();
      segment.bytes += data.length;
    } catch (error) {
      await file.truncate(segment.bytes).catch(() => this.#closeFile()); // no half line before the next one
      throw error;
    }
  }

  async #writable(): Promise<{ file: FileHandle; segment: Segment }> {
    const last = this.#segments.at(-1);
    if (this.#file && last && last.bytes < this.#options.segmentBytes) return { file: this.#file, segment: last };
    await this.#closeFile();
    const segment = { number: (last?.number ?? this.#lastNumber) + 1, bytes: 0, ours: true };
    const file = await open(this.#path(segment.number), 'ax', 0o600);
    this.#file = file;
    this.#segments.push(segment);
    return { file, segment };
  }

  async #closeFile(): Promise<void> {
    await this.#file?.close().catch(() => {});
    this.#file = undefined;
  }

  async #bound(): Promise<void> {
    while (this.pendingBytes > this.#options.maxBytes && this.#segments.length > 1) {
      const oldest = this.#segments[0];
      if (!oldest) return;
      const start = this.#offset;
      const bytes = await readFile(this.#path(oldest.number)).catch(() => Buffer.alloc(0));
      if (oldest !== this.#segments[0]) continue; // acknowledged meanwhile
      const results = bytes.subarray(Math.max(start, this.#offset)).filter((byte) => byte === NEWLINE).length;
      this.counts.dropped += results;
      this.#options.warn(`the spool is full: ${results} of the oldest results are dropped`);
      this.#discardFirst();
    }
  }

  #isActive(segment: Segment): boolean {
    return this.#file !== undefined && segment === this.#segments.at(-1);
  }

  /** What is on disk of a segment from `start` on, up to the last write that has ended. */
  async #load(segment: Segment, start: number): Promise<Buffer> {
    const length = segment.bytes - start;
    if (length <= 0) return Buffer.alloc(0);
    try {
      await using file = await open(this.#path(segment.number));
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, start);
      return buffer.subarray(0, bytesRead);
    } catch {
      return Buffer.alloc(0); // the bound has taken it away
    }
  }

  /** Up to `max` whole lines from the start of `bytes`, and how many bytes they took. */
  async #cut(bytes: Buffer, segment: Segment, max: number): Promise<{ lines: string[]; taken: number }> {
    const lines: string[] = [];
    let taken = 0;
    while (lines.length < max && taken < bytes.length) {
      const newline = bytes.indexOf(NEWLINE, taken);
      if (newline < 0 && segment.ours) break;
      const line = bytes.toString('utf8', taken, newline < 0 ? bytes.length : newline);
      taken = newline < 0 ? bytes.length : newline + 1;
      if (segment.ours || isJson(line)) lines.push(line);
      else this.counts.torn += 1;
      if (lines.length % 25 === 0) await breathe(); // probes in flight get to stamp their arrivals
    }
    return { lines, taken };
  }

  #discardFirst(): void {
    const first = this.#segments.shift();
    if (!first) return;
    this.#lastNumber = first.number;
    this.#offset = 0;
    rmSync(this.#path(first.number), { force: true });
    this.#savePosition();
  }

  #path(number: number): string {
    return join(this.#options.directory, `${String(number).padStart(12, '0')}.ndjson`);
  }

  get #positionPath(): string {
    return join(this.#options.directory, 'position');
  }

  /** Off the event loop, where a slow disk would stall the probes; several that wait become one. */
  #savePosition(): void {
    if (this.#positionWaits) return;
    this.#positionWaits = true;
    this.#positionSaved = this.#positionSaved.then(() => this.#writePosition());
  }

  async #writePosition(): Promise<void> {
    this.#positionWaits = false;
    const text = `${this.#segments[0]?.number ?? this.#lastNumber} ${this.#offset}`;
    try {
      await writeFile(`${this.#positionPath}.new`, text);
      await rename(`${this.#positionPath}.new`, this.#positionPath);
    } catch {
      // On a full disk the position stays behind; the server counts what is sent again once.
    }
  }

  #savedOffset(): number {
    try {
      const [number, offset] = readFileSync(this.#positionPath, 'utf8').split(' ').map(Number);
      this.#lastNumber = number ?? 0;
      const first = this.#segments[0];
      return first && first.number === number && offset !== undefined && offset <= first.bytes ? offset : 0;
    } catch {
      return 0;
    }
  }
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
