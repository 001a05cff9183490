import { readdir, readFile, readlink, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandOf, startOf } from '#probe/kernel/process-identity.ts';
import { StartError } from '../../start-error.ts';
import { dataFolderOf, isNotReady } from './connection.ts';

/** The server process of a cluster, as `postmaster.pid` names it. */
export interface Postmaster {
  pid: number;
  port: number;
}

/** The live server of `cluster`, or null. A `postmaster.pid` whose process is gone, or is another program, is stale. */
export async function findPostmaster(cluster: string): Promise<Postmaster | null> {
  const text = await readFile(path.join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  if (!(pid > 0 && port > 0) || (await startOf(pid)) === null) return null;
  const command = await commandOf(pid);
  return command === null || command.includes(`-D ${cluster} `) ? { pid, port } : null;
}

/**
 * Waits for a server that outlived the Roundtrip that started it, and returns it when it is ours and ready; null when
 * it ended meanwhile, or answers for another data folder.
 * @throws StartError when it lets us in no more.
 */
export async function adopt(cluster: string, password: string): Promise<Postmaster | null> {
  for (;;) {
    const found = await findPostmaster(cluster);
    if (!found) return null;
    try {
      return (await dataFolderOf({ port: found.port, password })) === cluster ? found : null;
    } catch (error) {
      if (!isNotReady(error)) throw refused(found, error);
    }
    await sleep(20);
  }
}

function refused({ pid }: Postmaster, error: unknown): StartError {
  const reason = error instanceof Error ? error.message : String(error);
  return new StartError(
    `The database is still running (process ${pid}) and refuses connections: ${reason}. Stop it with \`kill -INT ${pid}\` and start again.`,
  );
}

/** Whether the server of `cluster` was told to stop and waits for its clients; so it says in its `postmaster.pid`. */
export async function isStopping(cluster: string): Promise<boolean> {
  const text = await readFile(path.join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  return text.split('\n')[7]?.trim() === 'stopping';
}

/**
 * Ends what a killed server leaves behind: a child in the middle of a query, or a stopped one, holds the shared memory,
 * and no new server starts while it does. NotificationState by the working folder, which is the cluster's for all of them; where there
 * is no /proc they end by themselves, once their query is done.
 */
export async function endOrphans(cluster: string): Promise<void> {
  if ((await findPostmaster(cluster)) !== null) return;
  const names = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const orphans = await Promise.all(names.map(async (pid) => ((await isServerIn(cluster, pid)) ? Number(pid) : null)));
  await Promise.all(
    orphans.map(async (pid) => {
      const start = pid === null ? null : await startOf(pid);
      if (pid !== null && sendSignal(pid, 'SIGKILL')) await isGone(pid, start, 5_000);
    }),
  );
}

async function isServerIn(cluster: string, pid: string): Promise<boolean> {
  const [folder, name] = await Promise.all([
    readlink(`/proc/${pid}/cwd`).catch(() => ''),
    readFile(`/proc/${pid}/comm`, 'utf8').catch(() => ''),
  ]);
  return folder === cluster && name.trim() === 'postgres';
}

/**
 * Removes a `postmaster.pid` that no server holds; to be called by who has the server's lock, since a server elsewhere is not seen.
 * PostgreSQL does this itself, except where the number now belongs to another program of the same user: then it would refuse to start.
 */
export async function clearStalePid(cluster: string): Promise<void> {
  if ((await findPostmaster(cluster)) === null) await rm(path.join(cluster, 'postmaster.pid'), { force: true });
}

/**
 * Fast shutdown: running transactions are rolled back and the data is written. After 10 s the server is told to drop
 * everything (the next start recovers from the WAL), after 5 s more it is killed. Returns when the process is gone.
 */
export async function stopPostmaster(pid: number): Promise<void> {
  const start = await startOf(pid);
  for (const [signal, patienceMs] of [
    ['SIGINT', 10_000],
    ['SIGQUIT', 5000],
    ['SIGKILL', 5000],
  ] as const) {
    if (!sendSignal(pid, signal) || (await isGone(pid, start, patienceMs))) return;
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Looked up rather than awaited: an adopted server is nobody's child here, so no event tells of its end. */
async function isGone(pid: number, start: string | null, patienceMs: number): Promise<boolean> {
  const deadline = performance.now() + patienceMs;
  while (performance.now() < deadline) {
    const now = await startOf(pid);
    if (now === null || now !== start) return true;
    await sleep(10);
  }
  return false;
}
