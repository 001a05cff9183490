import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { build } from '#cli/build.ts';
import { bundleOf, ROOT, WEB_BUILD } from '#cli/dist.mjs';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { onServer, withDatabase } from '../support/on-server.ts';
import { freePort, stop } from '../support/process.ts';

// Web processes whose output nobody reads, or whose log lies on a full disk: what they print is lost, and nothing else.

const FULL = '/dev/full';

let database: TestDatabase;
let child: ChildProcess | undefined;
let url: string;

beforeEach(async () => {
  await build('web application');
  database = await testDatabase();
}, 180_000);
afterEach(async () => {
  // One that turns in circles hears no other signal.
  if (child) await stop(child, 'SIGKILL');
  child = undefined;
  await database.drop();
});

async function startWeb(args: string[], stdio: SpawnOptions['stdio']): Promise<ChildProcess> {
  const port = String(await freePort());
  url = `http://127.0.0.1:${port}`;
  const env = {
    PATH: process.env.PATH,
    NODE_ENV: 'production' as const,
    PORT: port,
    HOST: '127.0.0.1',
    HOSTNAME: '127.0.0.1',
    DATABASE_URL: database.url,
    ROUNDTRIP_SECRET: 'a secret of the tests, and of them alone',
  };
  child = spawn(process.execPath, args, { cwd: ROOT, env, stdio });
  return child;
}

/** The status for a key that the database does not know; 0 where none came within a second. */
const refusal = () =>
  fetch(`${url}/api/v1/targets`, {
    headers: { authorization: 'Bearer rt_none' },
    signal: AbortSignal.timeout(1_000),
  }).then(
    ({ status }) => status,
    () => 0,
  );

const nameOf = ({ url: address }: TestDatabase) => new URL(address).pathname.slice(1);

/** Nothing can be read meanwhile: pages say so on standard error, in many lines at once. */
async function failPages(): Promise<void> {
  const server = withDatabase(database.url, 'postgres');
  await onServer(server, `alter database ${nameOf(database)} allow_connections false`);
  await onServer(
    server,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${nameOf(database)}'`,
  );
  const asked = ['/', '/targets', '/incidents', '/rules', '/webhooks', '/vantages'].map((page) =>
    fetch(url + page, {
      headers: { cookie: `rt_session=rts_${'x'.repeat(43)}` },
      redirect: 'manual',
      signal: AbortSignal.timeout(3_000),
    }).catch(() => {}),
  );
  await Promise.all(asked);
  await onServer(server, `alter database ${nameOf(database)} allow_connections true`);
}

it('a web process answers on when who read its output has gone', async () => {
  const web = await startWeb([path.join(WEB_BUILD, 'server.js')], ['ignore', 'pipe', 'pipe']);
  await expect.poll(refusal).toBe(401);
  web.stdout?.destroy();
  web.stderr?.destroy();
  await failPages();
  await expect.poll(refusal).toBe(401);
});

it.skipIf(!existsSync(FULL))('the server that `roundtrip start` runs serves with its log on a full disk', async () => {
  const log = openSync(FULL, 'w');
  await startWeb(['--import', `./${bundleOf('leash')}`, bundleOf('server')], ['ignore', log, log]);
  closeSync(log);
  await expect.poll(refusal).toBe(401);
  await failPages();
  await expect.poll(refusal).toBe(401);
});
