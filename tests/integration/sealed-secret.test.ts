import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { build } from '#cli/build.ts';
import { findSealProblem } from '#server/access/sealed-rows.ts';
import { getPool } from '#server/database/database.ts';
import { beatHeart, checkReady } from '#server/monitoring/health.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { allowLoopback, makeWebhook, removeWebhooks } from '../support/deliveries.ts';
import { isLong } from '../support/extent.ts';
import { insertTarget } from '../support/places.ts';
import { collect, stop } from '../support/process.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { spawnRoundtrip } from '../support/stack.ts';

// What processes do that lack the secret, or have another one, with which webhooks are stored.

const SECRET = 'a secret of the tests, and of them alone';
const OWN = {};
const OTHER = { ROUNDTRIP_SECRET: 'another secret, with which nothing was sealed' };

let database: TestDatabase;
const started: ChildProcess[] = [];
/** Web processes, by their environment. */
const servers = new Map<object, Promise<TestServer>>();
beforeAll(async () => {
  // Where it is not built yet this takes longer than any test may.
  await build('web application');
  allowLoopback();
  database = await testDatabase();
}, 600_000);
afterEach(async () => {
  await Promise.all(started.splice(0).map((child) => stop(child, 'SIGKILL')));
  await removeWebhooks();
  await getPool().query('delete from heartbeat');
});
afterAll(async () => {
  for (const server of servers.values()) await (await server).stop();
  await database.drop();
});

const seal = () => makeWebhook({ name: 'ops', url: 'https://ops.example.org/' });

/** `roundtrip jobs`; `said` is all that it printed. */
function startJobs(env: Record<string, string>) {
  const child = spawnRoundtrip(['jobs'], { DATABASE_URL: database.url, ...env });
  started.push(child);
  return { child, said: collect(child) };
}

/** The exit status of jobs that end by themselves, and what they said. */
async function refusal(env: Record<string, string>): Promise<[number | null, string]> {
  const { child, said } = startJobs(env);
  await once(child, 'close');
  return [child.exitCode, said()];
}

/** What a web process with this secret says at /api/ready, once the database has answered it in time. */
async function readyAt(env: Record<string, string>): Promise<{ status: number; said: unknown }> {
  const server =
    servers.get(env) ?? startTestServer({ databaseUrl: database.url, env: { LOG_LEVEL: 'fatal', ...env } });
  servers.set(env, server);
  for (;;) {
    const response = await fetch(`${(await server).baseUrl}/api/ready`);
    const said = (await response.json()) as { detail?: string };
    if (!said.detail?.startsWith('the database does not answer')) return { status: response.status, said };
  }
}

/** The exit status of the jobs container's health check, and what it said; asked again while the database takes too long on a busy machine. */
async function jobsHealth(): Promise<[number | null, string]> {
  const env = { ...process.env, DATABASE_URL: database.url, ROUNDTRIP_SECRET: SECRET };
  for (;;) {
    const child = spawn(process.execPath, ['docker/jobs-health.ts'], { env });
    const said = collect(child);
    await once(child, 'close');
    if (!said().startsWith('the database does not answer')) return [child.exitCode, said()];
  }
}

const MISSING = /^roundtrip: ROUNDTRIP_SECRET is not set, and the stored webhooks are encrypted with it[^\n.]*\.\n$/;
const WRONG = /^roundtrip: ROUNDTRIP_SECRET is not the one that the stored webhooks are encrypted with[^\n.]*\.\n$/;

