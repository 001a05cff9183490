import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { v4 } from 'uuid';
import { describe, expect, vi } from 'vitest';
import type { ProberReport } from '#contract/ingest.ts';
import { ProbeSettings } from '#contract/target.ts';
import { IngestClient } from '#workers/prober/client.ts';
import { startProber } from '#workers/prober/prober.ts';
import { ProberClock } from '#workers/prober/prober-clock.ts';
import { Quarantine } from '#workers/prober/quarantine.ts';
import { Reports } from '#workers/prober/report.ts';
import { ServerTime } from '#workers/prober/server-time.ts';
import { Spool } from '#workers/prober/spool.ts';
import { Standing } from '#workers/prober/standing.ts';
import { ThreadPool } from '#workers/prober/threads/pool.ts';
import { Uploader } from '#workers/prober/upload.ts';
import { extent, isLong } from '../support/extent.ts';
import { contractTest as test, within } from '../support/prober-scene.ts';

const THREAD = pathToFileURL(join(import.meta.dirname, '../../workers/prober/threads/thread.ts')).href;
/** 200 checks a second, so long. */
const LOADED_SECONDS = extent(2, 10);
const CHECKS = 200 * LOADED_SECONDS;

function total(reports: ProberReport[]) {
  const sum = (key: 'started' | 'missed' | 'retaken' | 'unclean' | 'dropped') =>
    reports.reduce((all, report) => all + report[key], 0);
  return { started: sum('started'), missed: sum('missed'), retaken: sum('retaken'), unclean: sum('unclean') };
}

describe('a prober of several threads', () => {
  test(`starts or counts every run of ${CHECKS} checks, evenly, and loses none of it to SIGTERM`, async ({
    scene: { bench, server, target },
  }) => {
    const settings = ProbeSettings.parse({ ...target.check().settings, http: false });
    for (let count = 0; count < CHECKS; count += 1) {
      server.put(target.check({ id: v4(), periodSeconds: LOADED_SECONDS, timeoutMs: 500 * LOADED_SECONDS, settings }));
    }
    const child = bench.spawn({ threads: 2 });
    const [{ ready }] = (await once(child, 'message')) as [{ ready: boolean }];
    expect(ready).toBe(true);
    // A run that our own load disturbed is taken again, and both of its Results come.
    const undisturbed = () => [...server.results.values()].filter(({ prober }) => prober.clean).length;
    await server.until(() => undisturbed() >= CHECKS);
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    const results = [...server.results.values()];
    const { started, missed, retaken, unclean } = total(server.reports);
    console.info({ started, missed, retaken, unclean, results: results.length, handshakes: target.handshakes.length });
    expect(started + missed).toBeGreaterThanOrEqual(CHECKS);
    // Every run that was started became a Result, and every Result came through; what the prober counts, it measured.
    expect(results.length).toBe(started + retaken);
    expect(unclean).toBe(results.filter(({ prober }) => !prober.clean).length);
    expect(server.reports.at(-1)).toMatchObject({ checks: CHECKS, threads: 2 });
    // 20 a tenth of a second in the mean while all are measured: at most 5 ms apart on each of two threads.
    const perTenth = new Map<number, number>();
    for (const { startedAt } of results) {
      const tenth = Math.floor(Date.parse(startedAt) / 100);
      perTenth.set(tenth, (perTenth.get(tenth) ?? 0) + 1);
    }
    expect(Math.max(...perTenth.values())).toBeLessThanOrEqual(2 * 21);
  });

  test.concurrent('measures the checks of each thread and takes changes to where they belong', async ({
    scene: { bench, server, target },
  }) => {
    const checks = Array.from({ length: 12 }, () => target.check());
    for (const check of checks) server.put(check);
    const running = await bench.start({ threads: 3 });
    const measured = () => new Set([...server.results.values()].map(({ targetId }) => targetId)).size;
    await server.until(() => measured() === 12);
    for (const { id } of checks.slice(0, 10)) server.remove(id);
    await vi.waitFor(() => expect(running.stats()).toMatchObject({ checks: 2, threads: 3 }), within);
    await running.stop();
    const { started, retaken, faults, pendingBytes } = running.stats();
    expect(server.results.size).toBe(started + retaken);
    expect({ faults, pendingBytes }).toEqual({ faults: 0, pendingBytes: 0 });
  });

  test.runIf(isLong)(
    'reports of itself with its first batch, and of all it did when it stops',
    { concurrent: true },
    async ({ scene: { bench, server, target } }) => {
      server.put(target.check());
      const running = await bench.start({ threads: 1 });
      await server.until(() => server.batches.length >= 3);
      expect(server.reports[0]).toMatchObject({ checks: 1, threads: 1 });
      expect(server.reports.length).toBeLessThan(server.batches.length);
      await running.stop();
      for (const [index, { since }] of server.reports.entries()) {
        expect(Date.parse(since)).toBeGreaterThanOrEqual(Date.parse(server.reports[index - 1]?.since ?? since));
      }
      expect(total(server.reports)).toMatchObject({ started: running.stats().started });
    },
  );

  test.concurrent('reports of itself also when it has no result to send', async ({ scene: { bench, server } }) => {
    const spool = new Spool({ directory: join(bench.dataDir, 'empty') });
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
      waiting: new Spool({ directory: join(bench.dataDir, 'waiting') }),
      quarantine: new Quarantine({ directory: join(bench.dataDir, 'quarantine'), logger: bench.logger }),
      client,
      credential,
      standing: new Standing({ logger: bench.logger }),
      clock,
      time: new ServerTime({ dataDir: bench.dataDir, clock, logger: bench.logger }),
      logger: bench.logger,
      report,
      settledUntil: () => null,
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

  test
    .runIf(isLong)
    .concurrent(
      'starts a thread that dies again, with its checks, and says so',
      async ({ scene: { bench, target } }) => {
        // A thread that measures as all do, and dies of an exception after its first Results.
        const entry = join(bench.dataDir, 'dying.mjs');
        writeFileSync(
          entry,
          `import ${JSON.stringify(THREAD)}; setTimeout(() => { throw new Error('gone'); }, 1_500);`,
        );
        const lines: string[] = [];
        const pool = new ThreadPool({
          threads: 1,
          reachable: ['127.0.0.1'],
          firstSpreadMs: 100,
          logger: bench.logger,
          entry: pathToFileURL(entry),
          onLines: (more) => lines.push(...more),
        });
        await pool.ready();
        pool.apply([target.check()], []);
        await vi.waitFor(() => expect(lines.length).toBeGreaterThan(0), within);
        const before = await vi.waitFor(() => {
          expect(bench.log.join('\n')).toMatch(/measuring thread 1 failed: Error: gone/);
          return lines.length;
        }, within);
        await vi.waitFor(() => expect(lines.length).toBeGreaterThan(before), within);
        expect(bench.log.join('\n')).toMatch(/measuring thread 1 ended .* started again with its 1 checks/);
        expect(pool.stats()).toMatchObject({ checks: 1, threads: 1 });
        expect(pool.stats().started).toBeGreaterThanOrEqual(before);
        await pool.stop(500);
      },
    );

  test.concurrent('refuses environments that cannot be taken to other threads', async ({
    scene: { bench, server },
  }) => {
    const options = {
      server: server.url,
      token: server.token,
      dataDir: bench.dataDir,
      logger: bench.logger,
      threads: 2,
    };
    const environmentFor = () => {
      throw new Error('not asked');
    };
    await expect(startProber({ ...options, environmentFor })).rejects.toThrow('other threads');
  });
});
