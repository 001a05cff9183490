import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { IngestServer } from '../support/ingest-server.ts';
import { startTlsTarget, TEST_VANTAGE, type TlsTarget } from '../support/tls-target.ts';

const MAIN = join(import.meta.dirname, '../../workers/prober/main.ts');
const within = { timeout: 20_000, interval: 20 };

let target: TlsTarget;
let server: IngestServer;
let dataDir: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  target = await startTlsTarget();
});
afterAll(() => target.close());
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'prober-'));
  server = new IngestServer(TEST_VANTAGE);
  target.handshakes.length = 0;
  await server.open();
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
  await server.close();
  rmSync(dataDir, { recursive: true });
  expect(server.faults).toEqual([]);
});

function spawnProber(token = server.token): ChildProcess {
  const child = fork(MAIN, ['--server', server.url, '--token', token, '--data', dataDir], {
    execArgv: [],
    silent: true,
  });
  children.push(child);
  return child;
}

describe('the prober as a process', () => {
  it('loses at most the last second to a kill -9, and sends nothing twice', async () => {
    for (let count = 0; count < 5; count += 1) server.put(target.check());
    const first = spawnProber();
    expect(await once(first, 'message')).toEqual([{ ready: true }, undefined]);
    await server.close();
    await vi.waitFor(() => expect(target.handshakes.length).toBeGreaterThan(15), within);
    const killedAt = Date.now();
    first.kill('SIGKILL');
    await once(first, 'exit');
    await server.open();
    const older = () => [...server.results.values()].filter(({ startedAt }) => Date.parse(startedAt) <= killedAt);
    const safe = target.handshakes.filter((at) => at < killedAt - 1_000).length;
    spawnProber();
    await server.until(() => server.results.size > older().length);
    expect(older().length).toBeGreaterThanOrEqual(safe);
    expect(safe).toBeGreaterThan(5);
    expect(server.duplicates).toBe(0);
    expect(server.enrolments).toBe(1);
  });

  it('sends again what a kill -9 left without an answer, under the same ids', async () => {
    server.put(target.check());
    server.losesAnswers = true;
    const first = spawnProber();
    await server.until(() => server.results.size > 0);
    first.kill('SIGKILL');
    await once(first, 'exit');
    const before = [...server.results.keys()];
    server.losesAnswers = false;
    spawnProber();
    await server.until(() => server.results.size > before.length);
    expect(server.duplicates).toBeGreaterThan(0);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'stops on %s with status 0 and has uploaded all it measured',
    async (signal) => {
      server.put(target.check());
      const child = spawnProber();
      await server.until(() => server.results.size > 0);
      const exit = once(child, 'exit');
      child.kill(signal);
      expect(await exit).toEqual([0, null]);
      expect(server.results.size).toBe(target.handshakes.length);
    },
  );

  it('stops when the process that started it goes away', async () => {
    const child = spawnProber();
    await once(child, 'message');
    const exit = once(child, 'exit');
    child.disconnect();
    expect(await exit).toEqual([0, null]);
  });

  it('ends with status 1 and a sentence when the server refuses its token', async () => {
    const child = spawnProber('rte_never-made-here');
    const [[status], said] = await Promise.all([once(child, 'exit'), child.stderr ? text(child.stderr) : '']);
    expect(status).toBe(1);
    expect(said).toContain('roundtrip: The server refuses the enrolment token');
  });
});
