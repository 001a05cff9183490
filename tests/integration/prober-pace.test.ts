import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { IngestClient } from '#workers/prober/client.ts';
import { ProberClock } from '#workers/prober/prober-clock.ts';
import { Quarantine } from '#workers/prober/quarantine.ts';
import { Reports } from '#workers/prober/report.ts';
import { ServerTime } from '#workers/prober/server-time.ts';
import { Spool } from '#workers/prober/spool.ts';
import { Standing } from '#workers/prober/standing.ts';
import { ENOUGH_RESULTS, Uploader } from '#workers/prober/upload.ts';
import { isLong } from '../support/extent.ts';
import { type ContractScene, moreProbes, contractTest as test, within } from '../support/prober-scene.ts';
import { makeResult } from '../support/results.ts';
import { TEST_VANTAGE } from '../support/tls-target.ts';

// When a prober sends its next batch, and when a report goes with it. Where something is not to happen, the loop is let
// round a few times.

const MINUTE_MS = 60_000;
const ROUNDS = 5;

/** An uploader alone, whose loop turns every 10 ms. */
function startUploader({ bench, server, target }: ContractScene) {
  const folder = (name: string) => join(bench.dataDir, name);
  const spool = new Spool({ directory: folder('spool') });
  const waiting = new Spool({ directory: folder('waiting') });
  const flush = vi.spyOn(spool, 'flush');
  const halt = new AbortController();
  const finish = new AbortController();
  const clock = new ProberClock();
  const { logger } = bench;
  const stats = { checks: 1, inFlight: 0, threads: 1, started: 0, missed: 0, retaken: 0, unclean: 0 };
  const losses = { faults: 0, leftOut: 0, dropped: 0, rejected: 0, quarantined: 0, quarantineBytes: 0 };
  const counted = { ...stats, ...losses };
  const reports = new Reports(() => ({ ...counted }));
  const uploader = new Uploader({
    spool,
    waiting,
    quarantine: new Quarantine({ directory: folder('quarantine'), logger }),
    client: new IngestClient({ server: server.url, signal: halt.signal }),
    credential: server.credential,
    standing: new Standing({ logger }),
    clock,
    time: new ServerTime({ dataDir: bench.dataDir, clock, logger }),
    logger,
    report: () => reports.next(),
    settledUntil: () => null,
    everyMs: 10,
  });
  const uploading = uploader.run(finish.signal);
  const { targetId } = target.check();
  let made = 0;
  const add = (count: number) => {
    for (; count > 0; count -= 1) {
      made += 1;
      spool.append(JSON.stringify(makeResult({ targetId, vantage: TEST_VANTAGE, startedAt: Date.now() - made })));
    }
  };
  const rounds = async () => {
    const { length } = flush.mock.calls;
    await vi.waitFor(() => expect(flush.mock.calls.length).toBeGreaterThan(length + ROUNDS), within);
  };
  const stop = async () => {
    finish.abort();
    await uploading;
    halt.abort();
    await spool.close();
    await waiting.close();
  };
  return { add, rounds, stop, counted };
}

const sizes = ({ server }: ContractScene) => server.batches.map(({ ids }) => ids.length);

/** Results in the segments of a spool that have not been compressed. */
function onDisk(dataDir: string): number {
  const folder = join(dataDir, 'spool');
  const logs = readdirSync(folder).filter((name) => name.endsWith('.log'));
  return logs.reduce((sum, name) => sum + readFileSync(join(folder, name)).filter((byte) => byte === 0x1e).length, 0);
}

