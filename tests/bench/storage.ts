import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { v7 } from 'uuid';
import { ResultsQuery } from '#contract/query.ts';
import type { Result, StorableResult, VantageRef } from '#contract/result.ts';
import { ProbeSettings } from '#contract/target.ts';
import { startOriginThread } from '#demo/origin-thread.ts';
import { DEMO_VANTAGES } from '#demo/places.ts';
import { demoEnvironments } from '#demo/vantages.ts';
import { sealDays } from '#server/blocks/seal.ts';
import { getPool } from '#server/database/database.ts';
import { getResult, listResults } from '#server/results/results.ts';
import { streamResults } from '#server/results/stream.ts';
import { startMeasuring } from '#workers/prober/measuring.ts';
import { insertProber, insertTarget } from '../support/places.ts';
import { insertResults } from '../support/results.ts';
import { onFreshDatabase } from './database.ts';

const DAY = 86_400_000;
const MINUTE = 60_000;
/** Results that are really measured, of the demo's healthy and stale servers from each vantage. */
const MEASURED = 1_500;
const BATCH = 1_000;
const READS = 40;

/**
 * Prints what stored results take: rows, and the same sealed. Real results of the demo's servers are measured, and each is
 * stored many times, with an id, a time, a port and durations of its own. `storage [--targets 4] [--vantages 20] [--days 2]`
 */
export async function benchStorage(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      targets: { type: 'string', default: '4' },
      vantages: { type: 'string', default: '20' },
      days: { type: 'string', default: '2' },
    },
  });
  const folder = mkdtempSync(path.join(tmpdir(), 'roundtrip-storage-'));
  try {
    const measured = await measure(folder, Number(values.vantages));
    await onFreshDatabase(() => run(measured, Number(values.targets), Number(values.days)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What each vantage measured of the servers, through its emulated line. */
async function measure(folder: string, count: number): Promise<Result[]> {
  const running = await startOriginThread(folder);
  const results: Result[] = [];
  const enough = Promise.withResolvers<void>();
  const print = (text: string) => process.stderr.write(`${text}\n`);
  const measuring = await startMeasuring({
    reachable: ['127.0.0.1'],
    environmentFor: demoEnvironments(running.origins, 7),
    firstSpreadMs: 5_000,
    logger: { debug() {}, info() {}, warn: print, error: print },
    onResult: (result) => {
      if (result.ok) results.push(result);
      if (results.length >= MEASURED) enough.resolve();
    },
  });
  const vantages = DEMO_VANTAGES.slice(0, count).map(
    ({ region, carrier }): VantageRef => ({
      id: v7(),
      name: `${region} ${carrier}`,
      country: 'CN',
      region,
      city: null,
      carrier,
      asn: 4134,
      access: 'idc',
    }),
  );
  const checks = running.origins.flatMap(({ url, caPem }) => {
    const of = { targetId: v7(), url, demo: true, periodSeconds: 2, timeoutMs: 7_000, allowPrivate: true };
    return vantages.map((vantage) => ({ id: v7(), ...of, vantage, settings: ProbeSettings.parse({ caPem }) }));
  });
  measuring.apply(checks, []);
  await enough.promise;
  await measuring.stop(5_000);
  await running.close();
  return results;
}

async function run(measured: Result[], targets: number, days: number): Promise<void> {
  const vantages = [...new Map(measured.flatMap(({ vantage }) => (vantage ? [[vantage.id, vantage]] : []))).values()];
  await insertProber(vantages);
  const urls = [...new Set(measured.map(({ url }) => url))];
  const series: { targetId: string; models: Result[]; vantage: VantageRef }[] = [];
  for (let n = 0; n < targets; n++) {
    const targetId = await insertTarget({ name: `shop ${n}` });
    for (const vantage of vantages) {
      const own = measured.filter(({ url, vantage: of }) => url === urls[n % urls.length] && of?.id === vantage.id);
      if (own.length > 0) series.push({ targetId, vantage, models: own });
    }
  }
  const today = Math.floor(Date.now() / DAY) * DAY;
  const from = today - (days + 1) * DAY;
  const ids: string[] = [];
  let stored = 0;
  let batch: StorableResult[] = [];
  // As probers send: minute by minute, all series in each.
  for (let minute = from; minute < from + days * DAY; minute += MINUTE) {
    for (const each of series) batch.push(resultOf(each, minute + Math.floor(Math.random() * MINUTE)));
    if (batch.length < BATCH) continue;
    ids.push(batch[0]?.id ?? '');
    stored += (await insertResults(batch)).accepted;
    batch = [];
  }
  stored += (await insertResults(batch)).accepted;
  await getPool().query('vacuum analyze');
  const rows = await sizes(stored);
  const read = await reads(ids, from, days);
  const cpu = process.cpuUsage();
  const began = performance.now();
  const walBefore = await wal();
  const sealed = await sealDays(Date.now());
  const seconds = (performance.now() - began) / 1_000;
  const used = process.cpuUsage(cpu);
  if (sealed !== stored) throw new Error(`${sealed} of ${stored} results were sealed`);
  const walBytes = ((await wal()) - walBefore) / stored;
  await getPool().query('vacuum analyze');
  const blocks = await sizes(stored);
  const readSealed = await reads(ids, from, days);
  const line = (what: string, a: string | number, b: string | number) =>
    process.stdout.write(`| ${what} | ${a} | ${b} |\n`);
  process.stdout.write(`${stored} results, ${series.length} series, ${days} days\n\n`);
  line('', 'rows', 'sealed');
  process.stdout.write('|---|---|---|\n');
  line('bytes a result, evidence and indexes included', rows.toFixed(0), blocks.toFixed(1));
  for (const [index, { what, figure }] of read.entries()) line(what, figure, readSealed[index]?.figure ?? '');
  process.stdout.write(
    `\nSealing: ${((used.user + used.system) / stored).toFixed(1)} µs of CPU a result in this process, ` +
      `${walBytes.toFixed(0)} bytes of WAL a result, ${Math.round(stored / seconds)} results/s\n`,
  );
}

/** A measured result with an id, a time and a port of its own; all durations stretched alike, so that they still agree. */
function resultOf(
  { targetId, vantage, models }: { targetId: string; vantage: VantageRef; models: Result[] },
  at: number,
) {
  const model = models[Math.floor(Math.random() * models.length)] as Result;
  const factor = 0.9 + Math.random() * 0.25;
  const made = stretched(model, factor) as StorableResult;
  return {
    ...made,
    id: v7({ msecs: at, random: randomBytes(16) }),
    targetId,
    vantage,
    startedAt: new Date(at).toISOString(),
  };
}

function stretched(value: unknown, factor: number, key = ''): unknown {
  if (key === 'localPort') return 32_768 + Math.floor(Math.random() * 28_000);
  if (typeof value === 'number') return Number.isInteger(value) ? value : Math.round(value * factor * 1_000) / 1_000;
  if (Array.isArray(value)) return value.map((each) => stretched(each, factor));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, stretched(each, factor, name)]));
}

