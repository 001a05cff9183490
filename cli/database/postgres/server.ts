import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LogFile } from '../../log-file.ts';
import { DiskFullError, StartError } from '../../start-error.ts';
import { closeToOthers, serverEnvironment } from './cluster.ts';
import { lockServer } from './folder-lock.ts';
import type { Home } from './home.ts';
import { endLeftOver, findPostmaster, readPostmaster } from './postmaster.ts';
import { serverArguments } from './settings.ts';

/** A server that runs as our child. */
export type Server = {
  /** At 127.0.0.1. */
  port: number;
  /** Resolves when all its processes are gone. */
  ended: Promise<unknown>;
  /** Shuts it down and returns when all its processes are gone; 25 s at the very most. Safe to call twice. */
  stop: () => Promise<void>;
};

/** What a start needs to know. The cluster exists: one that vanished under a running server is never silently recreated. */
export type ServerOptions = {
  /** Its folder in the data folder, which holds its lock. */
  base: string;
  home: Home;
  postgres: string;
  logFile: LogFile;
  /** Else the one it had last, else a free one. */
  port?: number | undefined;
  /** Ends the start, and the server with it. */
  signal?: AbortSignal | undefined;
  log: (line: string) => void;
};

/**
 * Runs the server and ends with it. Its standard input is a pipe whose other end this process alone holds: when that ends, because the
 * server shall stop or because this process died, by `kill -9` too, it stops the server: first what runs is rolled back and the data
 * written (INT, 10 s), then the WAL is left to recover from (QUIT, 5 s), then it is killed. Descriptor 3 is the server's lock.
 */
const KEEPER = `
exec 4<&0
"$@" < /dev/null 4<&- &
server=$!
exec 3>&-
{
  read -r _ <&4
  for step in INT:100 QUIT:50 KILL:50; do
    kill "-\${step%:*}" "$server"
    left=\${step#*:}
    while [ "$left" -gt 0 ]; do
      kill -0 "$server" || exit 0
      sleep 0.1 || sleep 1
      left=$((left - 1))
    done
  done
} > /dev/null 2>&1 &
watch=$!
wait "$server"
status=$?
exec 2> /dev/null
kill "$watch"
wait "$watch"
exit "$status"`;
/** Of a shell: what it was to run is not there, or cannot be run. */
const NOT_RUN: unknown[] = [126, 127];

/** A server that somebody else told to stop waits for its clients, and ours stay: it is looked for this often, and told to hurry. */
const SHUTDOWN_LOOK_MS = 3_000;
const LOOK_MS = 10;

/**
 * Ends what is left of an earlier server, starts a new one and returns when it is ready; recovery after a crash may take minutes.
 * @throws StartError with the server's own last word when it will not run.
 */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { base, home, signal, log } = options;
  await closeToOthers(home.cluster);
  await endLeftOver(home.cluster, log);
  const lock = await lockServer(base, signal);
  try {
    // PostgreSQL does this itself, except where the number now belongs to another program of the same user: then it would refuse to start.
    if (!(await findPostmaster(home.cluster))) await rm(path.join(home.cluster, 'postmaster.pid'), { force: true });
    return await run(lock, options);
  } finally {
    // From here on the server alone has it.
    closeSync(lock);
  }
}

async function run(lock: number, options: ServerOptions): Promise<Server> {
  const { home, logFile, signal } = options;
  const port = await choosePort(home.folder, options.port);
  const output = logFile.open();
  const before = logFile.mark();
  try {
    const server = launch(options, port, [output, lock]);
    if (await isReady(server, home.cluster, signal)) {
      // So that a `psql` pointed at it finds it after a restart. A full disk does without.
      await writeFile(path.join(home.folder, 'port'), `${port}\n`).catch(() => {});
      return server;
    }
    await server.stop();
    signal?.throwIfAborted();
    throw whyEnded(await server.ended, logFile.since(before), logFile.file);
  } finally {
    closeSync(output);
  }
}

