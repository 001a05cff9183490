import { existsSync, readFileSync, truncateSync } from 'node:fs';
import { appendFile, mkdir, rename, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from './logger.ts';

/** Most bytes of refused results that are kept. */
export const QUARANTINE_BYTES = 16 * 1024 * 1024;
const NEWLINE = 10;

/** A result (JSON) that the server will never take, with the server's reason. */
export type Refused = { line: string; field: string | null; reason: string };

type Options = { directory: string; logger: Logger; maxBytes?: number };
type File = { path: string; results: number; bytes: number };

/**
 * What the server refuses, on disk for somebody to look at: JSON lines `{refusedAt, field, reason, result}` in two files.
 * When the newer one has half the bytes it takes the place of the older one, whose results are dropped and counted.
 */
export class Quarantine {
  /** Results dropped to keep the bound, or because they could not be written. */
  dropped = 0;
  readonly #options: Required<Options>;
  #newer: File;
  #older: File;

  constructor(options: Options) {
    this.#options = { maxBytes: QUARANTINE_BYTES, ...options };
    this.#newer = fileAt(join(options.directory, 'refused.ndjson'));
    this.#older = fileAt(join(options.directory, 'refused.older.ndjson'));
  }

  get results(): number {
    return this.#newer.results + this.#older.results;
  }

  get bytes(): number {
    return this.#newer.bytes + this.#older.bytes;
  }

  /** Resolves when the disk has them. Never rejects: where the disk takes nothing, they are counted as dropped. */
  async add(refused: Refused[], at: Date): Promise<void> {
    for (const { line, field, reason } of refused) {
      const head = JSON.stringify({ refusedAt: at.toISOString(), field, reason });
      await this.#write(`${head.slice(0, -1)},"result":${line}}\n`);
    }
  }

  async #write(text: string): Promise<void> {
    const bytes = Buffer.byteLength(text);
    try {
      if (this.#newer.bytes > 0 && this.#newer.bytes + bytes > this.#options.maxBytes / 2) await this.#turnOver();
      await mkdir(this.#options.directory, { recursive: true, mode: 0o700 }); // not before: a full disk starts a prober too
      await appendFile(this.#newer.path, text, { mode: 0o600, flush: true });
      this.#newer.bytes += bytes;
      this.#newer.results += 1;
    } catch (error) {
      await truncate(this.#newer.path, this.#newer.bytes).catch(() => {}); // no half line before the next one
      this.dropped += 1;
      this.#options.logger.warn(`a refused result is lost: the quarantine cannot be written (${String(error)})`);
    }
  }

  async #turnOver(): Promise<void> {
    await rename(this.#newer.path, this.#older.path);
    const { results } = this.#older;
    this.#older = { ...this.#newer, path: this.#older.path };
    this.#newer = { path: this.#newer.path, results: 0, bytes: 0 };
    if (results === 0) return;
    this.dropped += results;
    this.#options.logger.warn(`the quarantine is full: ${results} of the oldest refused results are dropped`);
  }
}

/** What an earlier process left there, without a line that it could not end. */
function fileAt(path: string): File {
  if (!existsSync(path)) return { path, results: 0, bytes: 0 };
  const content = readFileSync(path);
  const bytes = content.lastIndexOf(NEWLINE) + 1;
  if (bytes < content.length) truncateSync(path, bytes);
  return { path, results: content.filter((byte) => byte === NEWLINE).length, bytes };
}
