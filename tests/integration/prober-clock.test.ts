import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { getPool } from '#server/database/database.ts';
import { getVantage } from '#server/vantages/vantages.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { type IngestRoutes, serveIngest } from '../support/ingest-routes.ts';
import { startTlsTarget, type TlsTarget } from '../support/tls-target.ts';
import { minutesOf, storedResults, unwatch, type Watched, watch } from '../support/watched.ts';

// Prober processes whose wall clock is wrong, and a target that writes down by a right one when they came.

const MAIN = join(import.meta.dirname, '../../workers/prober/main.ts');
const SHIM = pathToFileURL(join(import.meta.dirname, '../support/shifted-clock.mjs')).href;
const within = { timeout: 25_000, interval: 50 };
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** From the start of a probe to its handshake's end on a busy machine, and the grain of the clocks. */
const NEAR_MS = 1_500;

let database: TestDatabase;
let target: TlsTarget;
let server: IngestRoutes;
let proxy: FaultProxy;
let dataDir: string;
let watched: Watched;
const children: ChildProcess[] = [];

beforeAll(async () => {
  process.env.ROUNDTRIP_ALLOW_PRIVATE_TARGETS = '1';
  process.env.LOG_LEVEL = 'silent';
  process.env.ROUNDTRIP_SECRET = 'a secret of the tests, and of them alone';
  database = await testDatabase();
  target = await startTlsTarget();
  server = await serveIngest();
});
afterAll(async () => {
  await server.close();
  await target.close();
  await database.drop();
});
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'prober-'));
  target.handshakes.length = 0;
  proxy = await new FaultProxy(server.url).open();
  watched = await watch(target);
});
afterEach(async () => {
  for (const child of children.splice(0)) await end(child, 'SIGKILL');
  await proxy.close();
  await unwatch(watched);
  rmSync(dataDir, { recursive: true });
});

const setClock = (offMs: number) => writeFileSync(join(dataDir, 'off'), String(offMs));

/** A prober process; resolves once it measures. */
async function startProber(threads = 1): Promise<ChildProcess> {
  const args = ['--server', proxy.url, '--token', watched.token, '--data', dataDir, '--threads', String(threads)];
  const env = { ...process.env, SHIFTED_CLOCK_FILE: join(dataDir, 'off'), LOG_LEVEL: 'warn' };
  const child = fork(MAIN, args, { execArgv: ['--import', SHIM], env, silent: true });
  children.push(child);
  await once(child, 'message');
  return child;
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}

const untilHandshakes = (count: number) =>
  vi.waitFor(() => expect(target.handshakes.length).toBeGreaterThanOrEqual(count), within);
const untilStored = (count: number) =>
  vi.waitFor(async () => expect((await storedResults(watched.targetId)).length).toBeGreaterThanOrEqual(count), within);

/** Every handshake is stored as one Result at its true time, and the rollups have it in its true minute. */
async function expectTruth(): Promise<void> {
  const stored = await storedResults(watched.targetId);
  expect(new Set(stored.map(({ id }) => id)).size).toBe(stored.length);
  expect(stored).toHaveLength(target.handshakes.length);
  const apart = target.handshakes.map((at, index) => at - (stored[index]?.startedAt.getTime() ?? 0));
  expect(Math.min(...apart)).toBeGreaterThan(-NEAR_MS);
  expect(Math.max(...apart)).toBeLessThan(NEAR_MS);
  const buckets = Map.groupBy(stored, ({ startedAt }) => Math.floor(startedAt.getTime() / MINUTE_MS) * MINUTE_MS);
  expect(await minutesOf(watched.targetId)).toEqual(new Map([...buckets].map(([at, each]) => [at, each.length])));
}

const refusedFiles = () => (existsSync(join(dataDir, 'quarantine')) ? readdirSync(join(dataDir, 'quarantine')) : []);

describe('a prober whose clock is wrong', () => {
  it.each([
    ['two hours ahead', 2 * HOUR_MS],
    ['40 days behind', -40 * DAY_MS],
    ['ten minutes behind', -10 * MINUTE_MS],
  ])('by %s brings every result at its true time, and says what it was put right by', async (_, offMs) => {
    setClock(offMs);
    const prober = await startProber();
    await untilStored(3);
    await end(prober, 'SIGTERM');
    await expectTruth();
    for (const { clockOffsetMs } of await storedResults(watched.targetId)) {
      expect(Math.abs((clockOffsetMs ?? 0) - offMs)).toBeLessThan(NEAR_MS);
    }
    expect(Math.abs(((await getVantage(watched.vantageId)).clockSkewMs ?? 0) - offMs)).toBeLessThan(NEAR_MS);
    expect(refusedFiles()).toEqual([]);
  });

  it('leaves a clock that is right alone', async () => {
    setClock(0);
    const prober = await startProber();
    await untilStored(2);
    await end(prober, 'SIGTERM');
    await expectTruth();
    expect((await storedResults(watched.targetId)).map(({ clockOffsetMs }) => clockOffsetMs)).not.toContainEqual(
      expect.any(Number),
    );
  });

  it('may have it set (NTP) while it measures and the server is away', async () => {
    setClock(-10 * MINUTE_MS);
    const prober = await startProber();
    await untilStored(1);
    proxy.fault = () => ({ kind: 'hangUp' });
    await untilHandshakes(target.handshakes.length + 2);
    setClock(0);
    await untilHandshakes(target.handshakes.length + 3);
    proxy.fault = () => null;
    const measured = target.handshakes.length;
    await untilStored(measured);
    await end(prober, 'SIGTERM');
    await expectTruth();
  });

  it('may be started anew, before and after the clock was set, while the server is away: each result at its true time', async () => {
    setClock(-2 * HOUR_MS);
    await end(await startProber(), 'SIGTERM'); // knows its checks
    const known = target.handshakes.length;
    proxy.fault = () => ({ kind: 'hangUp' });
    const wrong = await startProber();
    await untilHandshakes(known + 3);
    await end(wrong, 'SIGTERM');
    const { epochs } = JSON.parse(readFileSync(join(dataDir, 'clock.json'), 'utf8'));
    expect(epochs.at(-1)).toMatchObject({ aheadMs: null }); // nobody knows yet by how much its clock is off
    setClock(0);
    const right = await startProber();
    await untilHandshakes(target.handshakes.length + 2);
    proxy.fault = () => null;
    await untilStored(target.handshakes.length);
    await end(right, 'SIGTERM');
    await expectTruth();
  });

  it('stores no result twice where the answer is lost and the prober started anew in between', async () => {
    setClock(-10 * MINUTE_MS);
    let lost = 0;
    proxy.fault = ({ path }) => (path === '/api/ingest/results' && ++lost <= 3 ? { kind: 'loseAnswer' } : null);
    const first = await startProber();
    await proxy.until(() => lost >= 2);
    await end(first, 'SIGKILL');
    setClock(-3 * MINUTE_MS);
    const second = await startProber();
    await untilStored(target.handshakes.length);
    await end(second, 'SIGTERM');
    const stored = await storedResults(watched.targetId);
    expect(new Set(stored.map(({ id }) => id)).size).toBe(stored.length);
    const { rows } = await getPool().query('select count(*)::int as n from result where target_id = $1', [
      watched.targetId,
    ]);
    expect(rows).toEqual([{ n: stored.length }]);
  });
});
