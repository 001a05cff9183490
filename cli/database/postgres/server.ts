import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { DiskFullError, StartError } from '../../start-error.ts';
import type { Account } from './account.ts';
import { serverEnvironment } from './cluster.ts';
import { type Address, dataFolderOf, isNotReady } from './connection.ts';
import type { Home } from './home.ts';
import { openLog, readNew } from './log-file.ts';
import { choosePort, rememberPort } from './port.ts';
import { type Postmaster, stopPostmaster } from './postmaster.ts';
import { serverArguments } from './settings.ts';

/** What a start needs to know. */
export interface ServerOptions {
  home: Home;
  postgres: string;
  /** Open for the server to inherit: it is locked while any process of the server lives. */
  lock: number;
  password: string;
  port?: number | undefined;
  /** Ends the start, and the server with it. */
  signal?: AbortSignal | undefined;
}

// What a server that was killed leaves behind (shared memory, a port in use) is gone a moment later.
const pausesMs = [100, 400, 1500];

/**
 * Starts the server and returns when it answers. A server that ends at once is tried again after 0.1, 0.4 and 1.5 s.
 * @throws StartError with the server's own last word when it will not run.
 */
export async function startServer(options: ServerOptions): Promise<Postmaster> {
  for (const pause of pausesMs) {
    const result = await attempt(options);
    if (typeof result !== 'string') return result;
    refuseHopeless(result);
    await sleep(pause, undefined, { signal: options.signal });
  }
  const result = await attempt(options);
  if (typeof result !== 'string') return result;
  throw new StartError(
    `PostgreSQL did not start: ${lastComplaint(result)}. Its log is ${options.home.folder}/server.log.`,
  );
}

/** One try: the running server, or what the one that ended wrote to its log. */
async function attempt({
  home,
  postgres,
  lock,
  password,
  port: wanted,
  signal,
}: ServerOptions): Promise<Postmaster | string> {
  const port = await choosePort(home.folder, wanted);
  const log = await openLog(home.folder);
  try {
    const child = launch(postgres, serverArguments(home.cluster, port), [log.handle.fd, lock], home.account);
    const ended = endOf(child);
    const pid = child.pid ?? 0;
    if (pid > 0 && (await answers(ended, home.cluster, { port, password }, signal))) {
      await rememberPort(home.folder, port);
      return { pid, port };
    }
    if (pid > 0 && !ended.done) await stopPostmaster(pid);
    await ended.promise;
    signal?.throwIfAborted();
    if (ended.failure) throw new StartError(`PostgreSQL could not be run: ${ended.failure.message}.`);
    return await readNew(log);
  } finally {
    await log.handle.close();
  }
}

/**
 * In a session of its own: Ctrl-C at a terminal reaches every process of the group, and the database has to outlive
 * the web process and the jobs. Its log is a file, not a pipe, so that it also outlives a Node that was killed.
 */
function launch(postgres: string, args: string[], [log, lock]: [number, number], account: Account): ChildProcess {
  const child = spawn(postgres, args, {
    cwd: '/',
    env: serverEnvironment(),
    detached: true,
    stdio: ['ignore', log, log, lock],
    ...account,
  });
  child.unref();
  return child;
}

interface End {
  promise: Promise<void>;
  done: boolean;
  /** Why the program could not be run at all. */
  failure?: Error;
}

function endOf(child: ChildProcess): End {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end: End = { promise, done: false };
  const settle = (failure?: Error) => {
    Object.assign(end, { done: true, failure });
    resolve();
  };
  child.once('error', settle);
  child.once('exit', () => settle());
  return end;
}

/**
 * Whether the server of `cluster` came to answer; false when it ended first, or when a stranger answers at its port
 * (then it cannot listen there, and ends). Recovery after a crash may take minutes.
 */
async function answers(
  ended: End,
  cluster: string,
  address: Address,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  while (!ended.done && !signal?.aborted) {
    try {
      return (await dataFolderOf(address)) === cluster;
    } catch (error) {
      if (!isNotReady(error)) return false;
    }
    await Promise.race([ended.promise, sleep(10)]);
  }
  return false;
}

/** Some complaints no second try will change. */
function refuseHopeless(log: string): void {
  if (/No space left on device/.test(log)) {
    throw new DiskFullError('The disk of the database is full. Free some space and start again: no data was lost.');
  }
  if (/Permission denied|has wrong ownership/.test(log)) {
    throw new StartError(`PostgreSQL cannot use its data folder: ${lastComplaint(log)}.`);
  }
}

/** The last line the server wrote at a level that stops it, without its time stamp. */
function lastComplaint(log: string): string {
  const lines = log.split('\n').filter((line) => /FATAL|PANIC|ERROR/.test(line));
  return (lines.at(-1) ?? log.trim().split('\n').at(-1) ?? '').replace(/^.*?(FATAL|PANIC|ERROR): */, '') || 'no output';
}
