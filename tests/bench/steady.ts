import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { VantageRef } from '#contract/result.ts';
import { hashSecret, mintSecret } from '#server/access/secrets.ts';
import { getPool } from '#server/database/database.ts';
import { assignAll, insertProber, insertTarget } from '../support/places.ts';
import { collect, freePort, stop } from '../support/process.ts';
import { makeResult } from '../support/results.ts';
import { spawnRoundtrip } from '../support/stack.ts';
import { mainlandVantages } from '../support/vantages.ts';
import { onFreshDatabase } from './database.ts';
import { BenchProber } from './prober.ts';
import { onEachNode, postmasterPids, usageOf } from './processes.ts';

const PERIOD_MS = 60_000;
/** Vantages of a prober: one of each carrier in a province. */
export const VANTAGES_EACH = 3;

/**
 * Prints what a result costs where nothing happens: so many targets, probed once a minute from 93 vantages, whose results 31
 * probers spool and send as they always do. The server is `roundtrip web` and `roundtrip jobs`, each a process of its own, on
 * an embedded PostgreSQL; what the probers take is not counted. `steady [--targets 50] [--minutes 5] [--warm-up 2]`
 * Returns the CPU of PostgreSQL, ms a result.
 */
export async function benchSteady(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      targets: { type: 'string', default: '50' },
      minutes: { type: 'string', default: '5' },
      'warm-up': { type: 'string', default: '2' },
    },
  });
  const folder = mkdtempSync(path.join(tmpdir(), 'roundtrip-steady-'));
  let cpuMs = Number.NaN;
  try {
    await onFreshDatabase(async () => {
      cpuMs = await measure(Number(values.targets), Number(values.minutes), Number(values['warm-up']), folder);
    });
    return cpuMs;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(targets: number, minutes: number, warmUp: number, folder: string): Promise<number> {
  const vantages = mainlandVantages();
  const groups = Array.from({ length: vantages.length / VANTAGES_EACH }, (_, n) =>
    vantages.slice(n * VANTAGES_EACH, (n + 1) * VANTAGES_EACH),
  );
  const credentials = await Promise.all(groups.map(enrol));
  const targetIds: string[] = [];
  for (let n = 0; n < targets; n++) targetIds.push(await insertTarget({ name: `shop ${n}` }));
  await assignAll();
  await makeSettled();
  const server = await startServer();
  const ending = new AbortController();
  let worstLagMs = 0;
  const probers = groups.map((group, n) =>
    runProber({
      folder: path.join(folder, String(n)),
      url: server.url,
      credential: credentials[n] ?? '',
      vantages: group,
      targetIds,
      signal: ending.signal,
      onLag: (ms) => {
        worstLagMs = Math.max(worstLagMs, ms);
      },
    }),
  );
  try {
    // The first minutes learn strings and partitions, and warm code up.
    await sleep(warmUp * PERIOD_MS);
    const before = await countersOf(server);
    worstLagMs = 0;
    await sleep(minutes * PERIOD_MS);
    const cpuMs = report(targets * vantages.length, minutes, before, await countersOf(server));
    process.stdout.write(`| from a probe to the server's answer, at most | ${(worstLagMs / 1_000).toFixed(1)} s |\n`);
    return cpuMs;
  } finally {
    ending.abort();
    await Promise.all(probers);
    await server.stop();
  }
}

/** As after weeks: what is computed a few times a day or an hour is there, so the first minutes are no first hour of an installation. */
async function makeSettled(): Promise<void> {
  await getPool().query(`
    update target set created_at = now() - interval '30 days';
    insert into target_usual (target_id, at, levels, overall)
      select id, now(), '{}', '{"country": "CN", "metrics": {"tls": {"levels": [], "since": null}}}' from target;
    insert into target_advice (target_id, at, results, codes)
      select id, now() - random() * interval '15 minutes', 500, '[]' from target`);
}

/** Puts a prober of these vantages into the database, and returns its credential. */
export async function enrol(vantages: VantageRef[]): Promise<string> {
  const credential = mintSecret('rtp');
  const id = await insertProber(vantages);
  await getPool().query('update prober set credential_hash = $2 where id = $1', [id, hashSecret(credential)]);
  return credential;
}

export type Server = { url: string; pids: Record<string, number[]>; stop(): Promise<void> };

/** `roundtrip web` and `roundtrip jobs` on the database of `DATABASE_URL`, ready. */
export async function startServer(settings: Record<string, string> = {}): Promise<Server> {
  const port = await freePort();
  const env = {
    DATABASE_URL: process.env.DATABASE_URL ?? '',
    ROUNDTRIP_SECRET: 'the secret of a bench, which nobody needs to know',
    ROUNDTRIP_ALLOW_PRIVATE_TARGETS: '1',
    // One credential sends what many probers would.
    ROUNDTRIP_RATE_LIMIT: '9999999',
    LOG_LEVEL: 'warn',
    NODE_OPTIONS: process.env.BENCH_NODE_OPTIONS ?? '',
    ...settings,
  };
  const web = spawnRoundtrip(['web', '--port', String(port)], env);
  const jobs = spawnRoundtrip(['jobs'], env);
  const outputs = [web, jobs].map(collect);
  const url = `http://127.0.0.1:${port}`;
  const ready = async () => (await fetch(`${url}/api/ready`).catch(() => null))?.ok ?? false;
  while (!(await ready())) {
    if (web.exitCode !== null || jobs.exitCode !== null) throw new Error(outputs.map((output) => output()).join('\n'));
    await sleep(200);
  }
  const postgres = await postmasterPids();
  if (!web.pid || !jobs.pid) throw new Error('a process of the server has no number');
  return {
    url,
    pids: { web: [web.pid], jobs: [jobs.pid], postgres },
    async stop() {
      await Promise.all([stop(web), stop(jobs)]);
    },
  };
}

type ProberOptions = {
  folder: string;
  url: string;
  credential: string;
  vantages: VantageRef[];
  targetIds: string[];
  signal: AbortSignal;
  /** Told again and again how long (ms) the oldest result waits for the server's answer. */
  onLag?: (ms: number) => void;
};

/** A prober but for its probes: results of checks that are due, spread over the period, are spooled and sent. */
export async function runProber({
  folder,
  url,
  credential,
  vantages,
  targetIds,
  signal,
  onLag,
}: ProberOptions): Promise<void> {
  const checks = vantages.flatMap((vantage) =>
    targetIds.map((targetId) => ({ vantage, targetId, at: Date.now() + Math.random() * PERIOD_MS })),
  );
  const prober = new BenchProber({ folder, url, credential, checks: checks.length });
  const sending = prober.send(signal);
  while (!signal.aborted) {
    const now = Date.now();
    for (const check of checks) {
      if (check.at > now) continue;
      const { vantage, targetId } = check;
      const tls = 15 + (vantage.id.charCodeAt(30) % 40) + Math.random() * 3;
      prober.add(makeResult({ targetId, vantage, startedAt: now, tls }));
      check.at += PERIOD_MS;
    }
    onLag?.(prober.lagMs());
    await sleep(50);
  }
  await sending;
}

type Counters = {
  results: number;
  rollupWrites: number;
  logged: number;
  commits: number;
  walBytes: number;
  use: Record<string, { cpuSeconds: number; memoryMb: number }>;
};

const ROLLUPS = `relname ~ '^rollup_(minute|ten|hour|day)_p'`;
const LOGGED = `relname in ('rollup_log', 'rollup_dirty') or relname ~ '^staple_minute_p'`;
const written = (tables: string) =>
  `(select coalesce(sum(n_tup_ins + n_tup_upd), 0) from pg_stat_user_tables where ${tables})::float8`;

/** Of all nodes of the database together. */
async function countersOf(server: Server): Promise<Counters> {
  const ofNodes = await onEachNode<Omit<Counters, 'use'>>(
    `select json_build_object('results', ${written("relname ~ '^result_p'")}, 'rollupWrites', ${written(ROLLUPS)},
      'logged', ${written(LOGGED)},
      'commits', (select xact_commit from pg_stat_database where datname = current_database())::float8,
      'walBytes', (select wal_bytes from pg_stat_wal)::float8)`,
  );
  const sum = (key: keyof Omit<Counters, 'use'>) => ofNodes.reduce((total, each) => total + each[key], 0);
  const use = Object.fromEntries(Object.entries(server.pids).map(([name, pids]) => [name, usageOf(...pids)]));
  return {
    results: sum('results'),
    rollupWrites: sum('rollupWrites'),
    logged: sum('logged'),
    commits: sum('commits'),
    walBytes: sum('walBytes'),
    use,
  };
}

/** Prints what a result cost, and returns the CPU of PostgreSQL, ms. */
function report(series: number, minutes: number, before: Counters, after: Counters): number {
  const results = after.results - before.results;
  const each = (key: 'rollupWrites' | 'logged' | 'commits' | 'walBytes') => (after[key] - before[key]) / results;
  const cpu = Object.keys(after.use).map((name) => {
    const seconds = (after.use[name]?.cpuSeconds ?? 0) - (before.use[name]?.cpuSeconds ?? 0);
    return { name, ms: (seconds / results) * 1_000, memoryMb: after.use[name]?.memoryMb ?? 0 };
  });
  const total = cpu.reduce((sum, { ms }) => sum + ms, 0);
  const print = (what: string, figure: string) => process.stdout.write(`| ${what} | ${figure} |\n`);
  process.stdout.write(`| ${series} series, a probe a minute, ${minutes} minutes | a result |\n|---|---|\n`);
  print('results', String(results));
  print('rows written to rollups', each('rollupWrites').toFixed(3));
  print('rows written to the log, marks and staples', each('logged').toFixed(3));
  print('commits', each('commits').toFixed(3));
  print('write-ahead log', `${each('walBytes').toFixed(0)} bytes`);
  print('CPU, all processes', `${total.toFixed(2)} ms`);
  for (const { name, ms } of cpu) print(`CPU, ${name}`, `${ms.toFixed(2)} ms`);
  for (const { name, memoryMb } of cpu) print(`memory, ${name} (proportional)`, `${memoryMb.toFixed(0)} MB`);
  const cores = (total * results) / (minutes * PERIOD_MS);
  print('cores in use', cores.toFixed(3));
  return cpu.find(({ name }) => name === 'postgres')?.ms ?? Number.NaN;
}
