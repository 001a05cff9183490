import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { findEmbeddedPostgres } from '#cli/database/embedded-postgres.ts';
import { ROOT } from '#cli/dist.mjs';
import { FaultProxy } from '../support/fault-proxy.ts';
import { collect, freePort } from '../support/process.ts';
import { spawnRoundtrip, startStack } from '../support/stack.ts';
import { type Origin, startOrigin } from './origin.ts';

/** Targets of each prober, each probed every ten seconds. */
const TARGETS = 25;
const PERIOD_SECONDS = 10;
const RESTART_AFTER_MS = 1_000;
const WATCH_EVERY_MS = 5_000;
/** PostgreSQL's cluster with its log ahead of the tables, and room to breathe. */
const SERVER_DISK_MB = 320;
const PROBER_DISK_MB = 8;

/** A prober of the bench: its clock and the folder that it works in. */
export type BenchProber = {
  name: string;
  vantageId: string;
  /** Where its data lies; on a small disk of its own where one could be mounted. */
  folder: string;
  /** When it was killed, ms since 1970 by the right clock. */
  kills: number[];
  pid(): number | undefined;
  kill(): void;
};

/** A whole Roundtrip under load, whose parts can be hurt. */
export type World = {
  origin: Origin;
  proxy: FaultProxy;
  url: string;
  /** The data folder of the server. */
  folder: string;
  probers: BenchProber[];
  /** The target's path at the origin and the prober that measures it, by target id. */
  targets: Map<string, { path: string; prober: BenchProber }>;
  /** Says of which disks none could be mounted. */
  withoutDisk: boolean;
  /** Processes of the server whose command holds these words: `next-server`, `dist/jobs.mjs`. */
  pidOf(command: string): number | undefined;
  /** Of `roundtrip start`. */
  supervisorPid(): number | undefined;
  /** One query on a connection of its own; throws where the database is away. */
  query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>;
  /** What the server's terminal showed. */
  output(): string;
  /** Ends the probers in order, so that nothing more is measured. */
  stopProbers(): Promise<void>;
  close(): Promise<void>;
};

/** How a prober's process is begun: variables that give it a clock of its own. */
export type ProberKind = { name: string; region: string; env: Record<string, string> };

export async function startWorld(kinds: ProberKind[]): Promise<World> {
  const base = mkdtempSync(path.join(tmpdir(), 'roundtrip-faults-'));
  // PostgreSQL's user passes through.
  chmodSync(base, 0o711);
  const mounted: string[] = [];
  const folder = path.join(base, 'server');
  const onDisk = mountDisk(folder, SERVER_DISK_MB, mounted);
  const origin = await startOrigin();
  const server = await keepServer(folder);
  const proxy = await new FaultProxy(server.url).open();
  const key = await keyOf(folder);
  const ask = withKey(server.url, key);
  // Somebody watches: probers send every second, and what ails them shows as soon.
  const watching = setInterval(() => void readFigures(server.url, key).catch(() => {}), WATCH_EVERY_MS);
  const targets: World['targets'] = new Map();
  const keepers: Keeper[] = [];
  const probers: BenchProber[] = [];
  for (const kind of kinds) {
    const data = path.join(base, kind.name.replaceAll(' ', '-'));
    mountDisk(data, PROBER_DISK_MB, mounted);
    const enrolment = { name: kind.name, region: kind.region, carrier: 'telecom' };
    const { token, vantage } = await ask<{ token: string; vantage: { id: string } }>('enrolments', enrolment);
    const keeper = keepProber(proxy.url, token, data, kind.env);
    keepers.push(keeper);
    const prober = { name: kind.name, vantageId: vantage.id, folder: data, ...keeper };
    probers.push(prober);
    for (let number = 1; number <= TARGETS; number += 1) {
      const at = `/${kind.name.replaceAll(' ', '-')}/${number}`;
      const settings = { verify: false, alpn: ['http/1.1'] };
      const body = { name: at, url: origin.url + at, periodSeconds: PERIOD_SECONDS, settings };
      const target = await ask<{ id: string }>('targets', { ...body, vantages: { vantageIds: [vantage.id] } });
      targets.set(target.id, { path: at, prober });
    }
  }
  const stopProbers = async () => {
    await Promise.all(keepers.map((keeper) => keeper.end()));
  };
  return {
    origin,
    proxy,
    url: server.url,
    folder,
    probers,
    targets,
    withoutDisk: !onDisk,
    pidOf: (command) => pidOf(folder, command),
    supervisorPid: server.pid,
    query: (sql, values) => queryOnce(folder, sql, values),
    output: server.output,
    stopProbers,
    async close() {
      clearInterval(watching);
      await stopProbers();
      await proxy.close();
      await server.end();
      await origin.close();
      for (const disk of mounted) spawnSync('umount', ['--lazy', disk]);
      rmSync(base, { recursive: true, force: true });
    },
  };
}

