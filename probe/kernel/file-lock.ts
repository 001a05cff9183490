import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
  futimes,
  linkSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { libc } from './libc.ts';
import { startOf } from './process-identity.ts';

// A lock is a file that names its holder, has the kernel's own lock on it, and is touched while its holder lives. A number
// of a process means something in one PID namespace of one boot alone; the kernel's lock in one kernel; what is touched in all.

/** Who holds a lock. `start` as of `startOf`, `namespace` that of process numbers, `kernel`: whether flock(2) keeps it. */
export type Holder = {
  pid: number;
  start: string | null;
  host: string;
  boot: string;
  namespace: string;
  kernel: boolean;
};

/** A lock that this process holds, until `release` or its end. */
export type Lock = { release: () => void };

/** Of the wait for a sign of a holder elsewhere: what ends it, and who hears a sentence about it. */
export type Wait = { signal?: AbortSignal | undefined; log?: (line: string) => void };

const BEAT_MS = 2_000;
/** A lock that is not touched for this long has no holder, where the kernel keeps it for both sides and says it is free. */
const STILL_MS = 5_000;
/** And where the kernel cannot speak for both: another host or boot, or a file system without locks. */
const STALE_MS = 60_000;
const LOOK_MS = 100;

const LOCK_EX_NB = 2 | 4;
const EWOULDBLOCK = 11;
/** What file systems without hard links say, such as SMB's. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];
/** The name is there before there is room for what it says: the kernel and the touching do without. */
const NO_ROOM = ['ENOSPC', 'EDQUOT'];

/**
 * Takes the lock `file`, or says who holds it. One whose holder was killed is taken over: at once in the PID namespace of the holder,
 * and after 5 s (60 s where the kernel cannot tell) without a sign of life in any other. Throws what the file system throws.
 */
export async function takeLock(file: string, wait: Wait = {}): Promise<Lock | Holder> {
  const here = await whoIsHere();
  for (;;) {
    const made = create(file, here);
    if (typeof made === 'object') return made;
    const fd = openThere(file);
    if (fd === null && made === 'full') return holdFolder(file, here);
    if (fd === null) continue;
    try {
      const holder = await livingHolder(file, fd, here, wait);
      if (holder) return holder;
      if (isAt(file, fd)) discard(file, fd);
    } finally {
      closeSync(fd);
    }
  }
}

/** Whether a process that is visible from here holds the lock `file`. Takes no lock, so that it blocks no other process. */
export async function isHeldHere(file: string): Promise<boolean> {
  const here = await whoIsHere();
  if (!existsSync(file)) return isFolderHeld(file);
  const holder = read(file, here);
  return isNear(holder, here) && (await startOf(holder.pid)) === holder.start;
}

/**
 * Opens `file`, which is never removed, with the kernel's lock on it, for a child to inherit: it lasts until the last process that
 * has the descriptor is gone. Null where another has it. Where the kernel keeps none the file is open without.
 */
export function openLocked(file: string): number | null {
  const fd = openSync(file, 'a', 0o600);
  if (flock(fd) !== 'taken') return fd;
  closeSync(fd);
  return null;
}

function flock(fd: number): 'kept' | 'taken' | 'none' {
  const error = libc()?.flock(fd, LOCK_EX_NB);
  if (error === 0) return 'kept';
  return error === EWOULDBLOCK ? 'taken' : 'none';
}

