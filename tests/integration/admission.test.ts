import { once } from 'node:events';
import { request as ask, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setAdminPassword } from '#server/access/admin.ts';
import { createKey } from '#server/access/keys.ts';
import { testDatabase } from '../support/database.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const PASSWORD = 'correct horse battery staple';
const LIMIT = 30;

let drop: () => Promise<void>;
let key: string;
/** Behind a proxy on this machine, at its public URL; and reached without a proxy, which lets few requests in. */
let behind: TestServer;
let direct: TestServer;
beforeAll(async () => {
  const database = await testDatabase();
  drop = database.drop;
  await setAdminPassword(PASSWORD);
  ({ key } = await createKey({ name: 'reader', scope: 'read' }));
  const env = { ROUNDTRIP_PUBLIC_URL: 'https://monitor.example.org/' };
  behind = await startTestServer({ databaseUrl: database.url, env });
  const few = {
    ROUNDTRIP_TRUSTED_PROXIES: 'none',
    ROUNDTRIP_RATE_LIMIT: String(LIMIT),
    ROUNDTRIP_PUBLIC_DASHBOARD: '1',
  };
  direct = await startTestServer({ databaseUrl: database.url, env: few });
});
afterAll(async () => {
  await Promise.all([behind.stop(), direct.stop()]);
  await drop();
});

type Asked = { method?: string; headers?: Record<string, string>; body?: string };
type Answer = { status: number; headers: IncomingHttpHeaders; body: string };

/** As a client that says what it likes, `Host` included. */
function send(server: TestServer, path: string, { method = 'GET', headers = {}, body = '' }: Asked = {}) {
  return new Promise<Answer>((resolve, reject) => {
    const asked = ask(new URL(path, server.baseUrl), { method, headers }, async (response) => {
      const { statusCode: status = 0, headers: said } = response;
      resolve({ status, headers: said, body: await text(response) });
    });
    asked.on('error', reject).end(body);
  });
}

/** What a proxy in front of `behind` adds. */
const PROXIED = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'monitor.example.org' };
const nonceOf = ({ headers }: Answer) => /'nonce-([^']+)'/.exec(String(headers['content-security-policy']))?.[1];

async function signedIn(): Promise<string> {
  const body = `password=${encodeURIComponent(PASSWORD)}`;
  const headers = { ...PROXIED, 'content-type': 'application/x-www-form-urlencoded' };
  const { headers: said } = await send(behind, '/sign-in', { method: 'POST', headers, body });
  return said['set-cookie']?.map((cookie) => cookie.split(';')[0]).join('; ') ?? '';
}