/** Makes the folder, on a small disk in memory where this account may mount one. */
function mountDisk(folder: string, megabytes: number, mounted: string[]): boolean {
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0711`, 'tmpfs', folder]);
  if (status === 0) mounted.push(folder);
  return status === 0;
}

type Keeper = { kills: number[]; pid(): number | undefined; kill(): void; end(): Promise<void> };

/** Runs a process again whenever it ends, as a service manager does. */
function keep(start: () => ChildProcess): Keeper & { output(): string } {
  let child = start();
  let output = collect(child);
  let ended = false;
  const kills: number[] = [];
  const watch = () => {
    child.once('exit', () => {
      if (ended) return;
      setTimeout(() => {
        if (ended) return;
        const before = output();
        child = start();
        const after = collect(child);
        output = () => before + after();
        watch();
      }, RESTART_AFTER_MS);
    });
  };
  watch();
  return {
    kills,
    pid: () => child.pid,
    output: () => output(),
    kill() {
      kills.push(Date.now());
      child.kill('SIGKILL');
    },
    async end() {
      ended = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

function keepProber(server: string, token: string, data: string, env: Record<string, string>): Keeper {
  const args = ['--disable-warning=ExperimentalWarning', 'workers/prober/main.ts', '--server', server];
  const settings = { ROUNDTRIP_THREADS: '1', ROUNDTRIP_ALLOW_PRIVATE: '127.0.0.1', LOG_LEVEL: 'warn', ...env };
  return keep(() =>
    spawn(process.execPath, [...args, '--token', token, '--data', data], {
      cwd: ROOT,
      env: { ...process.env, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
}

/** The server, started again where its supervisor was killed; the first start is awaited. */
async function keepServer(folder: string) {
  const port = await freePort();
  const env = { ROUNDTRIP_ALLOW_PRIVATE_TARGETS: '1', LOG_LEVEL: 'warn' };
  const begin = () => startStack({ dataDir: folder, port, args: ['--no-demo', '--apart'], env });
  let stack = await begin();
  let output = stack.output;
  let ended = false;
  let restarting: Promise<void> = Promise.resolve();
  const watch = () => {
    stack.child.once('exit', () => {
      if (ended) return;
      restarting = restart();
    });
  };
  const restart = async () => {
    const before = output();
    while (!ended) {
      const next = await begin().catch(() => null); // not while the killed one's folder is still locked
      if (!next) continue;
      stack = next;
      output = () => before + next.output();
      return watch();
    }
  };
  watch();
  return {
    url: stack.url,
    pid: () => stack.child.pid,
    output: () => output(),
    async end() {
      ended = true;
      await restarting;
      await stack.stop();
    },
  };
}

/** A process of this machine that carries the folder in its environment and these words in its command. */
function pidOf(folder: string, command: string): number | undefined {
  const found = readdirSync('/proc').find(
    (pid) => /^\d+$/.test(pid) && read(`/proc/${pid}/cmdline`).includes(command) && isOf(pid, folder),
  );
  return found === undefined ? undefined : Number(found);
}

const isOf = (pid: string, folder: string) =>
  read(`/proc/${pid}/environ`).includes(folder) || read(`/proc/${pid}/cmdline`).includes(folder);

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

async function queryOnce<Row extends pg.QueryResultRow>(
  folder: string,
  sql: string,
  values: unknown[] = [],
): Promise<Row[]> {
  if (!existsSync(folder)) throw new Error('the server was put away');
  const connectionString = await findEmbeddedPostgres(folder);
  if (!connectionString) throw new Error('PostgreSQL does not run');
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2_000, query_timeout: 30_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

type Ask = <T>(path: string, body: object) => Promise<T>;

/** A key of the bench's own, which may write. */
async function keyOf(folder: string): Promise<string> {
  const child = spawnRoundtrip(['key', 'create', '--scope', 'write'], { ROUNDTRIP_DATA: folder });
  const [key] = await Promise.all([text(child.stdout as Readable), once(child, 'close')]);
  return key.trim();
}

async function readFigures(url: string, key: string): Promise<void> {
  const response = await fetch(`${url}/api/v1/results?limit=1`, { headers: { authorization: `Bearer ${key}` } });
  await response.arrayBuffer();
}

/** Posts to the API. */
function withKey(url: string, key: string): Ask {
  return async (what, body) => {
    const response = await fetch(`${url}/api/v1/${what}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`POST ${what}: ${response.status} ${await response.text()}`);
    return response.json();
  };
}
