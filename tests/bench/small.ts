import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { findEmbeddedPostgres } from '#cli/database/embedded-postgres.ts';
import { closeDatabase, getPool } from '#server/database/database.ts';
import { createAuthority, issue } from '../support/pki.ts';
import { assignAll, insertTarget } from '../support/places.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { mainlandVantages } from '../support/vantages.ts';
import { type Part, partsOf } from './processes.ts';
import { enrol, runProber, VANTAGES_EACH } from './steady.ts';

const MINUTE_MS = 60_000;
/** How often memory is read. */
const SAMPLE_MS = 5_000;
/** An open page asks for itself again (components/ui/refresher.tsx), and somebody turns to another one, together this often. */
const REFRESH_MS = 15_000;

/**
 * Prints the memory of each part of `roundtrip start`, proportional (what processes share counts by its part), on a copy of Node
 * of its own, so that it is shared with nothing else on the machine:
 *
 * - `rest`: one target, nobody looks; then two minutes of page views, and two minutes of rest.
 * - `demo`: the demo network from its first start on.
 * - `load`: 50 targets from 93 vantages, once a minute, and a dashboard that is open, below a limit of memory (`--limit`, MB)
 *   where this user may set one.
 *
 * `small [rest] [demo] [load] [--minutes 60] [--targets 50] [--limit 1024]`; minutes are those of `load`, and of `demo` up to 15.
 */
