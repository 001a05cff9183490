import { randomBytes, randomUUID } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { v7 } from 'uuid';
import type { Result } from '#contract/result.ts';
import { ProbeSettings } from '#contract/target.ts';
import { startOriginThread } from '#demo/origin-thread.ts';
import { DEMO_VANTAGES } from '#demo/places.ts';
import { demoEnvironments } from '#demo/vantages.ts';
import { startMeasuring } from '#workers/prober/measuring.ts';
import { DEFAULT_SPOOL_BYTES, FLUSH_MS, Spool } from '#workers/prober/spool.ts';

/** Results that are really measured; all the others are these with other ids, times, ports, names and certificates. */
const MEASURED = 300;
const WRITTEN = 40_000;
const DELIVERED = 100_000;
const CHECKS_A_MINUTE = 1_000;
const OLD_SEGMENT_BYTES = 2 * 1024 * 1024;
const BATCH = 500;
const BLOCK = 4096;

const print = (text: string) => process.stdout.write(`${text}\n`);
const mib = (bytes: number) => bytes / 1024 / 1024;

/**
 * Prints what Results take on disk and of the processor, in the spool and as the plain NDJSON that it was; how soon a spool
 * of 1 GiB opens after a crash, and how the event loop fares while it is read back and while it is filled.
 */
export async function benchSpool(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'spool-bench-'));
  try {
    const measured = await measureResults(folder);
    print(
      '| results | form | bytes a result | hours in 1 GiB at 1,000 a minute | CPU a result, µs | of it on the event loop |',
    );
    print('|---|---|---|---|---|---|');
    for (const targets of [3, 100, 1_000]) {
      const vary = variations(measured, targets);
      const name = `${targets} targets`;
      row(name, 'plain NDJSON', await fillPlain(join(folder, `plain-${targets}`), vary));
      row(name, 'spool', await fillSpool(join(folder, `spool-${targets}`), vary));
    }
    await recovery(join(folder, 'spool-1000'), join(folder, 'full'));
    for (const aSecond of [CHECKS_A_MINUTE / 60, 250]) await pacing(folder, measured, aSecond);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

type Cost = { cpuMs: number; loopMs: number };
type Filled = Cost & { bytesEach: number };

function row(name: string, form: string, { bytesEach, cpuMs, loopMs }: Filled): void {
  const hours = DEFAULT_SPOOL_BYTES / bytesEach / CHECKS_A_MINUTE / 60;
  const [cpu, loop] = [cpuMs, loopMs].map((ms) => ((ms * 1_000) / WRITTEN).toFixed(0));
  print(`| ${name} | ${form} | ${bytesEach.toFixed(0)} | ${hours.toFixed(1)} | ${cpu} | ${loop} |`);
}

/** The demo's TLS servers, measured for real from some of its vantages through their emulated lines. */
async function measureResults(folder: string): Promise<Result[]> {
  const running = await startOriginThread(folder);
  const environmentFor = demoEnvironments(running.origins, 7);
  const results: Result[] = [];
  const enough = Promise.withResolvers<void>();
  const logger = { debug() {}, info() {}, warn: print, error: print };
  const onResult = (result: Result) => {
    results.push(result);
    if (results.length >= MEASURED) enough.resolve();
  };
  const measuring = await startMeasuring({
    reachable: ['127.0.0.1'],
    environmentFor,
    firstSpreadMs: 5_000,
    logger,
    onResult,
  });
  const vantages = DEMO_VANTAGES.slice(0, 30).map(({ region, carrier }) => ({
    id: v7(),
    name: `${region} ${carrier}`,
    country: 'CN',
    region,
    city: null,
    carrier,
    asn: 4134,
    access: 'idc' as const,
  }));
  const checks = running.origins.flatMap(({ url, caPem }) => {
    const common = { targetId: v7(), url, demo: true, periodSeconds: 10, timeoutMs: 7_000, allowPrivate: true };
    return vantages.map((vantage) => ({ id: v7(), ...common, vantage, settings: ProbeSettings.parse({ caPem }) }));
  });
  measuring.apply(checks, []);
  await enough.promise;
  await measuring.stop(5_000);
  await running.close();
  print(
    `${results.length} Results measured, ${mean(results.map((result) => JSON.stringify(result).length))} bytes each`,
  );
  for (const key of running.origins.map((origin) => origin.host)) {
    const sizes = results.filter(({ url }) => url.includes(key)).map((result) => JSON.stringify(result).length);
    print(`  ${key}: ${mean(sizes)} bytes`);
  }
  return results;
}

const mean = (numbers: number[]) => Math.round(numbers.reduce((sum, number) => sum + number, 0) / numbers.length);

/**
 * An endless supply of lines: so many targets in turn, each with names, ids and certificate hashes of its own. Every
 * duration of a result is stretched by the same random factor, so that figures that agree in a real Result still do. With
 * more than the demo's three targets the legacy one, whose chain makes a Result of 20 kB, is left out.
 */
function variations(measured: Result[], count: number): () => string {
  const models = count > 3 ? measured.filter(({ url }) => !url.includes('legacy')) : measured;
  const targets = Array.from({ length: count }, (_, index) => ({
    from: models[index % models.length]?.url ?? '',
    host: count > 3 ? `w${hex(3)}.${hex(4)}.example.com` : null,
    id: randomUUID(),
    hashes: new Map<string, string>(),
  }));
  let [turn, at] = [0, Date.now()];
  return () => {
    const target = targets[turn % count];
    const alike = target && count > 3 ? models.filter(({ url }) => url === target.from) : models;
    const result = alike[Math.floor(Math.random() * alike.length)];
    if (!target || !result) throw new Error('no Result was measured');
    turn += 1;
    at += Math.random() * 120;
    const line = JSON.stringify(stretched(result, 0.7 + Math.random() * 0.8))
      .replace(result.id, `${v7()}`)
      .replace(result.startedAt, new Date(at).toISOString());
    if (!target.host) return line;
    return line
      .replaceAll(new URL(result.url).hostname, target.host)
      .replace(String(result.targetId), target.id)
      .replace(/[0-9a-f]{64}/g, (hash) => {
        if (!target.hashes.has(hash)) target.hashes.set(hash, hex(32));
        return String(target.hashes.get(hash));
      });
  };
}

const hex = (bytes: number) => randomBytes(bytes).toString('hex');

function stretched(value: unknown, factor: number, key = ''): unknown {
  if (key === 'localPort') return 32_768 + Math.floor(Math.random() * 28_000);
  if (typeof value === 'number') return Number.isInteger(value) ? value : Math.round(value * factor * 1_000) / 1_000;
  if (Array.isArray(value)) return value.map((each) => stretched(each, factor));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, stretched(each, factor, name)]));
}

