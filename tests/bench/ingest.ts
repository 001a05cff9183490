import { buffer } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as copyStreams from 'pg-copy-streams';
import { BATCH_FORM } from '#contract/ingest.ts';
import type { StorableResult, VantageRef } from '#contract/result.ts';
import { hashSecret, mintSecret } from '#server/access/secrets.ts';
import { closeDatabase, getPool, inTransaction } from '#server/database/database.ts';
import { ingestBatch } from '#server/ingest/ingest.ts';
import { withSharedParts } from '#workers/prober/share.ts';
import { assignAll, insertProber, insertTarget } from '../support/places.ts';
import { makeResult } from '../support/results.ts';
import { mainlandVantages } from '../support/vantages.ts';
import { onFreshDatabase } from './database.ts';
import { postmasterPids, usageOf } from './processes.ts';
import { startServer } from './steady.ts';

const BATCH = 1_000;
const ROUNDS = 3;
const NOTICE_MS = 100;
/** Of a check of 60 s, in the hour that the results are of: twice its rate, of which three times is taken. */
const RESULTS_A_CHECK = 120;

/**
 * Batches of realistic results over the last hour, in the order in which probers would send them, of as many new targets
 * as it takes to stay within the rate of their checks.
 */
async function makeBatches(vantages: VantageRef[], total: number, size = BATCH): Promise<StorableResult[][]> {
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
  return Array.from({ length: Math.ceil(total / size) }, (_, n) => results.slice(n * size, (n + 1) * size));
}

/** Batches as probers send them: form 1 holds each result whole, form 2 what results share once. */
async function bodiesOf(batches: StorableResult[][], form = BATCH_FORM): Promise<Buffer[]> {
  const bodies: Buffer[] = [];
  for (const batch of batches) {
    const lines = batch.map((result) => JSON.stringify(result));
    const lists = form < 2 ? null : await withSharedParts(lines);
    const body = lists ? `{"shared":${lists.shared},"results":${lists.results}}` : `{"results":[${lines.join(',')}]}`;
    bodies.push(gzipSync(body));
  }
  return bodies;
}

type Send = (body: Buffer) => Promise<void>;

