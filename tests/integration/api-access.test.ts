import { beforeAll, describe, expect, it } from 'vitest';
import type { ApiKeyCreated } from '#contract/key.ts';
import { ensureAdminPassword } from '#server/access/admin.ts';
import { getPrisma } from '#server/database/database.ts';
import { isLong } from '../support/extent.ts';
import { asker } from '../support/openapi.ts';
import { prepareApi } from '../support/prepare.ts';
import { startTestServer } from '../support/server.ts';

let password: string;
const api = prepareApi({ ROUNDTRIP_RATE_LIMIT: '400', ROUNDTRIP_ALLOW_PRIVATE_TARGETS: '1' });
beforeAll(async () => {
  const made = await ensureAdminPassword();
  password = made.state === 'generated' ? made.password : '';
});

const anonymous: ReturnType<typeof asker> = (...args) => asker(api.server.baseUrl)(...args);
const cookieOf = (headers: Headers) => headers.get('set-cookie')?.split(';')[0] ?? '';
const target = { url: 'https://access.example.org/' };

describe('an API key', () => {
  it('is needed, and must work', async () => {
    const answer = await anonymous('GET', '/api/v1/targets');
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect((await anonymous('GET', '/api/v1/targets', { key: 'rt_madeup' })).status).toBe(401);
    expect((await anonymous('GET', '/api/v1/targets', { headers: { authorization: 'Basic abc' } })).status).toBe(401);
  });

  it('reaches as far as its scope', async () => {
    const { read, write, admin } = api.keys;
    expect((await anonymous('GET', '/api/v1/targets', { key: read })).status).toBe(200);
    expect((await anonymous('POST', '/api/v1/targets', { key: read, body: target })).status).toBe(403);
    expect((await anonymous('POST', '/api/v1/targets', { key: write, body: target })).status).toBe(201);
    expect((await anonymous('GET', '/api/v1/keys', { key: write })).status).toBe(403);
    expect((await anonymous('GET', '/api/v1/keys', { key: admin })).status).toBe(200);
  });

  it('is shown once, kept as a hash, and ends when it is revoked', async () => {
    const made = (await api.ask('POST', '/api/v1/keys', { body: { name: 'ci', scope: 'read' } })).json as ApiKeyCreated;
    expect(made.key).toMatch(/^rt_[\w-]{43}$/);
    const stored = await getPrisma().apiKey.findUniqueOrThrow({ where: { id: made.id } });
    expect(JSON.stringify(stored)).not.toContain(made.key);
    const listed = (await api.ask('GET', '/api/v1/keys')).text;
    expect(listed).toContain(made.id);
    expect(listed).not.toContain(made.key);
    expect((await anonymous('GET', '/api/v1/targets', { key: made.key })).status).toBe(200);
    expect((await api.ask('DELETE', `/api/v1/keys/${made.id}`)).status).toBe(204);
    expect((await anonymous('GET', '/api/v1/targets', { key: made.key })).status).toBe(401);
    expect((await api.ask('DELETE', `/api/v1/keys/${made.id}`)).status).toBe(404);
    expect((await api.ask('POST', '/api/v1/keys', { body: { scope: 'root' } })).status).toBe(400);
  });

  it('is told its rate limit, and stopped at it', async () => {
    const { key } = (await api.ask('POST', '/api/v1/keys', { body: { scope: 'read' } })).json as ApiKeyCreated;
    const first = await anonymous('GET', '/api/v1/session', { key });
    expect(first.headers.get('ratelimit-limit')).toBe('400');
    expect(first.headers.get('ratelimit-remaining')).toBe('399');
    const rest = await Promise.all(Array.from({ length: 400 }, () => anonymous('GET', '/api/v1/session', { key })));
    const refused = rest.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(1);
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('a session', () => {
  const origin = () => ({ origin: api.server.baseUrl });

  it('begins with the password and ends by signing out', async () => {
    expect((await anonymous('GET', '/api/v1/session')).json).toMatchObject({ signedIn: false, scope: null });
    const signedIn = await anonymous('POST', '/api/v1/session', { body: { password }, headers: origin() });
    expect(signedIn.status).toBe(200);
    expect(signedIn.headers.get('set-cookie')).toMatch(
      /^rt_session_\w+=[^;]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+, rt_browser_\w+=/,
    );
    const headers = { cookie: cookieOf(signedIn.headers), ...origin() };
    expect((await anonymous('GET', '/api/v1/session', { headers })).json).toMatchObject({
      signedIn: true,
      scope: 'admin',
    });
    expect((await anonymous('POST', '/api/v1/targets', { body: target, headers })).status).toBe(201);
    const out = await anonymous('DELETE', '/api/v1/session', { headers });
    expect(out.headers.get('set-cookie')).toMatch(/^rt_session_\w+=; .*Max-Age=0/);
  });

  it('cannot be used from a page of another site', async () => {
    const signedIn = await anonymous('POST', '/api/v1/session', { body: { password } });
    const cookie = cookieOf(signedIn.headers);
    const elsewhere = { cookie, origin: 'https://evil.example' };
    expect((await anonymous('POST', '/api/v1/targets', { body: target, headers: elsewhere })).status).toBe(403);
    expect((await anonymous('POST', '/api/v1/targets', { body: target, headers: { cookie } })).status).toBe(403);
    expect((await anonymous('GET', '/api/v1/targets', { headers: elsewhere })).status).toBe(200);
    expect(
      (await anonymous('POST', '/api/v1/session', { body: { password }, headers: { origin: 'https://evil.example' } }))
        .status,
    ).toBe(403);
  });
});

describe('the administrator’s password', () => {
  it('is made once, and shown by that call alone', async () => {
    expect(password.length).toBeGreaterThan(15);
    expect(await ensureAdminPassword()).toEqual({ state: 'kept', given: 'none' });
  });
});

describe('the environment', () => {
  it('allows private targets where it says so', async () => {
    const body = { url: 'https://127.0.0.1:8443/' };
    expect((await anonymous('POST', '/api/v1/targets', { key: api.keys.write, body })).status).toBe(201);
  });

  it('that is wrong ends the process with a sentence', async () => {
    const start = startTestServer({ env: { ROUNDTRIP_SECRET: 'short' } });
    await expect(start).rejects.toThrow(/ended with 2: .*ROUNDTRIP_SECRET must have at least 32 characters/s);
  });

  it.runIf(isLong)('without a database answers with a problem, not a page', async () => {
    const nowhere = await startTestServer({ databaseUrl: 'postgresql://nobody:x@127.0.0.1:1/none' });
    const ask = asker(nowhere.baseUrl, api.keys.read);
    expect((await ask('GET', '/api/v1/targets')).status).toBe(503);
    expect((await ask('GET', '/api/ready')).status).toBe(503);
    expect((await ask('GET', '/api/health')).status).toBe(200);
    await nowhere.stop();
  });
});