/** Writes lines in batches and says what all of the process but the making of the lines took of the processor. */
async function costOf(vary: () => string, take: (lines: string[]) => Promise<unknown>): Promise<Cost> {
  const [cpu, loop] = [process.cpuUsage(), process.threadCpuUsage()];
  let makingMs = 0;
  for (let written = 0; written < WRITTEN; written += BATCH) {
    const making = process.threadCpuUsage();
    const lines = Array.from({ length: BATCH }, vary);
    makingMs += inMs(process.threadCpuUsage(making));
    await take(lines);
  }
  return { cpuMs: inMs(process.cpuUsage(cpu)) - makingMs, loopMs: inMs(process.threadCpuUsage(loop)) - makingMs };
}

const inMs = ({ user, system }: { user: number; system: number }) => (user + system) / 1_000;

async function fillSpool(directory: string, vary: () => string): Promise<Filled> {
  const spool = new Spool({ directory, maxBytes: 64 * DEFAULT_SPOOL_BYTES, warn: print });
  const cost = await costOf(vary, async (lines) => {
    for (const line of lines) spool.append(line);
    await spool.flush();
    // No faster than it is compressed, as at the pace of probes.
    while (readdirSync(directory).filter((name) => name.endsWith('.log')).length > 3) await wait(20);
  });
  await spool.close();
  const closed = readdirSync(directory).filter((name) => name.endsWith('.zst'));
  const results = closed.reduce((sum, name) => sum + Number(name.split('.')[1]), 0);
  return { bytesEach: bytesOf(directory, closed) / results, ...cost };
}

/** As the spool wrote before: lines joined, appended and synced, a new file every 2 MiB. */
async function fillPlain(directory: string, vary: () => string): Promise<Filled> {
  mkdirSync(directory);
  const writer = plainWriter(directory);
  const cost = await costOf(vary, (lines) => writer.append(lines));
  await writer.close();
  return { bytesEach: bytesOf(directory, readdirSync(directory)) / WRITTEN, ...cost };
}

function plainWriter(directory: string) {
  let number = 0;
  let bytes = Number.POSITIVE_INFINITY;
  let file: Awaited<ReturnType<typeof open>> | undefined;
  const append = async (lines: string[]) => {
    if (bytes >= OLD_SEGMENT_BYTES) {
      await file?.close();
      number += 1;
      file = await open(join(directory, `${number}.ndjson`), 'ax');
      bytes = 0;
    }
    const data = Buffer.from(lines.map((line) => `${line}\n`).join(''));
    await file?.appendFile(data);
    await file?.datasync();
    bytes += data.length;
  };
  return { append, close: async () => await file?.close() };
}

function bytesOf(directory: string, names: string[]): number {
  const sizes = names.map((name) => statSync(join(directory, name)).size);
  return sizes.reduce((sum, size) => sum + Math.ceil(size / BLOCK) * BLOCK, 0);
}

