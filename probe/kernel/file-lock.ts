import {
  closeSync,
  constants,
  fstatSync,
  futimes,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { libc } from './libc.ts';
import { startOf } from './process-identity.ts';

// A lock is a file that names its holder, has the kernel's own lock on it, and is touched while its holder lives. A number
// of a process means something in one PID namespace of one boot alone; the kernel's lock in one kernel; what is touched in all.
// The file stays when the lock is given back, and then names no one: removing it would let two lock different files of one name.

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

/** `mode`: who may take the lock after this user, as the umask allows; else nobody. */
export type LockOptions = Wait & { mode?: number };

const BEAT_MS = 2_000;
/** A lock that is not touched for this long has no holder, where the kernel keeps it for both sides and says it is free. */
const STILL_MS = 5_000;
/** And where the kernel cannot speak for both: another host or boot, or a file system without locks. */
const STALE_MS = 60_000;
const LOOK_MS = 100;
/** A name takes so many bytes, written over the one before: a full disk has room for it. */
const NAME_BYTES = 1_024;

const LOCK_SH_NB = 1 | 4;
const LOCK_EX_NB = 2 | 4;
const EWOULDBLOCK = 11;
/** What file systems say that have no room for a new file. */
const NO_ROOM = ['ENOSPC', 'EDQUOT'];

/**
 * Takes the lock `file`, or says who holds it. One whose holder was killed is taken over: at once in the PID namespace of the holder,
 * and after 5 s (60 s where the kernel cannot tell) without a sign of life in any other. Throws what the file system throws.
 */
export async function takeLock(file: string, { mode = 0o600, ...wait }: LockOptions = {}): Promise<Lock | Holder> {
  const here = await whoIsHere();
  const fd = openForLock(file, mode);
  let lock: Lock | null = null;
  try {
    const holder = await otherHolder(file, fd, here, wait);
    if (holder) return holder;
    if (fstatSync(fd).isFile() && isFolderTaken(file)) return unknown(here);
    const kernel = flock(fd) === 'kept';
    write(fd, JSON.stringify({ ...here, kernel }));
    // Where the kernel keeps none, another may have come at the same moment: who wrote last has it.
    if (!kernel) await sleep(LOOK_MS, undefined, wait);
    const named = read(fd, here);
    if (!kernel && named && (named.pid !== here.pid || named.host !== here.host)) return named;
    lock = hold(fd, here);
    return lock;
  } finally {
    if (!lock) closeSync(fd);
  }
}

/** Whether a process that is visible from here holds the lock `file`. Takes no lock, so that it blocks no other process. */
export async function isHeldHere(file: string): Promise<boolean> {
  const here = await whoIsHere();
  const fd = orElse(null, () => openSync(file, 'r'));
  if (fd === null) return isFolderTaken(file);
  const holder = read(fd, here);
  closeSync(fd);
  // One that names no one may be of a start that was refused, and a disk without room for its name is locked by its folder.
  if (holder === null) return isFolderTaken(file);
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

/** The file; on a disk without room for it its folder, which the kernel locks as well. */
function openForLock(file: string, mode: number): number {
  try {
    return openSync(file, constants.O_RDWR | constants.O_CREAT, mode);
  } catch (error) {
    if (!NO_ROOM.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return openSync(path.dirname(file), 'r');
  }
}

/** Whether somebody who found no room for the file has locked its folder. */
function isFolderTaken(file: string): boolean {
  const folder = orElse(null, () => openSync(path.dirname(file), 'r'));
  if (folder === null) return false;
  // Shared, so that two who look do not see one another.
  const kernel = flock(folder, LOCK_SH_NB);
  closeSync(folder);
  return kernel === 'taken';
}

function flock(fd: number, how = LOCK_EX_NB): 'kept' | 'taken' | 'none' {
  const error = libc()?.flock(fd, how);
  if (error === 0) return 'kept';
  return error === EWOULDBLOCK ? 'taken' : 'none';
}

async function whoIsHere(): Promise<Holder> {
  const start = await startOf(process.pid);
  const boot = orElse('', () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  const namespace = orElse('', () => readlinkSync('/proc/self/ns/pid'));
  return { pid: process.pid, start, host: hostname(), boot, namespace, kernel: false };
}

/** Who has the lock that is open as `fd`; null once there is no one, and then the kernel keeps it for `fd`. */
async function otherHolder(file: string, fd: number, here: Holder, { signal, log }: Wait): Promise<Holder | null> {
  const touchedAt = touched(file);
  for (const lookedAt = performance.now(); ; await sleep(LOOK_MS, undefined, { signal })) {
    const looked = performance.now() - lookedAt;
    const kernel = flock(fd);
    const holder = read(fd, here);
    if (holder === null || isNear(holder, here)) {
      if (holder && (await startOf(holder.pid)) === holder.start) return holder;
      if (kernel !== 'taken') return null;
      // Somebody else is taking it over, or the process is ending and keeps its files for a moment.
      if (looked >= STILL_MS) return holder ?? unknown(here);
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
}

function hold(fd: number, here: Holder): Lock {
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
    // Where the kernel keeps none, another may have come to hold it meanwhile.
    const named = read(fd, here);
    if (named?.pid === here.pid && named.start === here.start && named.host === here.host) write(fd, '');
    closeSync(fd);
  };
  return { release };
}

/** Whether the process that `holder` names is one that can be seen from here. */
function isNear({ start, host, boot, namespace }: Holder, here: Holder): boolean {
  return start !== null && host === here.host && boot === here.boot && namespace === here.namespace;
}

/** On a full disk a new file, or a folder in its place, names no one: the kernel and the touching do without. */
function write(fd: number, name: string): void {
  orElse(0, () => writeSync(fd, name.padEnd(NAME_BYTES), 0));
}

/** Whom the file names; null for no one. */
function read(fd: number, here: Holder): Holder | null {
  const bytes = Buffer.alloc(NAME_BYTES);
  const length = orElse(0, () => readSync(fd, bytes, 0, NAME_BYTES, 0));
  const name = bytes.toString('utf8', 0, length).trim();
  return name === '' ? null : orElse(unknown(here), () => JSON.parse(name) as Holder);
}

const unknown = (here: Holder): Holder => ({ ...here, pid: 0, start: null, host: 'unknown' });

/** Opened for it: over a network the times of a file are fetched again when it is opened, and else only now and then. */
function touched(file: string): number {
  const fd = orElse(null, () => openSync(file, 'r'));
  if (fd === null) return 0;
  try {
    return fstatSync(fd).mtimeMs;
  } finally {
    closeSync(fd);
  }
}

function orElse<T>(fallback: T, work: () => T): T {
  try {
    return work();
  } catch {
    return fallback;
  }
}
