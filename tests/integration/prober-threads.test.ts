import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { v4 } from 'uuid';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ProberReport } from '#contract/ingest.ts';
import { ProbeSettings } from '#contract/target.ts';
import { IngestClient } from '#workers/prober/client.ts';
import { type Prober, startProber } from '#workers/prober/prober.ts';
import { ProberClock } from '#workers/prober/prober-clock.ts';
import { Quarantine } from '#workers/prober/quarantine.ts';
import { Reports } from '#workers/prober/report.ts';
import { ServerTime } from '#workers/prober/server-time.ts';
import { Spool } from '#workers/prober/spool.ts';
import { Standing } from '#workers/prober/standing.ts';
import { ThreadPool } from '#workers/prober/threads/pool.ts';
import { Uploader } from '#workers/prober/upload.ts';
import { IngestServer } from '../support/ingest-server.ts';
import { startTlsTarget, TEST_VANTAGE, type TlsTarget } from '../support/tls-target.ts';

const MAIN = join(import.meta.dirname, '../../workers/prober/main.ts');
const within = { timeout: 25_000, interval: 20 };
const THREAD = pathToFileURL(join(import.meta.dirname, '../../workers/prober/threads/thread.ts')).href;

let target: TlsTarget;
let server: IngestServer;
let dataDir: string;
let log: string[];
let child: ChildProcess | undefined;
let prober: Prober | undefined;

