import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { ResultsQuery } from '#contract/query.ts';
import type { VantageRef } from '#contract/result.ts';
import { createKey } from '#server/access/keys.ts';
import { getPool } from '#server/database/database.ts';
import { ensurePartitions } from '#server/database/partitions.ts';
import { listResults } from '#server/results/results.ts';
import { fillDay } from '../support/many-results.ts';
import { assignAll, insertTarget } from '../support/places.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { mainlandVantages, makeVantage } from '../support/vantages.ts';
import { onFreshDatabase } from './database.ts';
import { enrol, type Server, startServer } from './steady.ts';

const DAY_MS = 86_400_000;
const DAYS = 30;
const RESULTS_A_DAY = 40_000;
const TARGETS = 50;
/** A batch as a busy prober sends it, and how often one comes: 625 results a second, so that a busy machine keeps up. */
const BATCH = 250;
const BATCH_EVERY_MS = 400;
const BATCHES = 50;
const ROUNDS = 3;
/** Readers may move the p95 of ingest by so much. */
const MOST_RATIO = 1.2;
const PAGES = 5;

/**
 * Prints how long lists of results take with each filter over a month, and how long batches take while nobody reads and while ten
 * readers export and search as fast as they are answered, in turn. Fails where these move the p95 of a batch by more than a fifth.
 */
export async function benchReaders(): Promise<void> {
  await onFreshDatabase(async () => {
    const vantages = mainlandVantages();
    const silent = makeVantage('CN-HI', 'education');
    const credential = await enrol([...vantages, silent]);
    const targets: string[] = [];
    for (let n = 0; n < TARGETS; n++) targets.push(await insertTarget({ name: `shop ${n}` }));
    await assignAll(vantages);
    await fill(targets, vantages);
    await reportLists(targets, vantages, silent);
    const server = await startServer();
    try {
      await reportIngest(server, credential, targets, vantages, silent);
    } finally {
      await server.stop();
    }
  });
}

async function fill(targets: string[], vantages: VantageRef[]): Promise<void> {
  const [targetId = '', vantage] = [targets[0], vantages[0]];
  if (!vantage) throw new Error('no vantage');
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const days = Array.from({ length: DAYS }, (_, ago) => today - (DAYS - ago) * DAY_MS);
  await ensurePartitions(days);
  await insertResults([makeResult({ targetId, vantage, startedAt: days[0] ?? today })]);
  for (const day of days) await fillDay({ day, count: RESULTS_A_DAY, targets, vantages });
  await getPool().query('vacuum analyze result');
}

/** Filters that select much, little and nothing. */
const filtersOf = (target: string, { id }: VantageRef, silent: VantageRef): Record<string, string>[] => [
  {},
  { limit: '1000' },
  { target },
  { vantage: id },
  { target, vantage: id },
  { region: 'CN-GD', carrier: 'telecom' },
  { access: 'idc' },
  { ok: 'false' },
  { ok: 'true', limit: '1000' },
  { ok: 'false', carrier: 'unicom' },
  { variant: 'resumed' },
  { vantage: silent.id },
  { ok: 'false', vantage: silent.id },
  { country: 'DE' },
];

async function reportLists(targets: string[], vantages: VantageRef[], silent: VantageRef): Promise<void> {
  const all: number[] = [];
  const [target = '', vantage] = [targets[7], vantages[40]];
  if (!vantage) throw new Error('no vantage');
  for (const fields of filtersOf(target, vantage, silent)) {
    const times: number[] = [];
    let cursor: string | null = null;
    for (let page = 0; page < PAGES && (page === 0 || cursor !== null); page++) {
      const began = performance.now();
      const answer = await listResults(ResultsQuery.parse({ ...fields, ...(cursor ? { cursor } : {}) }));
      times.push(performance.now() - began);
      cursor = answer.nextCursor;
    }
    all.push(...times);
    const shown = Object.entries(fields).map(([name, value]) => `${name}=${value.length > 20 ? '…' : value}`);
    print(`results, ${shown.join(' ') || 'no filter'}`, times);
  }
  print('results, all of these', all);
}