async function sizes(stored: number): Promise<number> {
  const { rows } = await getPool().query<{ bytes: number }>(
    `select sum(pg_total_relation_size(inhrelid))::float8 as bytes from pg_inherits
      where inhparent in ('result'::regclass, 'result_evidence'::regclass, 'result_block'::regclass)`,
  );
  return (rows[0]?.bytes ?? 0) / stored;
}

async function wal(): Promise<number> {
  const { rows } = await getPool().query<{ bytes: number }>('select wal_bytes::float8 as bytes from pg_stat_wal');
  return rows[0]?.bytes ?? 0;
}

type Figure = { what: string; figure: string };

async function reads(ids: string[], from: number, days: number): Promise<Figure[]> {
  const some = Array.from({ length: READS }, (_, n) => ids[Math.floor((n * ids.length) / READS)] ?? '');
  const one = await timed(some.map((id) => () => getResult(id)));
  const at = (n: number) => new Date(from + ((n + 1) * days * DAY) / (READS + 2)).toISOString();
  const list = (fields: Record<string, string>) => () => listResults(ResultsQuery.parse({ limit: '100', ...fields }));
  const { rows } = await getPool().query<{ id: string }>('select id from target order by id limit 1');
  const target = rows[0]?.id ?? '';
  const pages = await timed(some.map((_, n) => list({ to: at(n) })));
  const ofTarget = await timed(some.map((_, n) => list({ to: at(n), target })));
  const vantage = await getPool().query<{ id: string }>('select id from vantage order by id limit 1');
  const ofVantage = await timed(some.map((_, n) => list({ to: at(n), vantage: vantage.rows[0]?.id ?? '' })));
  const began = performance.now();
  const cpu = process.cpuUsage();
  let lines = 0;
  const whole = ResultsQuery.parse({
    from: new Date(from).toISOString(),
    to: new Date(from + days * DAY).toISOString(),
  });
  for await (const piece of await streamResults(whole, 'csv')) lines += String(piece).split('\r\n').length - 1;
  const used = process.cpuUsage(cpu);
  const aSecond = lines / ((performance.now() - began) / 1_000);
  return [
    { what: 'one result by its id, p50 / p95', figure: one },
    { what: '100 newest before an instant, all targets', figure: pages },
    { what: '100 of a target', figure: ofTarget },
    { what: '100 of a vantage', figure: ofVantage },
    { what: 'export as CSV, results/s', figure: String(Math.round(aSecond)) },
    { what: 'export, CPU of this process a result', figure: `${((used.user + used.system) / lines).toFixed(1)} µs` },
  ];
}

async function timed(calls: (() => Promise<unknown>)[]): Promise<string> {
  await calls[0]?.();
  const times: number[] = [];
  for (const call of calls) {
    const began = performance.now();
    await call();
    times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  const quantile = (q: number) => (times[Math.floor(q * (times.length - 1))] ?? 0).toFixed(1);
  return `${quantile(0.5)} / ${quantile(0.95)} ms`;
}
