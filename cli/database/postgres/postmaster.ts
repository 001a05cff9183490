import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandOf } from '#probe/kernel/process-identity.ts';

/** A server that was told to stop rolls back what runs and writes its data within this time, ms; else it is killed. */
const STOP_MS = 10_000;
/** One that was killed is gone within this time, ms, or the kernel holds on to it. */
const KILL_MS = 5_000;
const LOOK_MS = 50;

/** What the server of `cluster` says of itself in its `postmaster.pid`: `state` is `starting`, `ready` or `stopping`. Null without one. */
export async function readPostmaster(cluster: string): Promise<{ pid: number; port: number; state: string } | null> {
  const text = await readFile(path.join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  return pid > 0 && port > 0 ? { pid, port, state: lines[7]?.trim() ?? '' } : null;
}

/** The live server of `cluster`, or null. A `postmaster.pid` whose process is gone, or is another program, is stale. */
export async function findPostmaster(cluster: string): Promise<{ pid: number; port: number } | null> {
  const said = await readPostmaster(cluster);
  const command = said && (await commandOf(said.pid));
  return command?.includes(`-D ${cluster} `) ? said : null;
}

/**
 * Ends what a killed start or a killed server left behind in `cluster`; to be called by who has the folder. A server is stopped in the
 * ordinary way. Without it a child in the middle of a query, or a stopped one, holds the shared memory, and no new server starts
 * while it does: it is killed. Where there is no /proc such a child ends by itself, once its query is done.
 */
export async function endLeftOver(cluster: string, log: (line: string) => void): Promise<void> {
  const server = await findPostmaster(cluster);
  if (server) {
    log(`Stopping a PostgreSQL that was left behind (process ${server.pid}).`);
    sendSignal(server.pid, 'SIGINT');
    for (const since = performance.now(); performance.now() - since < STOP_MS; await sleep(LOOK_MS))
      if (!(await findPostmaster(cluster))) break;
  }
  for (const since = performance.now(); performance.now() - since < KILL_MS; await sleep(LOOK_MS)) {
    const stubborn = await findPostmaster(cluster);
    const left = [...(stubborn ? [stubborn.pid] : []), ...(await processesIn(cluster))];
    if (left.length === 0) return;
    for (const pid of left) sendSignal(pid, 'SIGKILL');
  }
}

/** The server's processes, all of which work in its folder; the folder itself is compared, for its name may be another's in a container. */
async function processesIn(cluster: string): Promise<number[]> {
  const names = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const folder = await stat(cluster).catch(() => null);
  const found = await Promise.all(
    names.map(async (pid) => {
      const [cwd, name] = await Promise.all([
        stat(`/proc/${pid}/cwd`).catch(() => null),
        readFile(`/proc/${pid}/comm`, 'utf8').catch(() => ''),
      ]);
      return folder !== null && cwd?.ino === folder.ino && cwd.dev === folder.dev && name.trim() === 'postgres';
    }),
  );
  return names.filter((_, n) => found[n]).map(Number);
}

/** One that ended meanwhile, or is another user's, takes no signal. */
function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {}
}
