import { closeSync, openSync, writeSync } from 'node:fs';

/** Writes a file that leaves no byte of its file system free; deleting it frees them. */
export function fillDisk(ballast: string): void {
  const file = openSync(ballast, 'w');
  for (let bytes = 64 * 1024; bytes >= 1; bytes = Math.floor(bytes / 2)) {
    try {
      for (;;) writeSync(file, Buffer.alloc(bytes, 1));
    } catch {} // full: smaller pieces, to the last byte
  }
  closeSync(file);
}
