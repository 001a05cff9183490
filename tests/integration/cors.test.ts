import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setAdminPassword } from '#server/access/admin.ts';
import { signIn } from '#server/access/session.ts';
import { prepareApi } from '../support/prepare.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const APP = 'https://app.example.org';
const TARGETS = '/api/v1/targets';

let plain: TestServer;
let cookie: string;
const api = prepareApi({ ROUNDTRIP_CORS_ORIGINS: `${APP}, http://localhost:5173` });
beforeAll(async () => {
  plain = await startTestServer();
  await setAdminPassword('correct horse battery staple');
  const from = { address: '192.0.2.1', network: '192.0.2.1', userAgent: 'test', browser: undefined };
  const [session] = (await signIn('correct horse battery staple', from)).cookies;
  cookie = `${session?.name}=${session?.value}`;
});
afterAll(async () => {
  await plain?.stop();
});

type Asked = { method?: string; headers?: Record<string, string>; base?: string; body?: string };

async function ask(path: string, { base = api.server.baseUrl, ...init }: Asked = {}) {
  const response = await fetch(base + path, init);
  await response.text();
  const said = Object.fromEntries(
    [...response.headers].filter(([name]) => name.startsWith('access-control-')).map(([name, value]) => [name, value]),
  );
  return { status: response.status, headers: response.headers, said };
}

/** What a browser asks before a request that a plain form could not make. */
const preflight = (path: string, { origin = APP, base = api.server.baseUrl, method = 'PATCH' } = {}) =>
  ask(path, {
    base,
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization,content-type,if-match',
    },
  });
const bearer = () => ({ authorization: `Bearer ${api.keys.admin}` });

describe('a page of an origin in ROUNDTRIP_CORS_ORIGINS', () => {
  it.each([APP, 'http://localhost:5173'])('may ask, as a preflight says: %s', async (origin) => {
    const { status, said, headers } = await preflight(TARGETS, { origin, method: 'POST' });
    expect(status).toBe(204);
    expect(said).toEqual({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': expect.stringMatching(/GET.*POST.*PUT.*PATCH.*DELETE/),
      'access-control-allow-headers': expect.stringMatching(/Authorization.*Content-Type.*Idempotency-Key.*If-Match/),
      'access-control-expose-headers': expect.any(String),
      'access-control-max-age': '3600',
    });
    expect(headers.get('vary')).toContain('Origin');
  });

  it('may read the answer and its headers, also one that refuses', async () => {
    const body = JSON.stringify({ url: 'https://shop.example/' });
    const json = { ...bearer(), origin: APP, 'content-type': 'application/json' };
    const made = await ask(TARGETS, { method: 'POST', body, headers: json });
    const read = await ask(made.headers.get('location') ?? '', { headers: { ...bearer(), origin: APP } });
    const answers = [
      made,
      read,
      await ask(TARGETS, { method: 'POST', body: '{', headers: json }),
      await ask(TARGETS, { headers: { origin: APP } }),
      await ask('/api/v1/nothing', { headers: { origin: APP } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 400, 401, 404]);
    expect(read.headers.get('etag')).not.toBeNull();
    for (const { said } of answers) {
      expect(said).toEqual({
        'access-control-allow-origin': APP,
        'access-control-expose-headers': expect.stringMatching(/ETag.*Location.*RateLimit-Remaining.*Retry-After/),
      });
    }
  });

  it('has an answer of its own where something keeps it, packed or not', async () => {
    const { headers, said } = await ask('/api/v1/openapi.json', { headers: { origin: APP } });
    expect(headers.get('vary')?.toLowerCase().split(', ').toSorted()).toEqual(['accept-encoding', 'origin']);
    expect(said['access-control-allow-origin']).toBe(APP);
  });

  it('is nobody with a cookie, and with a key the key', async () => {
    expect((await ask(TARGETS, { headers: { cookie } })).status).toBe(200);
    expect((await ask(TARGETS, { headers: { cookie, origin: APP } })).status).toBe(401);
    expect((await ask(TARGETS, { headers: { cookie, origin: APP, ...bearer() } })).status).toBe(200);
  });

  it.each(['/api/v1/session', '/api/v1/sessions', '/api/v1/password', '/api/ingest/enrol', '/api/ingest/results'])(
    'is told nothing of %s',
    async (path) => {
      expect((await preflight(path)).said).toEqual({});
      expect((await ask(path, { headers: { origin: APP } })).said).toEqual({});
    },
  );

  it.each(['/api/health', '/metrics', '/', '/sign-in'])('is told nothing of what is no /api/v1: %s', async (path) => {
    expect((await preflight(path)).said).toEqual({});
    expect((await ask(path, { headers: { origin: APP } })).said).toEqual({});
  });
});

describe('no other page', () => {
  it.each(['https://evil.example', 'http://app.example.org', `${APP}.evil.example`, `${APP}:8443`, 'null'])(
    'may ask: %s',
    async (origin) => {
      expect((await preflight(TARGETS, { origin })).said).toEqual({});
      const { said, headers } = await ask(TARGETS, { headers: { ...bearer(), origin } });
      expect([said, headers.get('vary')?.toLowerCase()]).toEqual([{}, expect.stringContaining('origin')]);
    },
  );

  it('may ask where the variable is not set, and the answer is what it was', async () => {
    expect((await preflight(TARGETS, { base: plain.baseUrl })).said).toEqual({});
    const asked = { base: plain.baseUrl, headers: { ...bearer(), origin: APP } };
    const { said, headers } = await ask('/api/v1/openapi.json', asked);
    expect([said, headers.get('vary')]).toEqual([{}, 'accept-encoding']);
  });

  it('but that of the server itself, which has its session', async () => {
    const itself = await startTestServer({ env: { ROUNDTRIP_CORS_ORIGINS: APP, ROUNDTRIP_PUBLIC_URL: APP } });
    try {
      const headers = { cookie, origin: APP };
      const { status, said } = await ask(TARGETS, { base: itself.baseUrl, headers });
      expect([status, said]).toEqual([200, {}]);
    } finally {
      await itself.stop();
    }
  });
});