describe('jobs', () => {
  it('refuse to start without the secret of the stored webhooks, or with another', async () => {
    await seal();
    const refused = await Promise.all([refusal({}), refusal(OTHER)]);
    expect(refused).toEqual([
      [2, expect.stringMatching(MISSING)],
      [2, expect.stringMatching(WRONG)],
    ]);
  });

  it.runIf(isLong)('start without it while nothing is sealed, and are not ready once something is', async () => {
    const { said } = startJobs({});
    await expect.poll(said).toContain('jobs are running');
    await expect.poll(() => checkReady()).toEqual({ ready: true, reason: null });
    await seal();
    const reason = expect.stringMatching(
      /^a jobs process cannot open .* ROUNDTRIP_SECRET must be that of the web process$/,
    );
    await expect
      .poll(() => checkReady())
      .toEqual({ ready: true, reason: null, degraded: [{ part: 'secrets', reason }] });
    await expect.poll(said).toContain('no message is sent: ROUNDTRIP_SECRET is not set');
    expect(await jobsHealth()).toEqual([1, expect.stringMatching(/^a jobs process cannot open .*\n$/)]);
  });

  it('start with a secret that opens a part: the rest is entered again meanwhile', async () => {
    await seal();
    await seal();
    await getPool().query(`update webhook set secrets = 'v1.AAAA' where id = (select id from webhook limit 1)`);
    expect(await findSealProblem()).toMatchObject({ kind: 'partly', reason: expect.stringContaining('some of the') });
    const { said } = startJobs({ ROUNDTRIP_SECRET: SECRET });
    await expect.poll(said).toContain('jobs are running');
  });

  it('are not ready while one of what is stored cannot be opened', async () => {
    await seal();
    await beatHeart();
    expect(await jobsHealth()).toEqual([0, '']);
    await seal();
    await getPool().query(`update webhook set secrets = 'v1.AAAA' where id = (select id from webhook limit 1)`);
    expect(await jobsHealth()).toEqual([1, expect.stringContaining('some of the stored webhooks')]);
  });
});

describe('/api/ready', () => {
  it('goes by secrets of targets as well', async () => {
    const id = await insertTarget();
    await getPool().query(`update target set secrets = 'v1.AAAA' where id = $1`, [id]);
    expect(await findSealProblem()).toMatchObject({
      kind: 'wrong',
      reason: expect.stringContaining('the stored targets'),
    });
    await getPool().query('update target set secrets = null where id = $1', [id]);
    expect(await findSealProblem()).toBeNull();
  });

  const secrets = (reason: string) => ({ part: 'secrets', reason: expect.stringContaining(reason) });

  it.runIf(isLong)('serves with another secret, without the jobs that wait for it as well, and says so', async () => {
    await seal();
    const notStarted = 'the jobs process has not started yet';
    expect(await readyAt(OWN)).toMatchObject({ status: 503, said: { detail: notStarted } });
    const degraded = [secrets('ROUNDTRIP_SECRET is not the one'), { part: 'jobs', reason: notStarted }];
    expect(await readyAt(OTHER)).toEqual({ status: 200, said: { ready: true, reason: null, degraded } });
    await beatHeart();
    expect(await readyAt(OWN)).toEqual({ status: 200, said: { ready: true, reason: null } });
  });

  it('serves where one webhook or target of several cannot be opened, but not without jobs', async () => {
    await Promise.all([seal(), seal()]);
    await getPool().query(`update webhook set secrets = 'v1.AAAA' where id = (select id from webhook limit 1)`);
    expect(await readyAt(OWN)).toMatchObject({ status: 503, said: { detail: expect.stringContaining('jobs') } });
    await beatHeart();
    const degraded = [secrets('some of the stored webhooks')];
    expect(await readyAt(OWN)).toEqual({ status: 200, said: { ready: true, reason: null, degraded } });
  });

  it('goes by the newest 1,000 webhooks', async () => {
    await seal();
    // Older than the copies, whatever the clocks of this process and of PostgreSQL say.
    const older = await getPool().query<{ id: string }>(
      `update webhook set id = uuidv7(interval '-1 minute') returning id`,
    );
    const id = older.rows[0]?.id;
    const copy = `insert into webhook (id, name, format, url, secrets, language, settings, updated_at)
      select uuidv7(), name, format, url, secrets, language, settings, updated_at from webhook, generate_series(1, $2) where id = $1`;
    await getPool().query(copy, [id, 999]);
    await getPool().query(`update webhook set secrets = 'v1.AAAA' where id = $1`, [id]);
    expect(await findSealProblem()).toMatchObject({ kind: 'partly' });
    await getPool().query(
      `update webhook set secrets = (select secrets from webhook where id <> $1 limit 1) where id = $1`,
      [id],
    );
    const { rows } = await getPool().query(copy.replace('$2', '1').concat(' returning id'), [id]);
    expect(rows).toHaveLength(1);
    await getPool().query(`update webhook set secrets = 'v1.AAAA' where id = $1`, [id]);
    expect(await findSealProblem()).toBeNull();
  });
});
