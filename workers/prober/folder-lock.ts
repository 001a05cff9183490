import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Holder, isHeldHere, type Lock, takeLock, type Wait } from '#probe/kernel/file-lock.ts';

const LOCK_FILE = 'owner.lock';

/** Keeps a second prober out of a data folder, which is made where it is missing: two would delete each other's results. */
export function lockFolder(folder: string, wait: Wait): Promise<Lock | Holder> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return takeLock(join(folder, LOCK_FILE), wait);
}

/** Whether a prober of this container works in the folder. */
export function isFolderLocked(folder: string): Promise<boolean> {
  return isHeldHere(join(folder, LOCK_FILE));
}
