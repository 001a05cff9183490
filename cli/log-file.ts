import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import path from 'node:path';

/** A log is emptied at this size, in bytes; what it held becomes its one old file. */
const MAX_LOG_BYTES = 10 * 1024 * 1024;
/** How often (ms) the logs of those who run are looked at. */
const LOOK_MS = 60_000;

/** A place in a log: after so many bytes, when it had been emptied so many times. */
export type LogMark = { bytes: number; emptied: number };

/**
 * What child processes print. They append, so that a log can be emptied while they run: they go on writing at its new end.
 * The process that starts and watches them holds one LogFile for each file.
 */
export class LogFile {
  readonly file: string;
  #emptied = 0;

  constructor(file: string) {
    this.file = file;
  }

  /** Opens it for appending and returns the file descriptor. */
  open(): number {
    mkdirSync(path.dirname(this.file), { recursive: true });
    this.keepSmall();
    return openSync(this.file, 'a', 0o600);
  }

  /** Its end. */
  mark(): LogMark {
    return { bytes: sizeOf(this.file), emptied: this.#emptied };
  }

  /** What it says since, as far as it was not emptied. */
  since({ bytes, emptied }: LogMark): string {
    if (!existsSync(this.file)) return '';
    return readFileSync(this.file)
      .subarray(emptied === this.#emptied ? bytes : 0)
      .toString();
  }

  /** Empties it where it has grown too large. On a full disk it stays as it is. */
  keepSmall(): void {
    if (sizeOf(this.file) < MAX_LOG_BYTES) return;
    const old = `${this.file}.1`;
    try {
      rmSync(old, { force: true });
      copyFileSync(this.file, old, constants.COPYFILE_EXCL);
      truncateSync(this.file);
      this.#emptied += 1;
    } catch {
      // The next look may find room.
    }
  }
}

/** Looks at logs every `everyMs` and keeps them small; they are asked for each time. Returns what ends that. */
export function keepLogsSmall(logs: () => Iterable<LogFile>, everyMs: number = LOOK_MS): () => void {
  const looking = setInterval(() => {
    for (const log of logs()) log.keepSmall();
  }, everyMs).unref();
  return () => clearInterval(looking);
}

function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}
