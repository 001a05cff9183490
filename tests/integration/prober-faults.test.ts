import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { getPool } from '#server/database/database.ts';
import { getVantage } from '#server/vantages/vantages.ts';
import { type Prober, type ProberOptions, startProber } from '#workers/prober/prober.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { type Fault, FaultProxy, MIDDLEBOX, type Passing } from '../support/fault-proxy.ts';
import { type IngestRoutes, serveIngest } from '../support/ingest-routes.ts';
import { startTlsTarget, type TlsTarget } from '../support/tls-target.ts';
import { minutesOf, storedResults, unwatch, type Watched, watch } from '../support/watched.ts';

// A prober, a proxy at which things go wrong, and the server's own routes on a real database.

const MAIN = join(import.meta.dirname, '../../workers/prober/main.ts');
const within = { timeout: 25_000, interval: 50 };
const toResults = ({ path }: Passing) => path === '/api/ingest/results';

let database: TestDatabase;
let target: TlsTarget;
let server: IngestRoutes;
let proxy: FaultProxy;
let dataDir: string;
let watched: Watched;
let log: string[];
const probers: Prober[] = [];
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
  proxy = await new FaultProxy(server.url).open();
  watched = await watch(target);
  log = [];
});
afterEach(async () => {
  proxy.fault = () => null;
  proxy.release();
  for (const prober of probers.splice(0)) await prober.stop();
  for (const child of children.splice(0)) await kill(child);
  await proxy.close();
  await unwatch(watched);
  rmSync(dataDir, { recursive: true });
});

async function start(options: Partial<ProberOptions> = {}): Promise<Prober> {
  const say = (message: string) => void log.push(message);
  const logger = { debug: say, info: say, warn: say, error: say };
  const { token } = watched;
  const prober = await startProber({ server: proxy.url, token, dataDir, firstSpreadMs: 200, logger, ...options });
  probers.push(prober);
  return prober;
}

function spawnProber(): ChildProcess {
  const args = ['--server', proxy.url, '--token', watched.token, '--data', dataDir, '--threads', '1'];
  const child = fork(MAIN, args, { execArgv: [], silent: true });
  children.push(child);
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Stops the prober: all that it measured is stored, once, and the rollups say so too. */
async function expectNothingLost(prober: Prober): Promise<void> {
  await prober.stop();
  const { started, retaken, faults, pendingBytes, rejected, quarantined } = prober.stats();
  const stored = await storedResults(watched.targetId);
  expect({ faults, pendingBytes, rejected, quarantined }).toEqual({
    faults: 0,
    pendingBytes: 0,
    rejected: 0,
    quarantined: 0,
  });
  expect(stored).toHaveLength(started + retaken);
  expect(new Set(stored.map(({ id }) => id)).size).toBe(stored.length);
  const minutes = await minutesOf(watched.targetId);
  expect([...minutes.values()].reduce((sum, n) => sum + n, 0)).toBe(stored.length);
}

describe('a prober loses no result and doubles none', () => {
  it.each(Object.entries(MIDDLEBOX))('where something on the way answers %s', async (_name, fault: Fault) => {
    let times = 0;
    proxy.fault = (passing) => (toResults(passing) && ++times <= 2 ? fault : null);
    const prober = await start();
    await vi.waitFor(() => expect(prober.stats().uploaded).toBeGreaterThan(1), within);
    expect(proxy.counts.faults).toBe(2);
    expect(log.join('\n')).toContain('the server takes no results, keeping them');
    await expectNothingLost(prober);
  });

  it('where answers are lost, and requests doubled, held back and reordered', async () => {
    const faults: (Fault | null)[] = [
      { kind: 'loseAnswer' },
      null,
      { kind: 'double', answer: 'first' },
      { kind: 'hangUp' },
      { kind: 'double', answer: 'second' },
      { kind: 'hold', requests: 1 },
      { kind: 'loseAnswer' },
    ];
    proxy.fault = (passing) => (toResults(passing) ? (faults.shift() ?? null) : null);
    const prober = await start();
    await vi.waitFor(() => expect(faults).toEqual([]), within);
    const { uploaded } = prober.stats();
    await vi.waitFor(() => expect(prober.stats().uploaded).toBeGreaterThan(uploaded), within);
    expect(prober.stats().duplicates).toBeGreaterThan(0);
    await expectNothingLost(prober);
  });

  it('where a captive portal answers 401 to everything, which is not the server’s word', async () => {
    const prober = await start({ giveUpAfterMs: 0 }); // the server's own first 401 would end it
    await vi.waitFor(() => expect(prober.stats().uploaded).toBeGreaterThan(0), within);
    const { faults } = proxy.counts;
    proxy.fault = () => MIDDLEBOX.html401;
    await proxy.until(() => proxy.counts.faults >= faults + 4);
    const { uploaded, started } = prober.stats();
    await vi.waitFor(() => expect(prober.stats().started).toBeGreaterThan(started + 1), within);
    proxy.fault = () => null;
    await vi.waitFor(() => expect(prober.stats().uploaded).toBeGreaterThan(uploaded + 1), within);
    await expectNothingLost(prober);
  });

  it('where the database cannot be written: 503 with our problem and retry-after', async () => {
    const prober = await start();
    await vi.waitFor(() => expect(prober.stats().uploaded).toBeGreaterThan(0), within);
    await getPool().query(`create or replace function no_space() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file "base/5/1259": No space left on device' using errcode = '53100'; end $$`);
    // At the prober's row by Prisma, at the results' rows by COPY.
    for (const table of ['prober', 'result']) {
      await getPool().query(
        `create trigger full_disk before insert or update on ${table} for each row execute function no_space()`,
      );
      const { started } = prober.stats();
      await vi.waitFor(
        () => expect(log.join('\n')).toMatch(/keeping them: status 503 \(The database cannot be written/),
        within,
      );
      await vi.waitFor(() => expect(prober.stats().started).toBeGreaterThan(started), within);
      const { uploaded } = prober.stats();
      await getPool().query(`drop trigger full_disk on ${table}`);
      await vi.waitFor(() => expect(prober.stats().uploaded).toBeGreaterThan(uploaded), within);
      log.length = 0;
    }
    await expectNothingLost(prober);
  });
});

it('what the server refuses for good lies in the quarantine, and the vantage shows it', async () => {
  const prober = await start();
  await vi.waitFor(() => expect(prober.stats().uploaded).toBeGreaterThan(0), within);
  proxy.fault = (passing) => (toResults(passing) ? { kind: 'hangUp' } : null);
  await getPool().query('update target set deleted_at = now() where id = $1', [watched.targetId]);
  const { started } = prober.stats();
  await vi.waitFor(() => expect(prober.stats().started).toBeGreaterThan(started + 3), within);
  proxy.fault = () => null;
  await vi.waitFor(() => expect(prober.stats().quarantined).toBeGreaterThan(2), within);
  await vi.waitFor(async () => {
    const { prober: activity } = await getVantage(watched.vantageId);
    expect(activity?.quarantined).toBeGreaterThan(2);
    expect(activity?.quarantineBytes).toBeGreaterThan(1_000);
    expect(activity?.lastHour.rejected).toBeGreaterThan(2);
  }, within);
  await prober.stop();
  const { rejected, started: all, retaken } = prober.stats();
  const lines = readFileSync(join(dataDir, 'quarantine/refused.ndjson'), 'utf8').trimEnd().split('\n');
  expect(lines).toHaveLength(rejected);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    field: 'targetId',
    reason: 'is a target that has been deleted',
    result: { targetId: watched.targetId },
  });
  expect((await storedResults(watched.targetId)).length + rejected).toBe(all + retaken);
});

