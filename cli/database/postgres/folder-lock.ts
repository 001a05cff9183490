import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { StartError } from '../../start-error.ts';
import { startOf } from './process-identity.ts';

/** The file in a locked folder that names its owner: `{"pid":N,"start":...}`. */
export const LOCK_FILE = 'owner.lock';

/**
 * Keeps a second Roundtrip out of `folder`, a data folder's part, while this process lives; a lock left by a killed process is taken over.
 * Returns the function that gives it back.
 * @throws StartError when another process holds it.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const file = path.join(folder, LOCK_FILE);
  const taken = await takeLock(file);
  if (typeof taken !== 'number') return taken;
  throw new StartError(
    `Roundtrip is already running in ${path.dirname(folder)} (process ${taken}): stop it first, or set ROUNDTRIP_DATA to another folder.`,
  );
}

/** Takes the lock `file` and returns the function that gives it back; or says which living process holds it. */
export async function takeLock(file: string): Promise<(() => Promise<void>) | number> {
  const mine = JSON.stringify({ pid: process.pid, start: await startOf(process.pid) });
  for (;;) {
    if (await create(file, mine)) return () => rm(file, { force: true });
    const found = await readFile(file, 'utf8').catch(() => '');
    const holder = await liveHolder(found);
    if (holder !== null) return holder;
    await discard(file, found);
  }
}

/** A link to a file that is already written: nobody ever sees a lock without its holder. */
async function create(file: string, content: string): Promise<boolean> {
  const draft = `${file}.${process.pid}.new`;
  await writeFile(draft, content, { mode: 0o600 });
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** The process that holds the lock, or null when it is gone. */
async function liveHolder(content: string): Promise<number | null> {
  try {
    const { pid, start } = JSON.parse(content) as { pid: number; start: string | null };
    return (await startOf(pid)) === start ? pid : null;
  } catch {
    return null;
  }
}

/** Renaming lets one of several takers win; one that took a fresh lock by mistake puts it back. */
async function discard(file: string, stale: string): Promise<void> {
  const aside = `${file}.${process.pid}`;
  try {
    await rename(file, aside);
  } catch {
    return;
  }
  const taken = await readFile(aside, 'utf8').catch(() => stale);
  if (taken !== stale) await create(file, taken);
  await rm(aside, { force: true });
}
