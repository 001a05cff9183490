import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { StorableResult, VantageRef } from '#contract/result.ts';
import { hashSecret, mintSecret } from '#server/access/secrets.ts';
import { closeDatabase, getPool } from '#server/database/database.ts';
import { ingestBatch } from '#server/ingest/ingest.ts';
import type { AuthenticatedProber } from '#server/vantages/probers.ts';
import { assignAll, insertProber, insertTarget } from '../support/places.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { mainlandVantages } from '../support/vantages.ts';
import { onFreshDatabase } from './database.ts';

const BATCH = 1_000;
const ROUNDS = 3;
const NOTICE_MS = 100;
/** Of a check of 60 s, in the hour that the results are of: twice its rate, of which three times is taken. */
const RESULTS_A_CHECK = 120;

/** Results per second, and this process's CPU time a result in microseconds. */
export type IngestFigure = { perSecond: number; cpuMicros: number };

/**
 * Batches of realistic results over the last hour, in the order in which probers would send them, of as many new targets
 * as it takes to stay within the rate of their checks.
 */
async function makeBatches(vantages: VantageRef[], total: number): Promise<StorableResult[][]> {
  const begin = Date.now() - 3_600_000;
  const targetIds: string[] = [];
  while (targetIds.length * vantages.length * RESULTS_A_CHECK < total) targetIds.push(await insertTarget());
  await assignAll(vantages);
  const results = Array.from({ length: total }, (_, n) => {
    const vantage = vantages[n % vantages.length];
    const targetId = targetIds[Math.floor(n / vantages.length) % targetIds.length];
    if (!vantage || !targetId) throw new Error('nothing to measure');
    return makeResult({
      targetId,
      vantage,
      startedAt: begin + Math.floor((n * 3_500_000) / total),
      tls: 20 + (n % 97),
    });
  });
  return Array.from({ length: Math.ceil(total / BATCH) }, (_, n) => results.slice(n * BATCH, (n + 1) * BATCH));
}

/** How fast `insertResults` alone is, a few batches at once. */
export async function measureInsert(batches: StorableResult[][], concurrency: number): Promise<IngestFigure> {
  const total = batches.reduce((sum, batch) => sum + batch.length, 0);
  return await measure(total, batches, concurrency, async (batch) => {
    await insertResults(batch);
  });
}

/** How fast a running server takes gzipped batches; the vantages must be those of the credential. */
export async function measureHttp(
  server: { url: string; credential: string },
  batches: StorableResult[][],
  concurrency: number,
): Promise<IngestFigure> {
  const bodies = batches.map((results) => gzipSync(JSON.stringify({ results }), { level: 1 }));
  const total = batches.reduce((sum, batch) => sum + batch.length, 0);
  // That took longer than the server keeps idle connections: their ends must be read before they are used again.
  await sleep(NOTICE_MS);
  return await measure(total, bodies, concurrency, async (body) => {
    const response = await fetch(new URL('/api/ingest/results', server.url), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${server.credential}`,
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      },
      body,
    });
    const text = await response.text();
    if (!response.ok || !text.includes('"rejected":[]')) throw new Error(`ingest said ${response.status}: ${text}`);
  });
}

/** The same without HTTP: gunzip, JSON, judging and storing in this process. */
export async function measureBatches(
  prober: AuthenticatedProber,
  batches: StorableResult[][],
  concurrency: number,
): Promise<IngestFigure> {
  const bodies = batches.map((results) => gzipSync(JSON.stringify({ results }), { level: 1 }));
  const total = batches.reduce((sum, batch) => sum + batch.length, 0);
  return await measure(total, bodies, concurrency, async (body) => {
    const report = await ingestBatch(prober, JSON.parse(gunzipSync(body).toString()));
    if (report.rejected.length > 0) throw new Error(JSON.stringify(report.rejected[0]));
  });
}

async function measure<T>(
  total: number,
  items: T[],
  concurrency: number,
  send: (item: T) => Promise<void>,
): Promise<IngestFigure> {
  const cpu = process.cpuUsage();
  const begin = performance.now();
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await send(item);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  const seconds = (performance.now() - begin) / 1_000;
  const used = process.cpuUsage(cpu);
  return { perSecond: Math.round(total / seconds), cpuMicros: (used.user + used.system) / total };
}

/** Prints the figures of `insertResults` and `ingestBatch` on an embedded PostgreSQL of their own. */
export async function benchIngest(total = 100_000): Promise<void> {
  await onFreshDatabase(async () => {
    const vantages = mainlandVantages();
    const prober = { id: await insertProber(vantages), vantageIds: vantages.map(({ id }) => id) };
    await measureInsert(await makeBatches(vantages, 5_000), 2);
    print('insertResults', await measureInsert(await makeBatches(vantages, total), 3));
    print(
      'ingestBatch (gunzip, JSON, Zod, insert)',
      await measureBatches(prober, await makeBatches(vantages, total), 3),
    );
  });
}

/**
 * The figure through HTTP of the server at `url`, on whose database `DATABASE_URL` is: a target and 93 vantages of one
 * prober are put there for it, and stay. The median of `ROUNDS` rounds of `total` results each: machines are noisy.
 */
export async function benchHttpIngest(url: string, total = 100_000): Promise<IngestFigure> {
  const vantages = mainlandVantages();
  const proberId = await insertProber(vantages);
  const credential = mintSecret('rtp');
  await getPool().query('update prober set credential_hash = $1 where id = $2', [hashSecret(credential), proberId]);
  await measureHttp({ url, credential }, await makeBatches(vantages, 5_000), 2);
  const figures: IngestFigure[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    figures.push(await measureHttp({ url, credential }, await makeBatches(vantages, total), 4));
  }
  await closeDatabase();
  const [, median] = figures.toSorted((a, b) => a.perSecond - b.perSecond);
  if (!median) throw new Error('no round was measured');
  return median;
}

function print(name: string, { perSecond, cpuMicros }: IngestFigure): void {
  console.log(`${name}: ${perSecond} results/s, ${cpuMicros.toFixed(1)} us of Node's CPU a result`);
}

const [url] = process.argv.slice(2);
if (import.meta.main) {
  if (url === undefined) await benchIngest();
  else print('ingest through HTTP', await benchHttpIngest(url));
}