async function whoIsHere(): Promise<Holder> {
  const start = await startOf(process.pid);
  const boot = orElse('', () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  const namespace = orElse('', () => readlinkSync('/proc/self/ns/pid'));
  return { pid: process.pid, start, host: hostname(), boot, namespace, kernel: false };
}

/** Written and locked under another name first: no process ever sees a lock without its holder. */
function create(file: string, here: Holder): Lock | 'there' | 'full' {
  const draft = `${file}.${randomUUID()}`;
  let fd = -1;
  const full = except(NO_ROOM, () => {
    fd = openSync(draft, 'wx', 0o600);
  });
  if (full !== null) return 'full';
  let published = false;
  try {
    const kernel = flock(fd) === 'kept';
    except(NO_ROOM, () => void writeSync(fd, JSON.stringify({ ...here, kernel })));
    published = publish(draft, file);
  } finally {
    rmSync(draft, { force: true });
    if (!published) closeSync(fd);
  }
  return published ? hold(file, fd) : 'there';
}

function publish(draft: string, file: string): boolean {
  const failure = except(['EEXIST', ...NO_LINKS], () => linkSync(draft, file));
  if (failure === null) return true;
  if (failure === 'EEXIST' || existsSync(file)) return false;
  // Two that come here within the same millisecond would both go on.
  renameSync(draft, file);
  return true;
}

function hold(file: string, fd: number): Lock {
  let timer: NodeJS.Timeout | null = null;
  // One after the other: a disk that hangs would take all threads of the pool.
  const rest = () => {
    if (timer !== null) timer = setTimeout(touch, BEAT_MS).unref();
  };
  const touch = () => futimes(fd, new Date(), new Date(), rest);
  timer = setTimeout(touch, BEAT_MS).unref();
  const release = () => {
    if (timer === null) return;
    clearTimeout(timer);
    timer = null;
    if (isAt(file, fd)) rmSync(file, { force: true });
    closeSync(fd);
  };
  return { release };
}

function isFolderHeld(file: string): boolean {
  const folder = orElse(null, () => openSync(path.dirname(file), 'r'));
  if (folder === null) return false;
  try {
    return flock(folder) === 'taken';
  } finally {
    closeSync(folder);
  }
}

/** On a disk that is full the kernel's lock of the folder, until there is room for one that others can read. */
function holdFolder(file: string, here: Holder): Lock | Holder {
  const folder = openSync(path.dirname(file), 'r');
  if (flock(folder) === 'taken') {
    closeSync(folder);
    return unknown(here);
  }
  let named: Lock | null = null;
  const timer = setInterval(() => {
    const made = named ?? orElse('full' as const, () => create(file, here));
    if (typeof made === 'object') named = made;
  }, BEAT_MS).unref();
  const release = () => {
    clearInterval(timer);
    named?.release();
    closeSync(folder);
  };
  return { release };
}

/** Who holds the lock that is open as `fd`; null when they are gone, or the lock is another by now. */
async function livingHolder(file: string, fd: number, here: Holder, { signal, log }: Wait): Promise<Holder | null> {
  const holder = read(file, here);
  const near = isNear(holder, here);
  const touchedAt = touched(file);
  for (const lookedAt = performance.now(); isAt(file, fd); await sleep(LOOK_MS, undefined, { signal })) {
    const looked = performance.now() - lookedAt;
    const kernel = flock(fd);
    if (near) {
      if ((await startOf(holder.pid)) === holder.start) return holder;
      if (kernel !== 'taken') return null;
      // Somebody else is taking it over, or the process is ending and keeps its files for a moment.
      if (looked >= STILL_MS) return holder;
      continue;
    }
    if (kernel === 'taken' || touched(file) !== touchedAt) return holder;
    if (looked < LOOK_MS)
      log?.(
        `Waiting up to ${STALE_MS / 1_000} s for a sign of process ${holder.pid} on host ${holder.host}, which had ${file} last.`,
      );
    const patience = kernel === 'kept' && holder.kernel && holder.boot === here.boot ? STILL_MS : STALE_MS;
    // Looked at for a while in any case: the clock that touched it may be another host's.
    if (looked >= STILL_MS && Math.max(looked, Date.now() - touchedAt) >= patience) return null;
  }
  return null;
}

/** Whether the process that `holder` names is one that can be seen from here. */
function isNear({ start, host, boot, namespace }: Holder, here: Holder): boolean {
  return start !== null && host === here.host && boot === here.boot && namespace === here.namespace;
}

/** What is missing in it is taken for what it is here: locks of earlier versions name a process alone. */
function read(file: string, here: Holder): Holder {
  return orElse(unknown(here), () => ({ ...here, ...(JSON.parse(readFileSync(file, 'utf8')) as Partial<Holder>) }));
}

const unknown = (here: Holder): Holder => ({ ...here, pid: 0, start: null, host: 'unknown' });

/** Opened for it: over a network the times of a file are fetched again when it is opened, and else only now and then. */
function touched(file: string): number {
  const fd = openThere(file);
  if (fd === null) return 0;
  try {
    return fstatSync(fd).mtimeMs;
  } finally {
    closeSync(fd);
  }
}

/** Renaming lets one of several takers win; one that moved a fresh lock by mistake, where the kernel keeps none, puts it back. */
function discard(file: string, fd: number): void {
  const aside = `${file}.${randomUUID()}`;
  if (except(['ENOENT'], () => renameSync(file, aside)) !== null) return;
  if (!isAt(aside, fd)) except(['EEXIST', ...NO_LINKS], () => linkSync(aside, file));
  rmSync(aside, { force: true });
}

function openThere(file: string): number | null {
  let fd: number | null = null;
  except(['ENOENT'], () => {
    fd = openSync(file, 'r+');
  });
  return fd;
}

function isAt(file: string, fd: number): boolean {
  const there = statSync(file, { throwIfNoEntry: false });
  const { dev, ino } = fstatSync(fd);
  return there?.dev === dev && there.ino === ino;
}

/** Which of `codes` the work failed with; null when it succeeded. Throws any other failure. */
function except(codes: readonly string[], work: () => void): string | null {
  try {
    work();
    return null;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (codes.includes(code)) return code;
    throw error;
  }
}

function orElse<T>(fallback: T, work: () => T): T {
  try {
    return work();
  } catch {
    return fallback;
  }
}
