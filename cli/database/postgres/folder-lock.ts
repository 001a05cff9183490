import { ftruncateSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLocked, takeLock } from '#probe/kernel/file-lock.ts';
import { StartError } from '../../start-error.ts';

/** The file in a locked folder that names its owner: `{"pid":N,"start":...}`. */
const LOCK_FILE = 'owner.lock';

/** A server that was killed takes its last processes with it within this time, ms. */
const LAST_PROCESS_MS = 5_000;

/**
 * Keeps a second Roundtrip out of `folder`, a data folder's part, while this process lives; a lock left by a killed process is taken over.
 * Returns the function that gives it back.
 * @throws StartError when another process holds it.
 */
export async function lockFolder(folder: string, log: (line: string) => void): Promise<() => void> {
  const taken = await takeLock(path.join(folder, LOCK_FILE), { log });
  if ('release' in taken) return taken.release;
  throw new StartError(
    `Roundtrip is already running in ${path.dirname(folder)} (process ${taken.pid} on host ${taken.host}): stop it first, or set ROUNDTRIP_DATA to another folder.`,
  );
}

/**
 * The lock that a server of `folder` and all its processes inherit, open as the number returned: it outlives a Roundtrip that was
 * killed, as its server may, in a container whose processes are not visible from here.
 * @throws StartError when a server somewhere else has it.
 */
export async function lockServer(folder: string, signal?: AbortSignal): Promise<number> {
  const file = path.join(folder, 'server.lock');
  for (const startedAt = performance.now(); ; await sleep(50, undefined, { signal })) {
    const fd = openLocked(file);
    if (fd !== null) return named(fd);
    if (performance.now() - startedAt > LAST_PROCESS_MS) break;
  }
  const host = (await readFile(file, 'utf8')).trim();
  throw new StartError(
    `A PostgreSQL that host ${host} started is still running in ${path.dirname(folder)}, where it cannot be reached from here: stop it first, or set ROUNDTRIP_DATA to another folder.`,
  );
}

function named(fd: number): number {
  try {
    ftruncateSync(fd);
    writeSync(fd, `${hostname()}\n`);
  } catch {
    // A full disk takes no name, and the lock needs none.
  }
  return fd;
}