/** A spool of 1 GiB, made of copies of real segments: opened as after a crash, and read back by batches. */
async function recovery(from: string, directory: string): Promise<void> {
  mkdirSync(directory);
  const segments = readdirSync(from).filter((name) => name.endsWith('.zst'));
  let [number, bytes] = [1, 0];
  while (bytes < DEFAULT_SPOOL_BYTES * 0.99) {
    const name = String(segments[number % segments.length]);
    const to = join(directory, `${String(number).padStart(12, '0')}${name.slice(12)}`);
    copyFileSync(join(from, name), to);
    bytes += Math.ceil(statSync(to).size / BLOCK) * BLOCK;
    number += 1;
  }
  const opening = performance.now();
  const spool = new Spool({ directory, warn: print });
  const opened = performance.now();
  const first = await spool.read(BATCH);
  print(
    `\n${mib(bytes).toFixed(0)} MiB in ${number - 1} files open in ${(opened - opening).toFixed(0)} ms, ` +
      `the first ${first?.lines.length} results come ${(performance.now() - opened).toFixed(0)} ms later`,
  );
  const [cpu, begun] = [process.cpuUsage(), performance.now()];
  const rssBefore = process.memoryUsage().rss;
  let [read, rss] = [0, 0];
  const drain = async () => {
    while (read < DELIVERED) {
      const batch = await spool.read(BATCH);
      if (!batch) break;
      read += batch.lines.length;
      await spool.acknowledge(batch);
      rss = Math.max(rss, process.memoryUsage().rss);
    }
  };
  const late = await latenessDuring(drain);
  const cpuMs = inMs(process.cpuUsage(cpu));
  const seconds = (performance.now() - begun) / 1_000;
  print(
    `${read} read back: ${(read / seconds).toFixed(0)} a second, ${((cpuMs * 1_000) / read).toFixed(0)} µs of CPU each, ` +
      `RSS ${mib(rss - rssBefore).toFixed(0)} MiB above the ${mib(rssBefore).toFixed(0)} MiB before`,
  );
  print(`  loop ${late}`);
  print(`  with nothing to do for as long: loop ${await latenessDuring(() => wait(seconds * 1_000))}`);
  await turns('  the same once more, turn by turn', async () => {
    read = 0;
    await drain();
  });
  await spool.close();
}

/** How much later than asked for timers of 1 ms came: our own work, and that of all others on the machine. */
async function latenessDuring(action: () => Promise<unknown>): Promise<string> {
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  await action();
  loop.disable();
  const [p50 = 0, p99 = 0, most = 0] = [loop.percentile(50), loop.percentile(99), loop.max].map((ns) => ns / 1e6 - 1);
  return `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, longest ${most.toFixed(1)} ms late`;
}

/** What single turns of the event loop took of the processor, which is our own work alone, whatever else the machine does. */
async function turns(name: string, action: () => Promise<unknown>): Promise<void> {
  let [longest, over5, ended] = [0, 0, false];
  let before = process.threadCpuUsage();
  const sample = () => {
    const now = process.threadCpuUsage();
    const ms = inMs(now) - inMs(before);
    longest = Math.max(longest, ms);
    if (ms > 5) over5 += 1;
    before = now;
    if (!ended) setImmediate(sample);
  };
  setImmediate(sample);
  await action();
  ended = true;
  print(`${name}: the longest took ${longest.toFixed(1)} ms of CPU, ${over5} over 5 ms`);
}

/** Results at an even pace for 10 s, as probes give them: what that does to the loop that stamps their arrivals. */
async function pacing(folder: string, measured: Result[], aSecond: number): Promise<void> {
  const lasts = 10_000;
  const vary = variations(measured, 1_000);
  const lines = Array.from({ length: Math.ceil((aSecond * lasts) / 1_000) }, vary);
  const paced = async (take: (line: string) => void) => {
    const begun = performance.now();
    for (const [index, line] of lines.entries()) {
      const dueMs = begun + (index * 1_000) / aSecond - performance.now();
      if (dueMs > 0) await wait(dueMs);
      take(line);
    }
  };
  print(`\n${aSecond.toFixed(0)} results a second for ${lasts / 1_000} s:`);

  const name = `${aSecond.toFixed(0)}-a-second`;
  mkdirSync(join(folder, `${name}-plain`));
  const writer = plainWriter(join(folder, `${name}-plain`));
  let waiting: string[] = [];
  let writing: Promise<unknown> = Promise.resolve();
  const flush = () => {
    const lines = waiting;
    waiting = [];
    if (lines.length > 0) writing = writing.then(() => writer.append(lines));
  };
  const timer = setInterval(flush, FLUSH_MS);
  const takePlain = () => paced((line) => void waiting.push(line));
  print(`  plain NDJSON: loop ${await latenessDuring(takePlain)}`);
  await turns('  plain NDJSON', takePlain);
  clearInterval(timer);
  await writing;
  await writer.close();

  const spool = new Spool({ directory: join(folder, name), warn: print });
  const takeSpooled = () => paced((line) => spool.append(line));
  print(`  spool: loop ${await latenessDuring(takeSpooled)}`);
  await turns('  spool', takeSpooled);
  await spool.close();
}