beforeAll(async () => {
  target = await startTlsTarget();
});
afterAll(() => target.close());
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'prober-'));
  log = [];
  server = new IngestServer(TEST_VANTAGE);
  target.handshakes.length = 0;
  await server.open();
});
afterEach(async () => {
  await prober?.stop();
  prober = undefined;
  if (child && child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await server.close();
  rmSync(dataDir, { recursive: true });
  expect(server.faults).toEqual([]);
});

const say = (message: string) => void log.push(message);
const logger = { debug: say, info: say, warn: say, error: say };

async function start(threads: number): Promise<Prober> {
  prober = await startProber({ server: server.url, token: server.token, dataDir, firstSpreadMs: 200, logger, threads });
  return prober;
}

function total(reports: ProberReport[]) {
  const sum = (key: 'started' | 'missed' | 'retaken' | 'unclean' | 'dropped') =>
    reports.reduce((all, report) => all + report[key], 0);
  return { started: sum('started'), missed: sum('missed'), retaken: sum('retaken'), unclean: sum('unclean') };
}

describe('a prober of several threads', () => {
  it('starts or counts every run of 2,000 checks, evenly, and loses none of it to SIGTERM', async () => {
    const checks = 2_000;
    const settings = ProbeSettings.parse({ ...target.check().settings, http: false });
    for (let count = 0; count < checks; count += 1) {
      server.put(target.check({ id: v4(), periodSeconds: 10, timeoutMs: 5_000, settings }));
    }
    const args = ['--server', server.url, '--token', server.token, '--data', dataDir, '--threads', '2'];
    child = fork(MAIN, args, { execArgv: [], silent: true });
    const [{ ready }] = (await once(child, 'message')) as [{ ready: boolean }];
    expect(ready).toBe(true);
    const told = () => total(server.reports);
    await server.until(() => told().started + told().missed >= checks);
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    const results = [...server.results.values()];
    const { started, missed, retaken, unclean } = told();
    console.info({ started, missed, retaken, unclean, results: results.length, handshakes: target.handshakes.length });
    // Every run that was started became a Result, and every Result came through; what the prober counts, it measured.
    expect(results.length).toBe(started + retaken);
    expect(unclean).toBe(results.filter(({ prober }) => !prober.clean).length);
    expect(server.reports.at(-1)).toMatchObject({ checks, threads: 2 });
    // 20 a tenth of a second in the mean while all are measured: at most 5 ms apart on each of two threads.
    const perTenth = new Map<number, number>();
    for (const { startedAt } of results) {
      const tenth = Math.floor(Date.parse(startedAt) / 100);
      perTenth.set(tenth, (perTenth.get(tenth) ?? 0) + 1);
    }
    expect(Math.max(...perTenth.values())).toBeLessThanOrEqual(2 * 21);
  }, 60_000);

  it('measures the checks of each thread and takes changes to where they belong', async () => {
    const checks = Array.from({ length: 12 }, () => target.check());
    for (const check of checks) server.put(check);
    const running = await start(3);
    const measured = () => new Set([...server.results.values()].map(({ targetId }) => targetId)).size;
    await server.until(() => measured() === 12);
    for (const { id } of checks.slice(0, 10)) server.remove(id);
    await vi.waitFor(() => expect(running.stats()).toMatchObject({ checks: 2, threads: 3 }), within);
    await running.stop();
    const { started, retaken, faults, pendingBytes } = running.stats();
    expect(server.results.size).toBe(started + retaken);
    expect({ faults, pendingBytes }).toEqual({ faults: 0, pendingBytes: 0 });
  });

  it('reports of itself with each batch', async () => {
    server.put(target.check());
    const running = await start(1);
    await server.until(() => server.reports.length >= 3);
    expect(server.reports[0]).toMatchObject({ checks: 1, threads: 1 });
    for (const [index, { since }] of server.reports.entries()) {
      expect(Date.parse(since)).toBeGreaterThanOrEqual(Date.parse(server.reports[index - 1]?.since ?? since));
    }
    await running.stop();
    expect(total(server.reports)).toMatchObject({ started: running.stats().started });
  });

  it('reports of itself also when it has no result to send', async () => {
    const spool = new Spool({ directory: join(dataDir, 'empty') });
    const halt = new AbortController();
    const client = new IngestClient({ server: server.url, signal: halt.signal });
    const stats = { checks: 0, inFlight: 0, threads: 1, started: 0, missed: 3, retaken: 0, unclean: 0 };
    const none = { faults: 0, leftOut: 0, dropped: 0, rejected: 0, quarantined: 0, quarantineBytes: 0 };
    const reports = new Reports(() => ({ ...stats, ...none }));
    const { credential } = server;
    const report = () => reports.next();
    const often = { everyMs: 10, reportEveryMs: 50 };
    const clock = new ProberClock();
    const uploader = new Uploader({
      spool,
      waiting: new Spool({ directory: join(dataDir, 'waiting') }),
      quarantine: new Quarantine({ directory: join(dataDir, 'quarantine'), logger }),
      client,
      credential,
      standing: new Standing({ logger }),
      clock,
      time: new ServerTime({ dataDir, clock, logger }),
      logger,
      report,
      ...often,
    });
    const uploading = uploader.run(halt.signal);
    await server.until(() => server.reports.length >= 2);
    halt.abort();
    await uploading;
    await spool.close();
    expect(server.reports[0]).toMatchObject({ checks: 0, missed: 3 });
    expect(server.reports[1]).toMatchObject({ missed: 0 });
    expect(server.batches.every(({ ids }) => ids.length === 0)).toBe(true);
  });

  it('brings its results to a server that takes no reports', async () => {
    server.put(target.check());
    server.refuse = (_, report) => (report ? { status: 422, body: { detail: 'unknown key report' } } : null);
    const running = await start(0);
    await server.until(() => server.results.size >= 2);
    await running.stop();
    expect(server.reports).toEqual([]);
    expect(running.stats().rejected).toBe(0);
    expect(log.join('\n')).toContain('takes no reports');
  });

  it('starts a thread that dies again, with its checks, and says so', async () => {
    // A thread that measures as all do, and dies of an exception after its first Results.
    const entry = join(dataDir, 'dying.mjs');
    writeFileSync(entry, `import ${JSON.stringify(THREAD)}; setTimeout(() => { throw new Error('gone'); }, 1_500);`);
    const lines: string[] = [];
    const pool = new ThreadPool({
      threads: 1,
      firstSpreadMs: 100,
      logger,
      entry: pathToFileURL(entry),
      onLines: (more) => lines.push(...more),
    });
    await pool.ready();
    pool.apply([target.check()], []);
    await vi.waitFor(() => expect(lines.length).toBeGreaterThan(0), within);
    const before = await vi.waitFor(() => {
      expect(log.join('\n')).toMatch(/measuring thread 1 failed: Error: gone/);
      return lines.length;
    }, within);
    await vi.waitFor(() => expect(lines.length).toBeGreaterThan(before), within);
    expect(log.join('\n')).toMatch(/measuring thread 1 ended .* started again with its 1 checks/);
    expect(pool.stats()).toMatchObject({ checks: 1, threads: 1 });
    expect(pool.stats().started).toBeGreaterThanOrEqual(before);
    await pool.stop(500);
  });

  it('refuses environments that cannot be taken to other threads', async () => {
    const options = { server: server.url, token: server.token, dataDir, logger, threads: 2 };
    const environmentFor = () => {
      throw new Error('not asked');
    };
    await expect(startProber({ ...options, environmentFor })).rejects.toThrow('other threads');
  });
});