export async function benchSmall(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      minutes: { type: 'string', default: '60' },
      targets: { type: 'string', default: '50' },
      limit: { type: 'string', default: '1024' },
    },
  });
  const wanted = (name: string) => positionals.length === 0 || positionals.includes(name);
  const folder = mkdtempSync(path.join(tmpdir(), 'roundtrip-small-'));
  // PostgreSQL's user passes through.
  chmodSync(folder, 0o711);
  const node = path.join(folder, 'node');
  copyFileSync(process.execPath, node);
  const minutes = Number(values.minutes);
  try {
    if (wanted('rest')) await benchRest(path.join(folder, 'rest'), node);
    if (wanted('demo')) await benchDemo(path.join(folder, 'demo'), node, Math.min(minutes, 15));
    if (wanted('load')) {
      await benchLoad(path.join(folder, 'load'), node, {
        minutes,
        targets: Number(values.targets),
        limitMb: Number(values.limit),
      });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const ENV = { ROUNDTRIP_PUBLIC_DASHBOARD: '1', ROUNDTRIP_ALLOW_PRIVATE_TARGETS: '1', LOG_LEVEL: 'warn' };

async function benchRest(dataDir: string, node: string): Promise<void> {
  const target = await startTarget();
  const stack = await startStack({ dataDir, command: [node], args: ['--no-demo', target.url], env: ENV });
  try {
    await sleep(2 * MINUTE_MS);
    print('at rest, 2 minutes after the start', partsOf(pidOf(stack)));
    await viewPages(stack.url, 2 * MINUTE_MS);
    print('after 2 minutes of page views, one after the other', partsOf(pidOf(stack)));
    await sleep(2 * MINUTE_MS);
    print('2 minutes later', partsOf(pidOf(stack)));
  } finally {
    await stack.stop();
    target.close();
  }
}

async function benchDemo(dataDir: string, node: string, minutes: number): Promise<void> {
  const stack = await startStack({ dataDir, command: [node], env: ENV });
  try {
    for (let passed = 0; passed < minutes; ) {
      const step = Math.min(5, minutes - passed);
      await sleep(step * MINUTE_MS);
      passed += step;
      print(`with the demo, ${passed} minutes after its first start`, partsOf(pidOf(stack)));
    }
  } finally {
    await stack.stop();
  }
}

type Load = { minutes: number; targets: number; limitMb: number };

async function benchLoad(dataDir: string, node: string, { minutes, targets, limitMb }: Load): Promise<void> {
  const group = limitedGroup(limitMb);
  const target = await startTarget();
  const stack = await startStack({
    dataDir,
    command: [...(group?.command ?? []), node],
    args: ['--no-demo', target.url],
    env: ENV,
  });
  const ending = new AbortController();
  let probers: Promise<void>[] = [];
  try {
    process.env.DATABASE_URL = (await findEmbeddedPostgres(dataDir)) ?? '';
    probers = await startProbers({
      folder: path.join(dataDir, 'senders'),
      url: stack.url,
      targets,
      signal: ending.signal,
    });
    const most = new Map<string, number>();
    const slowest: number[] = [];
    const endAt = performance.now() + minutes * MINUTE_MS;
    const viewing = keepOpen(stack.url, endAt, slowest);
    while (performance.now() < endAt) {
      await sleep(SAMPLE_MS);
      const parts = partsOf(pidOf(stack));
      for (const { name, memoryMb } of [...parts, { name: 'all', memoryMb: sumOf(parts) }]) {
        most.set(name, Math.max(most.get(name) ?? 0, memoryMb));
      }
    }
    await viewing;
    const heading = `${targets} targets x 93 vantages, ${minutes} minutes`;
    print(`${heading}, at the end`, partsOf(pidOf(stack)));
    print(
      `${heading}, the most of each`,
      [...most].filter(([name]) => name !== 'all').map(([name, memoryMb]) => ({ name, memoryMb })),
      most.get('all'),
    );
    slowest.sort((a, b) => a - b);
    const share = (part: number) => `${(slowest[Math.floor((slowest.length - 1) * part)] ?? 0).toFixed(0)} ms`;
    console.log(`${slowest.length} pages: p50 ${share(0.5)}, p95 ${share(0.95)}, slowest ${share(1)}`);
    const ends = stack
      .output()
      .split('\n')
      .filter((line) => /ended|restarting/.test(line));
    console.log(`parts that ended: ${ends.length}${ends.map((line) => `\n  ${line.trim()}`).join('')}`);
    console.log(
      group
        ? `limit: ${limitMb} MB by cgroup; ${group.report()}`
        : `limit: none could be set; the aim is the sum above against ${limitMb} MB`,
    );
  } finally {
    ending.abort();
    await Promise.all(probers);
    await closeDatabase();
    delete process.env.DATABASE_URL;
    await stack.stop();
    target.close();
    group?.remove();
  }
}

const pidOf = ({ child }: Stack): number => {
  if (child.pid === undefined) throw new Error('the supervisor has no number');
  return child.pid;
};

const sumOf = (parts: Part[]) => parts.reduce((sum, { memoryMb }) => sum + memoryMb, 0);

function print(heading: string, parts: Part[], all = sumOf(parts)): void {
  const cells = parts.map(({ name, memoryMb }) => `${name} ${memoryMb.toFixed(0)}`);
  console.log(`| ${heading} | ${cells.join(', ')} | ${all.toFixed(0)} MB |`);
}

/** A real TLS server, so that this machine's prober has something to measure. */
async function startTarget(): Promise<{ url: string; close: () => void }> {
  const authority = await createAuthority({ name: 'Bench root', key: 'ec' });
  const { chainPem, keyPem } = await issue(authority, { names: ['127.0.0.1'] });
  const server = createServer({ cert: chainPem, key: keyPem }, (_, response) => response.end('hello'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `https://127.0.0.1:${port}/`, close: () => server.closeAllConnections() ?? server.close() };
}

/** Pages of a dashboard, and of the first target that it lists. */
async function pagesOf(url: string): Promise<string[]> {
  const overview = await (await fetch(`${url}/`)).text();
  const target = /href="(\/targets\/[0-9a-f-]{36})/.exec(overview)?.[1];
  const ofTarget = target ? ['', '/trend', '/results', '/advice'].map((tab) => `${target}${tab}`) : [];
  return ['/', '/incidents', '/regressions', '/vantages', ...ofTarget];
}

async function viewPages(url: string, forMs: number): Promise<void> {
  const pages = await pagesOf(url);
  const endAt = performance.now() + forMs;
  for (let n = 0; performance.now() < endAt; n++) {
    await (await fetch(`${url}${pages[n % pages.length]}`)).arrayBuffer();
  }
}

/** A dashboard that somebody leaves open, and now and then turns to another page. */
async function keepOpen(url: string, endAt: number, tookMs: number[]): Promise<void> {
  for (let n = 0; performance.now() < endAt; n++) {
    const pages = await pagesOf(url);
    const page = pages[Math.floor(n / 4) % pages.length];
    const startedAt = performance.now();
    await (await fetch(`${url}${page}`, n % 4 === 0 ? {} : { headers: { RSC: '1' } })).arrayBuffer();
    tookMs.push(performance.now() - startedAt);
    await sleep(Math.max(0, Math.min(REFRESH_MS, endAt - performance.now())));
  }
}

type Senders = { folder: string; url: string; targets: number; signal: AbortSignal };

/** Probers but for their probes, in this process: what they take is not the server's. */
async function startProbers({ folder, url, targets, signal }: Senders): Promise<Promise<void>[]> {
  const vantages = mainlandVantages();
  const groups = Array.from({ length: vantages.length / VANTAGES_EACH }, (_, n) =>
    vantages.slice(n * VANTAGES_EACH, (n + 1) * VANTAGES_EACH),
  );
  const credentials = await Promise.all(groups.map(enrol));
  const targetIds: string[] = [];
  for (let n = 0; n < targets; n++) targetIds.push(await insertTarget({ name: `shop ${n}` }));
  await assignAll();
  await getPool().query('analyze');
  return groups.map((group, n) =>
    runProber({
      folder: path.join(folder, String(n)),
      url,
      credential: credentials[n] ?? '',
      vantages: group,
      targetIds,
      signal,
    }),
  );
}

type LimitedGroup = { command: string[]; report: () => string; remove: () => void };

/** A control group below our own whose processes may take so much memory; null where this user may make none. */
function limitedGroup(limitMb: number): LimitedGroup | null {
  const entry = readFileSync('/proc/self/cgroup', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([, controllers]) => controllers === 'memory' || controllers === '');
  if (!entry) return null;
  const [, controllers, own = ''] = entry;
  const old = controllers === 'memory';
  const parent = path.join('/sys/fs/cgroup', old ? 'memory' : '', own);
  const folder = path.join(parent, `roundtrip-small-${process.pid}`);
  const file = (name: string) => path.join(folder, name);
  try {
    mkdirSync(folder);
    writeFileSync(file(old ? 'memory.limit_in_bytes' : 'memory.max'), String(limitMb * 1024 * 1024));
  } catch {
    if (existsSync(folder)) rmdirSync(folder);
    return null;
  }
  const read = (name: string) => (existsSync(file(name)) ? readFileSync(file(name), 'utf8').trim() : '');
  const enter = 'group=$1; shift; echo $$ > "$group/cgroup.procs" && exec "$@"';
  return {
    command: ['sh', '-c', enter, 'sh', folder],
    report() {
      const events = old ? read('memory.oom_control') : read('memory.events');
      const peak = Number(read(old ? 'memory.max_usage_in_bytes' : 'memory.peak')) / 1024 / 1024;
      return `most, with the cache of files: ${peak.toFixed(0)} MB; ${events.replaceAll('\n', ', ')}`;
    },
    remove: () => rmdirSync(folder),
  };
}
