import { copyFileSync, existsSync, mkdirSync, openSync, statSync, truncateSync } from 'node:fs';
import path from 'node:path';

/** A part's log is moved aside at this size, in bytes; one old file is kept. */
const MAX_LOG_BYTES = 10 * 1024 * 1024;

/** Opens a part's log for appending and returns the file descriptor. */
export function openLog(file: string): number {
  mkdirSync(path.dirname(file), { recursive: true });
  keepSmall(file);
  return openSync(file, 'a', 0o600);
}

/** Empties a log that has grown too large; parts append, so they go on writing at its new end. */
function keepSmall(file: string): void {
  if (!existsSync(file) || statSync(file).size < MAX_LOG_BYTES) return;
  copyFileSync(file, `${file}.1`);
  truncateSync(file);
}