describe('the content security policy', () => {
  it('of a page allows what carries the nonce of this one answer, and nothing inline beside it', async () => {
    const cookie = await signedIn();
    const own = { ...PROXIED, 'content-security-policy': "script-src 'nonce-mine'" };
    const pages = ['/login', '/no-such-page', '/', '/targets/new', '/settings', '/vantages', '/webhooks/new'];
    const answers = await Promise.all(pages.map((page) => send(behind, page, { headers: { ...own, cookie } })));
    for (const answer of answers) {
      const policy = String(answer.headers['content-security-policy']);
      expect(policy).not.toMatch(/unsafe|nonce-mine/);
      expect(policy).toMatch(/script-src 'self' 'nonce-[\w+/=]{22,}' 'strict-dynamic'; style-src 'self' 'nonce-/);
      const scripts = answer.body.match(/<script\b[^>]*>/g) ?? [];
      expect(scripts.filter((tag) => !tag.includes(`nonce="${nonceOf(answer)}"`))).toEqual([]);
      expect(answer.body).not.toMatch(/<[^>]+\s(style|on\w+)=|<style\b(?![^>]+nonce=)|javascript:/);
    }
    expect(answers.filter(({ body }) => body.includes('<script')).length).toBeGreaterThan(4);
    expect(new Set(answers.map(nonceOf)).size).toBe(pages.length);
  });

  it.each(['/api/health', '/api/v1/targets', '/metrics', '/metrics/probes', '/api/ingest/assignments'])(
    'of data allows nothing: %s',
    async (path) => {
      const { headers } = await send(behind, path);
      expect(headers['content-security-policy']).toBe("default-src 'none'; frame-ancestors 'none'");
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' });
    },
  );
});

describe('what a proxy says of the browser', () => {
  it('is taken where it is trusted: over https cookies are this host’s own and plain HTTP is over', async () => {
    const { headers } = await send(behind, '/login', { headers: PROXIED });
    expect(headers['strict-transport-security']).toBe('max-age=31536000');
    const cookies = (await signedIn()).split('; ');
    expect(cookies.map((cookie) => cookie.split('=')[0])).toEqual([
      expect.stringMatching(/^__Host-rt_session_[0-9a-f]{10}$/),
      expect.stringMatching(/^__Host-rt_browser_[0-9a-f]{10}$/),
    ]);
    const asked = (cookie: string) => send(behind, '/settings', { headers: { ...PROXIED, cookie } });
    expect((await asked(cookies.join('; '))).status).toBe(200);
    // What a neighbour's host or plain HTTP has set does not take its place, and a session from before https goes on.
    expect((await asked(`rt_session=rts_tossed; ${cookies[0]}`)).status).toBe(200);
    expect((await asked(String(cookies[0]).replace('__Host-', ''))).status).toBe(200);
    expect((await asked('')).status).toBe(307);
  });

  it('is nothing where the client is no proxy', async () => {
    const headers = { ...PROXIED, 'x-forwarded-host': 'evil.example', 'content-type': 'application/json' };
    const body = JSON.stringify({ password: PASSWORD });
    const ways = { method: 'POST', body, headers: { ...headers, origin: 'http://evil.example' } };
    expect((await send(direct, '/api/v1/session', ways)).status).toBe(403);
    const origin = direct.baseUrl;
    const signed = await send(direct, '/api/v1/session', { ...ways, headers: { ...headers, origin } });
    expect(signed.status).toBe(200);
    expect(signed.headers['strict-transport-security']).toBeUndefined();
    for (const cookie of signed.headers['set-cookie'] ?? []) expect(cookie).not.toMatch(/__Host-|Secure/);
  });
});

describe('a server that knows its public URL', () => {
  it.each([
    ['/', { host: 'evil.example' }],
    ['/login', { host: 'monitor.example.org.evil.example' }],
    ['/login', { 'x-forwarded-host': 'evil.example' }],
    ['/login', { host: 'localhost.evil.example' }],
    ['/sign-in', { host: 'evil.example:3000' }],
    ['/api/v1/session', { host: 'evil.example' }],
    ['/shared/rtc_x', { host: 'not a host' }],
    ['/metrics', { host: 'web:3000' }],
    ['/metrics/probes', { host: 'web:3000' }],
    ['/', { host: 'evil.example', authorization: 'Bearer rt_x' }],
    ['/login', { host: 'evil.example', authorization: 'Basic eDp4' }],
  ])('is not there by another name: %s %j', async (path, headers: Record<string, string>) => {
    const { status, body } = await send(behind, path, { headers });
    expect([status, body]).toEqual([
      421,
      'This server is https://monitor.example.org (ROUNDTRIP_PUBLIC_URL); the request names another host.\n',
    ]);
  });

  it.each([
    ['/login', { host: 'monitor.example.org' }],
    ['/login', { host: 'Monitor.Example.org:443' }],
    ['/login', PROXIED],
    ['/login', {}],
    ['/api/health', { host: '10.1.2.3:3000' }],
    ['/api/ready', { host: 'evil.example' }],
  ])('is there by its own, on its machine, and for what watches it: %s %j', async (path, headers) => {
    expect((await send(behind, path, { headers })).status).not.toBe(421);
  });

  it('takes keys and probers by whatever name reaches it', async () => {
    const authorization = `Bearer ${key}`;
    expect((await send(behind, '/api/v1/targets', { headers: { host: 'web:3000', authorization } })).status).toBe(200);
    for (const path of ['/metrics', '/metrics/probes'])
      expect((await send(behind, path, { headers: { host: 'web:3000', authorization } })).status, path).toBe(200);
    expect((await send(behind, '/api/ingest/assignments', { headers: { host: 'web:3000' } })).status).toBe(401);
    // A wrong key under such a name opens nothing, not even what needs no key.
    const forged = { headers: { host: 'evil.example', authorization: 'Basic eDp4' } };
    for (const path of ['/api/v1/openapi.json', '/api/v1/targets', '/api/v1/session', '/metrics', '/metrics/probes'])
      expect((await send(behind, path, forged)).status, path).toBeGreaterThanOrEqual(401);
  });
});

describe('the limit of requests', () => {
  it(`lets ${LIMIT} a minute of an address to pages, actions and forms, and no credential be guessed without end`, async () => {
    const guess = () => send(direct, '/api/ingest/assignments', { headers: { authorization: 'Bearer rtp_guess' } });
    const action = { method: 'POST', headers: { 'next-action': 'abc', 'content-type': 'text/plain' } };
    const ways = [
      () => send(direct, '/login'),
      () => send(direct, '/login', action),
      () => send(direct, '/preferences?lang=en'),
      guess,
      () =>
        send(direct, '/api/ingest/enrol', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{}',
        }),
    ];
    for (let n = 0; n < LIMIT; n += 1) await ways[n % ways.length]?.();
    await send(direct, '/login');
    const page = await send(direct, '/targets/new', { headers: { 'x-forwarded-for': '192.0.2.7' } });
    expect(page.status).toBe(429);
    expect(page.body).toMatch(new RegExp(`^At most ${LIMIT} requests a minute\\. Try again in \\d+ s\\.\n$`));
    expect(Number(page.headers['retry-after'])).toBeGreaterThan(0);
    for (const way of ways) expect(await way()).toMatchObject({ status: 429 });
    expect((await guess()).body).toContain('urn:roundtrip:problem:rate-limited');
    expect((await send(direct, '/api/health')).status).toBe(200);
    // Others have their own.
    expect((await send(behind, '/login', { headers: { 'x-forwarded-for': '192.0.2.8' } })).status).toBe(200);
  });
});

describe('a server that is told to stop', () => {
  it('ends once it has answered what is under way, and waits neither for another request nor for a first one', async () => {
    const server = await startTestServer();
    const ahead = connect(Number(new URL(server.baseUrl).port), '127.0.0.1');
    await once(ahead, 'connect');
    const closed = once(ahead, 'close');
    // On later connections, so that the server has the one ahead as well.
    const answers = Array.from({ length: 40 }, () =>
      fetch(`${server.baseUrl}/login`).then(
        (answer) => answer.text(),
        () => 'refused',
      ),
    );
    await Promise.race(answers);
    const begun = performance.now();
    const stopped = server.stop();
    await Promise.all([...answers, closed, stopped]);
    // Connections are kept for 75 s otherwise, and the headers of the first request awaited for 80 s.
    expect(performance.now() - begun).toBeLessThan(40_000);
  });
});