describe.concurrent('the next batch of a prober', () => {
  test.runIf(isLong)(
    'waits as long as the server asks, on the disk, and goes out at once when the prober is to stop',
    async ({ scene: { bench, server, target } }) => {
      server.put(target.check());
      server.nextBatchMs = MINUTE_MS;
      const prober = await bench.start();
      await server.until(() => server.results.size > 0);
      const stored = server.results.size;
      await moreProbes(prober, 3);
      await vi.waitFor(() => expect(onDisk(bench.dataDir)).toBeGreaterThanOrEqual(3), within);
      expect(server.results.size).toBe(stored);
      expect(server.batches.filter(({ ids }) => ids.length > 0)).toHaveLength(1);
      await prober.stop();
      const { started, retaken, pendingBytes } = prober.stats();
      expect(server.results.size).toBe(started + retaken);
      expect(pendingBytes).toBe(0);
    },
  );

  test('waits a second where the server does not say how long', async ({ scene: { bench, server, target } }) => {
    server.put(target.check());
    await bench.start();
    await server.until(() => server.batches.length >= 3);
    const [first, , third] = server.batches;
    expect((third?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(1_900);
  });

  test(`goes out as soon as ${ENOUGH_RESULTS} results are waiting`, async ({ scene }) => {
    scene.server.nextBatchMs = MINUTE_MS;
    const uploader = startUploader(scene);
    uploader.add(1);
    await scene.server.until(() => scene.server.batches.length > 0);
    uploader.add(ENOUGH_RESULTS - 1);
    await uploader.rounds();
    expect(sizes(scene)).toEqual([1]);
    uploader.add(1);
    await scene.server.until(() => scene.server.batches.length > 1);
    expect(sizes(scene)).toEqual([1, ENOUGH_RESULTS]);
    await uploader.stop();
  });

  test('is not held up while a backlog is there, however long the server asks to wait', async ({ scene }) => {
    scene.server.nextBatchMs = MINUTE_MS;
    const backlog = new Spool({ directory: join(scene.bench.dataDir, 'spool'), segmentBytes: 64 * 1024 });
    const { targetId } = scene.target.check();
    for (let n = 0; n < 2 * ENOUGH_RESULTS; n += 1) {
      backlog.append(JSON.stringify(makeResult({ targetId, vantage: TEST_VANTAGE, startedAt: Date.now() - n })));
    }
    await backlog.close();
    const uploader = startUploader(scene);
    await scene.server.until(() => scene.server.results.size > ENOUGH_RESULTS);
    expect(Math.max(...sizes(scene))).toBeLessThan(ENOUGH_RESULTS); // each batch is of one segment
    await uploader.stop();
    expect(scene.server.results.size).toBe(2 * ENOUGH_RESULTS);
  });

  test('goes out at once where there was nothing to send for a while', async ({ scene }) => {
    scene.server.nextBatchMs = 50;
    const uploader = startUploader(scene);
    uploader.add(1);
    await scene.server.until(() => scene.server.batches.length > 0);
    await uploader.rounds();
    await uploader.rounds();
    scene.server.nextBatchMs = MINUTE_MS; // said with the next answer
    uploader.add(1);
    await scene.server.until(() => scene.server.batches.length > 1);
    uploader.add(1);
    await uploader.rounds();
    expect(sizes(scene)).toEqual([1, 1]);
    await uploader.stop();
    expect(sizes(scene)).toEqual([1, 1, 1]);
  });
});

describe.concurrent('what the results of a batch share', () => {
  test('is sent once', async ({ scene }) => {
    const { server } = scene;
    const uploader = startUploader(scene);
    uploader.add(20);
    await server.until(() => server.results.size === 20);
    const sent = server.batches.filter(({ ids }) => ids.length > 1);
    expect(new Set(sent.map(({ parts }) => parts !== null))).toEqual(new Set([true]));
    await uploader.stop();
  });
});

describe.concurrent('the report of a prober', () => {
  test('goes with the first batch and the last, and with few between', async ({ scene }) => {
    const { server } = scene;
    const uploader = startUploader(scene);
    for (let batch = 1; batch <= 3; batch += 1) {
      uploader.counted.started += 1;
      uploader.add(1);
      await server.until(() => server.batches.length === batch);
    }
    expect(server.reports.map(({ started }) => started)).toEqual([1]);
    await uploader.stop();
    expect(server.reports.map(({ started }) => started)).toEqual([1, 2]);
  });

  test.for(['dropped', 'rejected', 'quarantined'] as const)(
    'goes with the next batch where more results are %s',
    async (loss, { scene }) => {
      const { server } = scene;
      const uploader = startUploader(scene);
      for (let batch = 1; batch <= 4; batch += 1) {
        if (batch === 3) uploader.counted[loss] += 2;
        uploader.add(1);
        await server.until(() => server.batches.length === batch);
      }
      expect(server.reports.map((report) => report[loss] ?? 0)).toEqual([0, 2]);
      await uploader.stop();
    },
  );

  test('is not blamed for a batch that had none', async ({ scene }) => {
    const { server } = scene;
    const uploader = startUploader(scene);
    uploader.add(1);
    await server.until(() => server.results.size === 1);
    let refused = 0;
    server.refuse = (_, report) => (report === undefined && refused++ === 0 ? { status: 400 } : null);
    uploader.add(2);
    await server.until(() => server.results.size === 3);
    await uploader.stop();
    expect(server.reports.length).toBeGreaterThan(1);
  });
});
