import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { setAdminPassword } from '#server/access/admin.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { insertTarget } from '../support/places.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type SlowProxy, slowProxy } from '../support/slow-proxy.ts';

// Every kind of page while the database is slow, hangs or is away, for somebody who is signed in.

const PASSWORD = 'a long password of the tests';
/** A page's patience, and what a busy machine takes to make one. */
const BOUND_MS = 20_000;

let database: TestDatabase;
let proxy: SlowProxy;
let server: TestServer;
let cookie: string;
let pages: string[];

beforeAll(async () => {
  database = await testDatabase();
  const target = await insertTarget();
  await setAdminPassword(PASSWORD);
  const url = new URL(database.url);
  proxy = await slowProxy(Number(url.port));
  url.port = String(proxy.port);
  server = await startTestServer({ databaseUrl: url.href });
  const body = JSON.stringify({ password: PASSWORD });
  const headers = { 'content-type': 'application/json' };
  const login = await fetch(`${server.baseUrl}/api/v1/session`, { method: 'POST', headers, body });
  cookie = login.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  const of = `/targets/${target}`;
  pages = ['/', of, `${of}/trend`, `${of}/advice`, `${of}/edit`, '/incidents', '/rules', '/settings', '/vantages'];
  // The first request of each page reads its code.
  await openAll();
});
afterAll(async () => {
  await server.stop();
  await proxy.close();
  await database.drop();
});

async function open(path: string, headers: Record<string, string> = {}) {
  const started = performance.now();
  const response = await fetch(server.baseUrl + path, { headers: { cookie, ...headers } });
  const html = await response.text();
  return {
    path,
    status: response.status,
    retry: response.headers.get('retry-after'),
    html,
    ms: performance.now() - started,
  };
}

const openAll = (headers = {}) => Promise.all(pages.map((path) => open(path, headers)));

async function expectAllWell(): Promise<void> {
  // A pool whose connections broke needs a try each to find that out.
  await expect
    .poll(async () => new Set((await openAll()).map(({ status }) => status)), { interval: 500 })
    .toEqual(new Set([200]));
}

/** Each says in a page of its own what is wrong, in the frame of somebody signed in, and when to come back. */
async function expectAllSay(heading: string): Promise<void> {
  const logged = server.output().length;
  for (const { path, status, retry, html, ms } of await openAll({ 'accept-language': 'en' })) {
    expect([path, status, retry]).toEqual([path, 503, '5']);
    expect(html).toContain(`<h1>${heading}</h1>`);
    expect(html).toContain('aria-label="Main"');
    expect(html).toContain('Sign out');
    expect(html).not.toContain('Sign in');
    expect(ms).toBeLessThan(BOUND_MS);
  }
  const lines = server.output().slice(logged).split('\n');
  expect(lines.filter((line) => line.includes('could not be made whole'))).toHaveLength(pages.length);
}

it('a database that answers after 7 s', async () => {
  proxy.set({ kind: 'delayed', ms: 7_000 });
  await expectAllSay('The database is responding slowly');
  proxy.set({ kind: 'delayed', ms: 0 });
  await expectAllWell();
});

it('a database that hangs', async () => {
  proxy.set({ kind: 'silent' });
  await expectAllSay('The database is responding slowly');
  proxy.set({ kind: 'delayed', ms: 0 });
  await expectAllWell();
});

it('a database that is away, in Chinese too', async () => {
  proxy.set({ kind: 'refused' });
  await expectAllSay('The database cannot be reached');
  const { status, html } = await open('/', { 'accept-language': 'zh-CN' });
  expect(status).toBe(503);
  expect(html).toContain('<h1>无法连接数据库</h1>');
  // Those who bring no session are asked for one, as ever.
  expect((await open('/login', { cookie: '' })).status).toBe(200);
  proxy.set({ kind: 'delayed', ms: 0 });
  await expectAllWell();
});

it('a table that is locked, the session being readable', async () => {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    await client.query('begin');
    await client.query('lock table target in access exclusive mode');
    const { status, html } = await open('/');
    expect(status).toBe(503);
    expect(html).toContain('<h1>The database is responding slowly</h1>');
    // What an open page asks for says the same in its own form (components/ui/connection.ts).
    const word = 'unavailable-1-2';
    expect((await open('/', { rsc: '1', 'roundtrip-unavailable-word': word })).html).toContain(word);
  } finally {
    await client.end();
  }
  await expectAllWell();
});
