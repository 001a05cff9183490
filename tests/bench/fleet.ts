import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { VantageRef } from '#contract/result.ts';
import { getPool } from '#server/database/database.ts';
import { assignAll, insertTarget } from '../support/places.ts';
import { makeResult } from '../support/results.ts';
import { mainlandVantages, makeVantage } from '../support/vantages.ts';
import { onFreshDatabase } from './database.ts';
import { BenchProber } from './prober.ts';
import { usageOf } from './processes.ts';
import { enrol, type Server, startServer } from './steady.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Somebody turns a page this often, and memory is read. */
const VISIT_EVERY_MS = 500;
const SAMPLE_EVERY_MS = 2_000;
/** Visits before the probers come, to hold those against that are made meanwhile. */
const QUIET_VISITS = 20;

/** How many probers, one vantage each, come back with a spool of how many hours, of a probe a minute of how many targets. */
const OPTIONS = {
  probers: { type: 'string', default: '100' },
  hours: { type: 'string', default: '6' },
  targets: { type: 'string', default: '2' },
} as const;

/**
 * Prints what happens when all probers come back at once with what they spooled while they could not reach the server: whether
 * every result is stored once, how fast, how long pages take meanwhile against before, and the most memory that each process
 * had. The default, 72,000 results, takes two to three minutes on a busy machine; `--hours 24 --targets 10` are 1.4 million.
 * The server is `roundtrip web` and `roundtrip jobs`. `fleet [--probers 100] [--hours 6] [--targets 2]`
 */
export async function benchFleet(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: OPTIONS });
  const folder = mkdtempSync(path.join(tmpdir(), 'roundtrip-fleet-'));
  try {
    await onFreshDatabase(() => measure(Number(values.probers), Number(values.hours), Number(values.targets), folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(count: number, hours: number, targets: number, folder: string): Promise<void> {
  const mainland = mainlandVantages();
  const vantages = Array.from({ length: count }, (_, n) => mainland[n] ?? makeVantage('CN-BJ', `carrier-${n}`));
  const credentials = await Promise.all(vantages.map((vantage) => enrol([vantage])));
  const targetIds: string[] = [];
  for (let n = 0; n < targets; n++) targetIds.push(await insertTarget({ name: `shop ${n}` }));
  await assignAll();
  const server = await startServer({ ROUNDTRIP_PUBLIC_DASHBOARD: '1' });
  const ending = new AbortController();
  try {
    const probers = vantages.map((_, n) => {
      const credential = credentials[n] ?? '';
      return new BenchProber({ folder: path.join(folder, String(n)), url: server.url, credential, checks: targets });
    });
    let filled = 0;
    for (const [n, prober] of probers.entries()) filled += await fill(prober, vantages[n], targetIds, hours);
    const pages = [server.url, `${server.url}/targets/${targetIds[0]}`];
    await visits(pages, (made) => made < 2 * pages.length); // each is compiled when it is asked for first
    const quiet = await visits(pages, (made) => made < QUIET_VISITS);
    const memory = new Map<string, number>();
    const cpuBefore = cpuOf(server);
    const begun = performance.now();
    const confirmed = () => probers.reduce((sum, prober) => sum + prober.confirmed, 0);
    const sending = Promise.all(probers.map((prober) => prober.send(ending.signal)));
    const watching = watchMemory(server, memory, () => confirmed() < filled);
    const busy = await Promise.race([visits(pages, () => confirmed() < filled), failureOf(sending)]);
    const seconds = (performance.now() - begun) / 1_000;
    const cpu = cpuOf(server).map((after, n) => ({ ...after, cpu: after.cpu - (cpuBefore[n]?.cpu ?? 0) }));
    await watching;
    ending.abort();
    await sending;
    await report({ filled, hours, count, seconds, cpu, quiet, busy, memory });
  } finally {
    ending.abort();
    await server.stop();
  }
}

/** A spool of so many hours up to now, a result a minute of each target; returns how many that are. */
async function fill(
  prober: BenchProber,
  vantage: VantageRef | undefined,
  targetIds: string[],
  hours: number,
): Promise<number> {
  if (!vantage) throw new Error('no vantage');
  const begin = Date.now() - hours * HOUR_MS;
  let filled = 0;
  for (let at = begin; at < begin + hours * HOUR_MS; at += MINUTE_MS) {
    for (const [n, targetId] of targetIds.entries()) {
      prober.add(makeResult({ targetId, vantage, startedAt: at + n * 1_000, tls: 20 + (filled % 40) }));
      filled += 1;
    }
  }
  await prober.flush();
  return filled;
}

/** How long (ms) these pages took, in turn, as long as `goOn` says. */
async function visits(pages: string[], goOn: (made: number) => boolean): Promise<number[]> {
  const took: number[] = [];
  while (goOn(took.length)) {
    const begun = performance.now();
    const response = await fetch(pages[took.length % pages.length] ?? '');
    await response.text();
    if (!response.ok) throw new Error(`a page answered ${response.status}`);
    took.push(performance.now() - begun);
    await sleep(VISIT_EVERY_MS);
  }
  return took;
}

/** Fails as `work` fails, and never ends otherwise. */
const failureOf = (work: Promise<unknown>) => new Promise<never>((_, reject) => work.catch(reject));

async function watchMemory({ pids }: Server, most: Map<string, number>, goOn: () => boolean): Promise<void> {
  while (goOn()) {
    for (const [name, each] of Object.entries(pids)) most.set(name, Math.max(most.get(name) ?? 0, memoryOf(each)));
    await sleep(SAMPLE_EVERY_MS);
  }
}

const memoryOf = (pids: number[]) => usageOf(...pids).memoryMb;
const cpuOf = ({ pids }: Server) =>
  Object.entries(pids).map(([name, each]) => ({ name, cpu: usageOf(...each).cpuSeconds }));

type Measured = {
  filled: number;
  hours: number;
  count: number;
  seconds: number;
  cpu: { name: string; cpu: number }[];
  quiet: number[];
  busy: number[];
  memory: Map<string, number>;
};

async function report({ filled, hours, count, seconds, cpu, quiet, busy, memory }: Measured): Promise<void> {
  const { rows } = await getPool().query<{ stored: number }>(
    `select (select count(*) from result)::float8 + (select coalesce(sum(count), 0) from result_block)::float8 as stored`,
  );
  const print = (what: string, figure: string) => process.stdout.write(`| ${what} | ${figure} |\n`);
  process.stdout.write(`| ${count} probers come back with ${hours} h of spool | |\n|---|---|\n`);
  print('results in the spools', String(filled));
  print('stored', String(rows[0]?.stored));
  print('results/s', (filled / seconds).toFixed(0));
  for (const each of cpu) print(`CPU a result, ${each.name}`, `${((each.cpu / filled) * 1_000).toFixed(3)} ms`);
  for (const share of [0.5, 0.95]) {
    const [before, meanwhile] = [quantile(quiet, share), quantile(busy, share)];
    const ratio = (meanwhile / before).toFixed(1);
    print(
      `pages p${share * 100}, before and meanwhile`,
      `${before.toFixed(0)}, ${meanwhile.toFixed(0)} ms (${ratio} times)`,
    );
  }
  for (const [name, megabytes] of memory)
    print(`memory, ${name} (proportional), at most`, `${megabytes.toFixed(0)} MB`);
}

const quantile = (values: number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;