/** Sends a gzipped batch to a running server; the vantages must be those of the credential. */
const sendTo =
  (server: { url: string; credential: string }): Send =>
  async (body) => {
    const response = await fetch(new URL('/api/ingest/results', server.url), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${server.credential}`,
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      },
      body: new Uint8Array(body),
    });
    const text = await response.text();
    if (!response.ok || !text.includes('"rejected":[]')) throw new Error(`ingest said ${response.status}: ${text}`);
  };

/** Does all of `items`, so many at once; returns how many seconds that took. */
async function timeToDo<T>(items: T[], concurrency: number, work: (item: T) => Promise<void>): Promise<number> {
  const begin = performance.now();
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return (performance.now() - begin) / 1_000;
}

/** How long one way of storing took (s), and what it took of the processor (s): Node that stores, and PostgreSQL. */
type Run = { seconds: number; node: number; postgres: number };
type Clocks = { node(): number; postgres(): number };

async function run<T>(
  { node, postgres }: Clocks,
  items: T[],
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<Run> {
  const before = { node: node(), postgres: postgres() };
  const seconds = await timeToDo(items, concurrency, work);
  return { seconds, node: node() - before.node, postgres: postgres() - before.postgres };
}

/** How many results a round, in batches of how many, so many at once, and in which form; with `http` through `roundtrip web`. */
const OPTIONS = {
  total: { type: 'string', default: '40000' },
  batch: { type: 'string', default: String(BATCH) },
  concurrency: { type: 'string', default: '4' },
  rounds: { type: 'string', default: String(ROUNDS) },
  form: { type: 'string', default: String(BATCH_FORM) },
  http: { type: 'boolean', default: false },
} as const;

/**
 * Prints what ingest does beside raw COPY of the very rows that it stored, in the same tables and batches, over as many
 * connections, in turn on an embedded PostgreSQL of their own: what is slow for both divides out. On a machine with other
 * load the ratio of CPU says more than that of rates, since one thread of Node gets a smaller share than several
 * processes of PostgreSQL. `ingest [--total 40000] [--batch 1000] [--concurrency 4] [--rounds 3] [--form 2] [--http]`
 */
export async function benchIngest(args: string[] = []): Promise<void> {
  const { values } = parseArgs({ args, options: OPTIONS });
  const [total, size, concurrency] = [Number(values.total), Number(values.batch), Number(values.concurrency)];
  const form = Number(values.form);
  await onFreshDatabase(async () => {
    const vantages = mainlandVantages();
    const prober = { id: await insertProber(vantages), vantageIds: vantages.map(({ id }) => id) };
    const credential = await credentialOf(prober.id);
    const server = values.http ? await startServer() : null;
    const here = async (body: Buffer) => {
      const { rejected } = await ingestBatch(prober, JSON.parse(gunzipSync(body).toString()));
      if (rejected.length > 0) throw new Error(JSON.stringify(rejected[0]));
    };
    const send = server ? sendTo({ url: server.url, credential }) : here;
    const postmasters = await postmasterPids();
    const ownSeconds = () => process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6;
    const postgres = () => usageOf(...postmasters).cpuSeconds;
    const nodeOfIngest = server ? () => usageOf(...(server.pids.web ?? [])).cpuSeconds : ownSeconds;
    try {
      await timeToDo(await bodiesOf(await makeBatches(vantages, 5 * size, size), form), concurrency, send);
      console.log('| of a result | results/s | CPU of Node | CPU of PostgreSQL |\n|---|---|---|---|');
      const rounds: { rate: number; cpu: number }[] = [];
      for (let round = 0; round < Number(values.rounds); round += 1) {
        const bodies = await bodiesOf(await makeBatches(vantages, total, size), form);
        await getPool().query('truncate result, result_evidence, rollup_log');
        const ingest = await run({ node: nodeOfIngest, postgres }, bodies, concurrency, send);
        const parts = await takeOut(total, size);
        const raw = await run({ node: ownSeconds, postgres }, parts, concurrency, copyIn);
        printRun(values.http ? 'ingest through HTTP' : 'ingest', total, ingest);
        printRun('raw COPY of the same rows', total, raw);
        rounds.push({
          rate: raw.seconds / ingest.seconds,
          cpu: (raw.node + raw.postgres) / (ingest.node + ingest.postgres),
        });
      }
      printRatio('results/s', rounds, ({ rate }) => rate);
      printRatio('CPU', rounds, ({ cpu }) => cpu);
    } finally {
      await server?.stop();
    }
  });
}

function printRun(name: string, total: number, { seconds, node, postgres }: Run): void {
  const micros = (cpuSeconds: number) => `${((cpuSeconds * 1e6) / total).toFixed(1)} us`;
  console.log(`| ${name} | ${(total / seconds).toFixed(0)} | ${micros(node)} | ${micros(postgres)} |`);
}

function printRatio<T>(what: string, rounds: T[], ratioOf: (round: T) => number): void {
  const ratios = rounds.map(ratioOf);
  const each = ratios.map((ratio) => ratio.toFixed(2)).join(', ');
  console.log(`raw COPY to ingest, ${what}: ${median(ratios).toFixed(2)} (${each})`);
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

async function credentialOf(proberId: string): Promise<string> {
  const credential = mintSecret('rtp');
  await getPool().query('update prober set credential_hash = $1 where id = $2', [hashSecret(credential), proberId]);
  return credential;
}

type Part = { table: string; rows: Buffer }[];

/** The rows of all results as COPY gives them, by batch in the order of their ids; the tables are empty then. */
async function takeOut(total: number, size: number): Promise<Part[]> {
  const parts: Part[] = [];
  for (let start = 0; start < total; start += size) {
    const part: Part = [];
    for (const table of ['result', 'result_evidence'])
      part.push({ table, rows: await copyOut(`select * from ${table} order by id offset ${start} limit ${size}`) });
    parts.push(part);
  }
  await getPool().query('truncate result, result_evidence');
  return parts;
}

async function copyOut(query: string): Promise<Buffer> {
  const client = await getPool().connect();
  try {
    return await buffer(client.query(copyStreams.to(`copy (${query}) to stdout (format binary)`)));
  } finally {
    client.release();
  }
}

const copyIn = (part: Part) =>
  inTransaction(async (client) => {
    for (const { table, rows } of part) {
      const stream = client.query(copyStreams.from(`copy ${table} from stdin (format binary)`));
      stream.end(rows);
      await finished(stream);
    }
  });

/**
 * Results per second that the server at `url` takes, on whose database `DATABASE_URL` is: a target and 93 vantages of one
 * prober are put there for it, and stay. The median of `ROUNDS` rounds of `total` results each: machines are noisy.
 */
export async function benchHttpIngest(url: string, total = 100_000): Promise<number> {
  const vantages = mainlandVantages();
  const credential = await credentialOf(await insertProber(vantages));
  const send = sendTo({ url, credential });
  await timeToDo(await bodiesOf(await makeBatches(vantages, 5_000)), 2, send);
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const bodies = await bodiesOf(await makeBatches(vantages, total));
    // That took longer than the server keeps idle connections: their ends must be read before they are used again.
    await sleep(NOTICE_MS);
    rates.push(total / (await timeToDo(bodies, 4, send)));
  }
  await closeDatabase();
  return Math.round(median(rates));
}
