import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { keepServer, type RestartLimits } from '#cli/database/postgres/keep.ts';
import { DiskFullError, StartError } from '#cli/start-error.ts';

// Real processes in PostgreSQL's place: what counts is when one is started again, and when no more.

const limits: RestartLimits = { mostEnds: 4, withinMs: 60_000, firstPauseMs: 1, longestPauseMs: 4 };
const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

async function startServer() {
  const child = spawn('sleep', ['60']);
  started.push(child);
  await once(child, 'spawn');
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  return { port: 0, ended, stop };
}

const newest = () => started.at(-1);

it('starts the server again after each end, and gives up at the last of too many', async () => {
  const lines: string[] = [];
  const first = await startServer();
  const kept = keepServer(first, {
    logFile: '/x/server.log',
    restart: startServer,
    log: (l) => lines.push(l),
    limits,
  });
  const failure = kept.failed.catch((error: unknown) => error);
  for (let end = 1; end <= limits.mostEnds; end++) {
    const before = started.length;
    newest()?.kill('SIGKILL');
    if (end < limits.mostEnds) await expect.poll(() => started.length).toBe(before + 1);
  }
  const error = await failure;
  expect(error).toBeInstanceOf(StartError);
  expect(String(error)).toMatch(/ended unexpectedly for the 4th time within 1 minutes .*Its log is \/x\/server\.log\./);
  expect(lines.filter((line) => line.includes('restarting'))).toHaveLength(limits.mostEnds - 1);
  await kept.stop();
});

it('counts a start that fails like an end', async () => {
  const first = await startServer();
  const restart = async () => {
    throw new StartError('PostgreSQL did not start: no such thing');
  };
  const kept = keepServer(first, { logFile: '/x/server.log', restart, log: () => {}, limits });
  newest()?.kill('SIGKILL');
  await expect(kept.failed).rejects.toThrow(/no such thing.*for the 4th time/);
});

it('waits for room on a full disk however long it takes, and says so once', async () => {
  const lines: string[] = [];
  let full = limits.mostEnds * 3;
  const restart = async () => {
    if (full-- > 0) throw new DiskFullError('The disk of the database is full.');
    return startServer();
  };
  const first = await startServer();
  const kept = keepServer(first, {
    logFile: '/x/server.log',
    restart,
    log: (line) => lines.push(line),
    limits,
  });
  newest()?.kill('SIGKILL');
  await expect.poll(() => started.length).toBe(2);
  expect(lines.filter((line) => line.includes('disk'))).toHaveLength(1);
  await kept.stop();
  expect(newest()?.signalCode).toBe('SIGKILL');
});

it('can be stopped while it waits to start again', async () => {
  const first = await startServer();
  const slow = { ...limits, firstPauseMs: 60_000, longestPauseMs: 60_000 };
  const restart = async () => {
    throw new StartError('not now');
  };
  const lines: string[] = [];
  const kept = keepServer(first, { logFile: '/x', restart, log: (line) => lines.push(line), limits: slow });
  newest()?.kill('SIGKILL');
  await expect.poll(() => lines.length).toBe(2);
  await kept.stop();
});
