import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build } from '#cli/build.ts';
import { findEmbeddedPostgres } from '#cli/database/embedded-postgres.ts';
import { startOf } from '#probe/kernel/process-identity.ts';
import { LIMITS } from '#server/database/database.ts';
import { collect } from '../support/process.ts';
import { type Stack, spawnRoundtrip, startStack } from '../support/stack.ts';

// The PostgreSQL of a running `roundtrip start` is ended in every way, and stopped: all is well again without a hand.

const READY_MS = 30_000;
/** What the pages show is there for anybody, so that none is turned away before the database is asked. */
const ENV = { ROUNDTRIP_ALLOW_PRIVATE_TARGETS: '1', ROUNDTRIP_PUBLIC_DASHBOARD: '1' };
const ENDED = 'PostgreSQL   ended unexpectedly, restarting';

let folder = '';
let stack: Stack;
let key = '';
let url = '';

beforeAll(async () => {
  await build('web application');
  folder = mkdtempSync(path.join(tmpdir(), 'roundtrip-away-'));
  chmodSync(folder, 0o711);
  stack = await startStack({ dataDir: folder, args: ['--no-demo'], env: ENV });
  url = (await findEmbeddedPostgres(folder)) ?? '';
  const made = spawnRoundtrip(['key', 'create', '--scope', 'admin'], { ROUNDTRIP_DATA: folder });
  const said = collect(made);
  await once(made, 'close');
  key = said().trim();
  // Nobody listens there: every measurement is a failed result, ten seconds apart.
  const body = { name: 'nobody', url: 'https://127.0.0.1:1/', periodSeconds: 10 };
  const response = await api('/api/v1/targets', { method: 'POST', body: JSON.stringify(body) });
  expect(response.status, await response.text()).toBe(201);
}, 240_000);
afterAll(async () => {
  await stack?.stop('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
});

function api(place: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return fetch(`${stack.url}${place}`, { headers, ...init });
}

const statusOf = (place: string) => api(place).then(({ status }) => status, String);

function postmaster(): number {
  return Number(read(path.join(folder, 'postgres/cluster/postmaster.pid')).split('\n')[0]);
}

/** The server's processes, with what each says that it is. */
function backends(): { pid: number; title: string }[] {
  const parent = String(postmaster());
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ')[1] === parent)
    .map((pid) => ({ pid: Number(pid), title: read(`/proc/${pid}/cmdline`) }));
}

/** A process of the server may have ended by itself meanwhile. */
function signalAll(pids: number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

const timesSaid = (sentence: string) => stack.output().split(sentence).length - 1;

/** Results that were measured after an instant. */
async function measuredSince(since: Date): Promise<number> {
  const response = await api(`/api/v1/results?from=${since.toISOString()}`);
  return ((await response.json()) as { data: unknown[] }).data.length;
}

/** A query that keeps a processor busy and hears nothing: it outlives a postmaster that is killed. */
async function busyBackend(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  client.query('select count(*) from generate_series(1, 1e12::bigint)').catch(() => {});
  await expect.poll(() => backends().some(({ title }) => title.includes('SELECT'))).toBe(true);
  return client;
}

describe('the embedded PostgreSQL', { timeout: 240_000 }, () => {
  // The other signals belong to the full extent.
  const signals = ['SIGKILL', 'SIGQUIT', 'SIGSEGV', 'SIGINT', 'SIGTERM'];

  it.each(signals)('ended by %s', async (signal) => {
    const before = { pid: postmaster(), said: timesSaid(ENDED) };
    const busy = await busyBackend();
    process.kill(before.pid, signal);
    await expect.poll(() => timesSaid(ENDED)).toBe(before.said + 1);
    await expect.poll(() => statusOf('/api/ready'), { timeout: READY_MS }).toBe(200);
    expect(postmaster()).not.toBe(before.pid);
    expect(await findEmbeddedPostgres(folder)).toBe(url);
    expect(await statusOf('/api/v1/targets')).toBe(200);
    await busy.end().catch(() => {});
  });

  it('one of its backends killed', async () => {
    const before = postmaster();
    const busy = await busyBackend();
    const victim = backends().find(({ title }) => title.includes('SELECT'));
    const ended = new Promise<void>((settle) => busy.once('end', () => settle()));
    process.kill(victim?.pid ?? 0, 'SIGKILL');
    await ended;
    await expect.poll(() => statusOf('/api/ready'), { timeout: READY_MS }).toBe(200);
    expect(postmaster()).toBe(before);
  });

  it('measuring has gone on', async () => {
    const since = new Date();
    await expect.poll(() => measuredSince(since), { interval: 500 }).toBeGreaterThan(0);
    // The detector's lock, rollups and heartbeat: the jobs process has them all again, and was never ended by it for good.
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const state = async () => {
      const { rows } = await client.query(
        `select (select count(*)::int from pg_locks where locktype = 'advisory') as leaders,
          (select now() - beat_at < interval '15 s' from heartbeat where name = 'jobs') as beats`,
      );
      return rows;
    };
    await expect.poll(state).toEqual([{ leaders: 1, beats: true }]);
    await client.end();
  });

  it('stopped: readiness in 2 s, everything else an error in bounded time, and well again when it goes on', async () => {
    // Loaded before: the first request of each kind reads its code, which has nothing to do with the database.
    for (const place of ['/api/v1/targets', '/api/v1/incidents', '/'])
      await expect.poll(() => statusOf(place)).toBe(200);
    const frozen = [postmaster(), ...backends().map(({ pid }) => pid)];
    signalAll(frozen, 'SIGSTOP');
    try {
      const started = performance.now();
      const requests = Array.from({ length: 30 }, async (_, n) => {
        const response = await api(n % 2 === 0 ? '/api/v1/targets' : '/api/v1/incidents');
        return { response, tookMs: performance.now() - started };
      });
      const page = fetch(stack.url, { headers: { 'accept-language': 'en' } }).then(async (response) => ({
        html: await response.text(),
        status: response.status,
        tookMs: performance.now() - started,
      }));
      const tookMs: number[] = [];
      const quick = () => tookMs.filter((ms) => ms < 2_000).length;
      // Three times; a few times more where the machine itself was late.
      while (quick() < 3 && tookMs.length < 8) {
        const asked = performance.now();
        const ready = await api('/api/ready');
        tookMs.push(performance.now() - asked);
        expect(ready.status).toBe(503);
        expect(await ready.text()).toContain('the database does not answer');
      }
      expect(quick(), tookMs.join()).toBe(3);
      const longest = LIMITS.pages.connect + 2 * LIMITS.pages.answer;
      for (const { response, tookMs } of await Promise.all(requests)) {
        expect(response.status).toBe(503);
        expect(response.headers.get('content-type')).toBe('application/problem+json');
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
        expect(tookMs).toBeLessThan(longest);
      }
      const { html, status, tookMs: pageMs } = await page;
      expect(pageMs).toBeLessThan(longest);
      expect(status).toBe(503);
      expect(html).toContain('The database is responding slowly');
    } finally {
      signalAll(frozen, 'SIGCONT');
    }
    await expect.poll(() => statusOf('/api/ready'), { timeout: READY_MS }).toBe(200);
    const statuses = await Promise.all(Array.from({ length: 30 }, () => statusOf('/api/v1/targets')));
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it('left behind by a Roundtrip that was killed with what ties them', async () => {
    const left = postmaster();
    const isTie = (command: string) => command.includes('roundtrip-postgres') && command.includes(folder);
    const ties = readdirSync('/proc').filter((pid) => isTie(read(`/proc/${pid}/cmdline`)));
    signalAll(ties.map(Number), 'SIGKILL');
    await stack.stop('SIGKILL');
    stack = await startStack({ dataDir: folder, args: ['--no-demo'], env: ENV });
    await expect.poll(() => statusOf('/api/ready'), { timeout: READY_MS }).toBe(200);
    const last = postmaster();
    expect(last).not.toBe(left);
    expect(await stack.stop('SIGTERM')).toBe(0);
    // Where nobody collects the children of a process that was killed, the number of one that ended still stands.
    expect([await startOf(left), await startOf(last)]).toEqual([null, null]);
  });
});
