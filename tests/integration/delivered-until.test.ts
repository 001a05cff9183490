import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { getPool } from '#server/database/database.ts';
import { readStatus } from '#server/detection/status.ts';
import { ingestBatch } from '#server/ingest/ingest.ts';
import { createDetectionJob } from '#server/pipeline/pipeline.ts';
import { GRACE_SECONDS, MARGIN_SECONDS, watermarkAt } from '#server/vantages/delivered.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { detectUntil, forgetDetection } from '../support/detecting.ts';
import { extent } from '../support/extent.ts';
import { assignAll, insertProber, insertTarget } from '../support/places.ts';
import { moreProbes, contractTest as test, within } from '../support/prober-scene.ts';
import { makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

// Up to when probers have delivered: what they say, and what the detector makes of it.

vi.setConfig({ maxConcurrency: 3 });

describe.concurrent('a prober', () => {
  for (const threads of extent([2], [0, 2]))
    test(`says up to when it has delivered, and keeps its word, with ${threads} threads`, async ({
      scene: { bench, server, target },
    }) => {
      for (let index = 0; index < 6; index++) server.put(target.check());
      const prober = await bench.start({ threads });
      await moreProbes(prober, 30);
      const said = () => server.words.at(-1) ?? 0;
      const [results, startedBy] = [server.results.size, Date.now()];
      await vi.waitFor(() => expect(said()).toBeGreaterThan(startedBy), within);
      expect(server.results.size).toBeGreaterThan(results);
      expect(server.broken).toEqual([]);
    });
});

describe('the server', () => {
  const vantages = [makeVantage('CN-BJ', 'telecom'), makeVantage('CN-GD', 'telecom')] as const;
  const probers: { id: string; vantageIds: string[] }[] = [];
  let database: TestDatabase;
  let targetId: string;
  beforeAll(async () => {
    database = await testDatabase();
    for (const vantage of vantages) probers.push({ id: await insertProber([vantage]), vantageIds: [vantage.id ?? ''] });
    targetId = await insertTarget();
    await assignAll();
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    await getPool().query('update prober set delivered_until = null, last_seen_at = null');
    await getPool().query('truncate result cascade');
    await forgetDetection();
  });

  /** A batch of one prober: results taken so many seconds ago, and its word, in seconds from now. */
  async function send(which: 0 | 1, ages: number[], until?: number): Promise<void> {
    const startedAt = (age: number) => Date.now() - age * 1_000;
    const results = ages.map((age) => makeResult({ targetId, vantage: vantages[which], startedAt: startedAt(age) }));
    const word = until === undefined ? {} : { until: new Date(Date.now() + until * 1_000).toISOString() };
    const prober = probers[which] ?? { id: '', vantageIds: [] };
    expect(await ingestBatch(prober, { results, ...word })).toMatchObject({ rejected: [] });
  }
  const lagSeconds = async () => {
    const now = Date.now();
    return (now - (await watermarkAt(now))) / 1_000;
  };
  const notes = async () =>
    (await getPool().query<{ n: number }>('select count(*)::int as n from detector_late')).rows[0]?.n;
  /** The word is older by what went by since it was given, at `since`. */
  const expectAbout = (seconds: number, wanted: number, since: number) => {
    expect(seconds).toBeGreaterThanOrEqual(wanted - 0.001);
    expect(seconds).toBeLessThanOrEqual(wanted + (Date.now() - since) / 1_000 + 1);
  };

  it('goes up to the least word of its probers, and never closer than some seconds', async () => {
    await send(0, [1], 30);
    expect(await lagSeconds()).toBe(MARGIN_SECONDS);
    const since = Date.now();
    await send(1, [1], -12);
    expectAbout(await lagSeconds(), 12, since);
  });

  it('leaves out one that lags or is silent', async () => {
    await send(0, [1], 30);
    await send(1, [100], -90);
    expect(await lagSeconds()).toBe(MARGIN_SECONDS);
  });

  it('waits a minute for one that does not say how far it is, and where none does', async () => {
    expect(await lagSeconds()).toBe(GRACE_SECONDS);
    await send(0, [1], 30);
    const heard = (word: string | null) =>
      getPool().query('update prober set last_seen_at = now(), delivered_until = $2 where id = $1', [
        probers[1]?.id,
        word,
      ]);
    await heard(null);
    expect(await lagSeconds()).toBe(GRACE_SECONDS);
    await heard(new Date(Date.now() - 600_000).toISOString());
    expect(await lagSeconds()).toBe(MARGIN_SECONDS);
  });

  it('lets the detector look at what came, at once', async () => {
    const since = Date.now();
    await send(0, [9, 8], -7);
    const job = createDetectionJob();
    await detectUntil(job, Math.floor(Date.now() / 1_000));
    await job.close();
    const { position = 0, samples } = (await readStatus()) ?? {};
    expect(samples).toBe(2);
    expectAbout(Date.now() / 1_000 - position, 7, since);
  });

  it('notes what the detector may have gone past: of one that lagged, or broke its word, and of no other', async () => {
    await send(0, [1], -1);
    await getPool().query('truncate detector_late');
    await send(0, [0], 0);
    expect(await notes()).toBe(0);
    await send(0, [20], 10);
    expect(await notes()).toBe(1);
    await send(1, [120], -100);
    await getPool().query('truncate detector_late');
    await send(1, [2], -1);
    expect(await notes()).toBe(1);
    await send(1, [0.5], 0);
    expect(await notes()).toBe(1);
  });
});