/** A stretch of batches at their times, whatever becomes of those before; ms that each took. */
async function sendBatches({ url }: Server, credential: string, bodies: Buffer[]): Promise<number[]> {
  const begin = performance.now();
  return await Promise.all(
    bodies.map(async (body, index) => {
      await sleep(Math.max(1, begin + index * BATCH_EVERY_MS - performance.now()));
      const began = performance.now();
      const response = await fetch(`${url}/api/ingest/results`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${credential}`,
          'content-type': 'application/json',
          'content-encoding': 'gzip',
        },
        body: new Uint8Array(body),
      });
      const text = await response.text();
      if (!response.ok || !text.includes('"rejected":[]')) throw new Error(`ingest said ${response.status}: ${text}`);
      return performance.now() - began;
    }),
  );
}

/** Results of the last hour, each check of which is within its rate. */
function makeBodies(targets: string[], vantages: VantageRef[]): Buffer[] {
  const begin = Date.now() - 3_500_000;
  return Array.from({ length: BATCHES }, (_, batch) => {
    const results = Array.from({ length: BATCH }, (_, n) => {
      const nth = batch * BATCH + n;
      const vantage = vantages[nth % vantages.length];
      const targetId = targets[Math.floor(nth / vantages.length) % targets.length];
      if (!vantage || !targetId) throw new Error('nothing to measure');
      return makeResult({ targetId, vantage, startedAt: begin + Math.floor(Math.random() * 3_400_000) });
    });
    return gzipSync(JSON.stringify({ results }), { level: 1 });
  });
}

async function reportIngest(
  server: Server,
  credential: string,
  targets: string[],
  vantages: VantageRef[],
  silent: VantageRef,
): Promise<void> {
  for (const body of makeBodies(targets, vantages)) await sendBatches(server, credential, [body]);
  const alone: number[] = [];
  const beside: number[] = [];
  let answers = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const [first, second] = [makeBodies(targets, vantages), makeBodies(targets, vantages)];
    alone.push(...(await sendBatches(server, credential, first)));
    const ending = new AbortController();
    const reading = await startReaders(server, silent, ending.signal);
    beside.push(...(await sendBatches(server, credential, second)));
    ending.abort();
    answers += await reading();
  }
  print(`batches of ${BATCH} results, alone`, alone);
  print('the same beside ten readers', beside);
  const ratio = at(beside, 0.95) / at(alone, 0.95);
  process.stdout.write(`| ratio of the p95 | ${ratio.toFixed(2)} | readers had ${answers} answers |\n`);
  if (ratio > MOST_RATIO) process.exitCode = 1;
}

/** Five that export everything and five that search for what is not there, or for nearly all, again and again. */
async function startReaders({ url }: Server, silent: VantageRef, signal: AbortSignal): Promise<() => Promise<number>> {
  const queries = [
    'format=csv',
    'format=ndjson',
    'format=csv&ok=true',
    'format=ndjson&country=CN',
    'format=csv&carrier=unicom',
    `vantage=${silent.id}`,
    'variant=resumed&limit=1000',
    'ok=true&limit=1000',
    'country=DE',
    'carrier=telecom&limit=1000',
  ];
  let answers = 0;
  const readers = await Promise.all(
    queries.map(async (query, index) => {
      const { key } = await createKey({ name: `reader ${index}`, scope: 'read' });
      return async () => {
        while (!signal.aborted) {
          const response = await fetch(`${url}/api/v1/results?${query}`, {
            headers: { authorization: `Bearer ${key}` },
            signal,
          });
          if (response.status === 429 || response.status === 503) await sleep(1_000, undefined, { signal });
          else if (!response.ok) throw new Error(`a reader was told ${response.status}: ${await response.text()}`);
          for await (const _piece of response.body ?? []) if (signal.aborted) break;
          answers += 1;
        }
      };
    }),
  );
  const ended = readers.map((read) =>
    read().catch((error: unknown) => (signal.aborted ? undefined : Promise.reject(error))),
  );
  return async () => {
    await Promise.all(ended);
    return answers;
  };
}

const at = (times: number[], share: number) =>
  times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1] ?? Number.NaN;

function print(what: string, times: number[]): void {
  process.stdout.write(`| ${what} | ${at(times, 0.5).toFixed(1)} ms | ${at(times, 0.95).toFixed(1)} ms |\n`);
}