describe('enrolment', () => {
  const toEnrol = ({ path }: Passing) => path === '/api/ingest/enrol';
  const probersOf = async () =>
    (
      await getPool().query('select p.id from prober p join vantage v on v.prober_id = p.id where v.id = $1', [
        watched.vantageId,
      ])
    ).rows.length;
  const allProbers = async () => (await getPool().query('select id from prober')).rows.length;

  it('survives a lost answer and a kill -9: the same token enrols the same prober', async () => {
    const before = await allProbers();
    proxy.fault = (passing) => (toEnrol(passing) ? { kind: 'loseAnswer' } : null);
    const first = spawnProber();
    await proxy.until(() => proxy.counts.forwarded >= 1);
    await kill(first);
    expect(await probersOf()).toBe(1);
    proxy.fault = () => null;
    const second = spawnProber();
    expect(await once(second, 'message')).toEqual([{ ready: true }, undefined]);
    await vi.waitFor(async () => expect((await storedResults(watched.targetId)).length).toBeGreaterThan(0), within);
    expect(await allProbers()).toBe(before + 1);
  });

  it('repeats itself while answers get lost, and without a kill', async () => {
    let lost = 0;
    proxy.fault = (passing) => (toEnrol(passing) && ++lost <= 2 ? { kind: 'loseAnswer' } : null);
    const prober = await start();
    await vi.waitFor(() => expect(prober.stats().uploaded).toBeGreaterThan(0), within);
    expect(await probersOf()).toBe(1);
    await expectNothingLost(prober);
  });

  it('works with a server of an older version, which makes the credential', async () => {
    const asked: object[] = [];
    proxy.fault = (passing) => {
      if (!toEnrol(passing)) return null;
      asked.push(JSON.parse(gunzipSync(passing.body).toString()));
      if (!('credentialHash' in (asked.at(-1) ?? {}))) return null;
      const field = 'credentialHash';
      const problem = {
        type: 'urn:roundtrip:problem:invalid',
        title: 't',
        status: 400,
        detail: 'd',
        errors: [{ field, message: 'is not a known field' }],
      };
      return { kind: 'answer', status: 400, type: 'application/problem+json', body: JSON.stringify(problem) };
    };
    const prober = await start();
    expect(asked.map((body) => 'credentialHash' in body)).toEqual([true, false]);
    await vi.waitFor(() => expect(prober.stats().uploaded).toBeGreaterThan(0), within);
    await expectNothingLost(prober);
  });
});