/**
 * In a session of its own: Ctrl-C at a terminal reaches every process of the group, and the database has to outlive the web process and
 * the jobs. Its log is a file, not a pipe, which would break when this process is killed.
 */
function launch({ home, postgres, log }: ServerOptions, port: number, [output, lock]: [number, number]): Server {
  const { account, cluster } = home;
  const child = spawn('/bin/sh', ['-c', KEEPER, 'roundtrip-postgres', postgres, ...serverArguments(cluster, port)], {
    cwd: '/',
    env: serverEnvironment(),
    detached: true,
    stdio: ['pipe', output, output, lock],
    ...account,
  });
  child.unref();
  const input = child.stdin;
  // One that ended by itself takes no end.
  input?.on('error', () => {});
  const exit = new Promise<number | null | Error>((resolve) => child.once('exit', resolve).once('error', resolve));
  const ended = exit.then(async (status) => {
    clearInterval(looking);
    await endLeftOver(cluster, log);
    return status;
  });
  const stop = async () => {
    child.ref();
    input?.end();
    await ended;
  };
  const hurry = async () => (await readPostmaster(cluster))?.state === 'stopping' && stop();
  const looking = setInterval(hurry, SHUTDOWN_LOOK_MS).unref();
  return { port, ended, stop };
}

/** Whether the server came to be ready; false when it ended first. */
async function isReady({ ended }: Server, cluster: string, signal?: AbortSignal): Promise<boolean> {
  const gone = ended.then(() => true);
  while (!signal?.aborted) {
    if ((await readPostmaster(cluster))?.state === 'ready') return true;
    if (await Promise.race([gone, sleep(LOOK_MS, false)])) return false;
  }
  return false;
}

/**
 * The port to listen on at 127.0.0.1: the one asked for, else the one remembered in `folder`, else a free one.
 * @throws StartError when the one asked for is taken.
 */
async function choosePort(folder: string, wanted?: number): Promise<number> {
  if (wanted !== undefined) {
    if (await freePort(wanted)) return wanted;
    throw new StartError(
      `Port ${wanted}, configured for the database, is in use. Stop the program that listens there, or choose another.`,
    );
  }
  const remembered = Number(await readFile(path.join(folder, 'port'), 'utf8').catch(() => '0'));
  const free = (remembered > 0 && (await freePort(remembered))) || (await freePort(0));
  if (free) return free;
  throw new StartError('No port at 127.0.0.1 is free for the database. Close some programs and start again.');
}

/** `port` itself, any free one for 0, or null when it is taken. */
function freePort(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(address !== null && typeof address === 'object' ? address.port : null));
    });
  });
}

/** The server ended before it was ready, for no reason that is known to stay. */
export class NotReadyError extends StartError {}

/** Why a server ended before it was ready, by its exit status and what it wrote to its log, a file. */
function whyEnded(status: unknown, log: string, file: string): StartError {
  if (status instanceof Error) return new StartError(`PostgreSQL could not be run: ${status.message}.`);
  const complaint = lastComplaint(log);
  if (NOT_RUN.includes(status)) return new StartError(`PostgreSQL could not be run: ${complaint}.`);
  if (/No space left on device/.test(log))
    return new DiskFullError('The disk of the database is full. Free some space and start again: no data was lost.');
  if (/Permission denied|has wrong ownership/.test(log))
    return new StartError(`PostgreSQL cannot use its data folder: ${complaint}.`);
  return new NotReadyError(`PostgreSQL did not start: ${complaint}. Its log is ${file}.`);
}

/** The last line the server wrote at a level that stops it, without its time stamp. */
function lastComplaint(log: string): string {
  const lines = log.split('\n').filter((line) => /FATAL|PANIC|ERROR/.test(line));
  return (lines.at(-1) ?? log.trim().split('\n').at(-1) ?? '').replace(/^.*?(FATAL|PANIC|ERROR): */, '') || 'no output';
}
