import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '#cli/dist.mjs';
import type { ActiveSessions } from '#contract/session.ts';
import { setAdminPassword } from '#server/access/admin.ts';
import { countGuess, dropOldGuesses } from '#server/access/login-limit.ts';
import { dropOldSessions } from '#server/access/session.ts';
import { createSignInLink } from '#server/access/sign-in-link.ts';
import { getPool } from '#server/database/database.ts';
import { extent, isLong } from '../support/extent.ts';
import { type Answer, type Asker, asker } from '../support/openapi.ts';
import { prepareApi } from '../support/prepare.ts';
import { collect } from '../support/process.ts';
import { startTestServer } from '../support/server.ts';
import { spawnRoundtrip } from '../support/stack.ts';

const PASSWORD = 'correct horse battery staple';

let anonymous: Asker;
const api = prepareApi({ ROUNDTRIP_RATE_LIMIT: '100000', ROUNDTRIP_ALLOW_PRIVATE_TARGETS: '1' });
beforeAll(async () => {
  anonymous = asker(api.server.baseUrl);
});
beforeEach(async () => {
  await getPool().query('truncate password_guess, session');
  await setAdminPassword(PASSWORD);
});

type Attempt = { from?: string; cookie?: string; by?: Asker };

/** The servers of these tests are asked from loopback, whose word about others is taken, as a proxy's. */
function attempt(password: string, { from = '192.0.2.1', cookie, by = anonymous }: Attempt = {}): Promise<Answer> {
  const headers = { 'x-forwarded-for': from, ...(cookie ? { cookie } : {}) };
  return by('POST', '/api/v1/session', { body: { password }, headers });
}

const cookiesOf = ({ headers }: Answer) => headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
const browserOf = (answer: Answer) => cookiesOf(answer).find((cookie) => cookie.startsWith('rt_browser_')) ?? '';
const signedIn = async (attempted: Attempt = {}) => {
  const answer = await attempt(PASSWORD, attempted);
  expect(answer.status).toBe(200);
  return { cookie: cookiesOf(answer).join('; '), origin: api.server.baseUrl, browser: browserOf(answer) };
};
type SignedIn = Awaited<ReturnType<typeof signedIn>>;
const asking = ({ cookie, origin }: SignedIn) => ({ headers: { cookie, origin } });
const mayRead = async (session: SignedIn) =>
  (await anonymous('GET', '/api/v1/targets', asking(session))).status === 200;

/** How many rows of guesses are stored, by the kind of their bucket. */
async function storedRows(): Promise<Record<string, number>> {
  const { rows } = await getPool().query<{ kind: string; n: number }>(
    `select split_part(bucket, ':', 1) as kind, count(*)::int as n from password_guess group by 1`,
  );
  return Object.fromEntries(rows.map(({ kind, n }) => [kind, n]));
}

async function guessTimes(times: number, options: (n: number) => Attempt): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < times; n++) statuses.push((await attempt(`guess ${n}`, options(n))).status);
  return statuses;
}

/** Makes the pauses of guessers an hour longer, so that a slow machine does not outlive them; not that of all together. */
const hold = () =>
  getPool().query(
    `update password_guess set blocked_until = blocked_until + interval '1 hour' where failures >= 5 and bucket <> 'all'`,
  );

/** As many as there may be without a pause, and the pause after them, held. */
async function fiveWrong(options: (n: number) => Attempt = () => ({})): Promise<void> {
  expect(await guessTimes(5, options)).toEqual([401, 401, 401, 401, 401]);
  await hold();
}

describe('wrong passwords', () => {
  it('pause the address that sent them after the fifth, the right one too, and no other address', async () => {
    await fiveWrong();
    const refused = await attempt(PASSWORD);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_000);
    expect((await attempt(PASSWORD, { from: '192.0.2.2' })).status).toBe(200);
  });

  it('sent at once count as if one after the other', async () => {
    await getPool().query(`insert into password_guess values ('network:192.0.2.1', 12, now(), now())`);
    const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => attempt(`guess ${n}`)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([401, ...Array(11).fill(429)]);
  });

  it('are counted by /64 over IPv6', async () => {
    await fiveWrong((n) => ({ from: `2001:db8:1:2:${n}::${n}` }));
    expect((await attempt(PASSWORD, { from: '2001:db8:1:2:ffff::1' })).status).toBe(429);
    expect((await attempt('guess', { from: '2001:db8:1:3::1' })).status).toBe(401);
  });

  it('pause twice as long each time, up to a quarter of an hour, and are forgotten after a day', async () => {
    const guesser = { kind: 'network', id: 'test' } as const;
    const pauses: number[] = [];
    for (let n = 0; n < 17; n++) {
      await countGuess(guesser);
      const { rows } = await getPool().query<{ pause: number }>(
        `update password_guess g set blocked_until = now() - interval '1 hour' from password_guess before
          where g.bucket = 'network:test' and before.bucket = g.bucket
          returning extract(epoch from before.blocked_until - before.last_at)::float8 as pause`,
      );
      pauses.push(rows[0]?.pause ?? -1);
    }
    expect(pauses).toEqual([0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]);
    const longAgo = `update password_guess set last_at = now() - interval '25 hours', blocked_until = now() - interval '1 hour'`;
    await getPool().query(longAgo);
    await countGuess(guesser);
    expect(
      (await getPool().query('select failures from password_guess where bucket = $1', ['network:test'])).rows,
    ).toEqual([{ failures: 1 }]);
    await getPool().query(longAgo);
    expect(await dropOldGuesses()).toBe(2);
  });

  it('that are followed by no pause are refused none when the clock is set back', async () => {
    const guesser = { kind: 'network', id: 'test' } as const;
    for (let n = 0; n < 5; n++) {
      await countGuess(guesser);
      await getPool().query(
        `update password_guess set blocked_until = now() + interval '1 hour' where failures < 5 and bucket <> 'all'`,
      );
    }
    await hold();
    await expect(countGuess(guesser)).rejects.toMatchObject({ code: 'rate_limited' });
  });

  it.runIf(isLong)('are remembered over a restart', async () => {
    await fiveWrong();
    const again = await startTestServer();
    try {
      const refused = await attempt(PASSWORD, { by: asker(again.baseUrl) });
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(500);
    } finally {
      await again.stop();
    }
  });

  it('from addresses that a client made up count as the client’s, where no proxy is trusted', async () => {
    const env = { ROUNDTRIP_TRUSTED_PROXIES: 'none' };
    const direct = await startTestServer({ env });
    try {
      const by = asker(direct.baseUrl);
      await fiveWrong((n) => ({ from: `203.0.113.${n}`, by }));
      expect((await attempt(PASSWORD, { from: '203.0.113.9', by })).status).toBe(429);
    } finally {
      await direct.stop();
    }
  });

  it.runIf(isLong)(
    '250 of them from as many addresses slow strangers down for seconds, and a browser that signed in before not at all',
    async () => {
      const { browser } = await signedIn({ from: '192.0.2.9' });
      const guesses: Answer[] = [];
      for (let n = 0; n < 250; n += 10) {
        const some = Array.from({ length: 10 }, (_, k) => attempt(`guess ${n + k}`, { from: `198.51.${n}.${k}` }));
        guesses.push(...(await Promise.all(some)));
      }
      const looked = guesses.filter(({ status }) => status === 401).length;
      expect(looked).toBeGreaterThanOrEqual(195);
      expect(looked).toBeLessThan(250);
      // One of each address and each site that guessed, refused or not, and one of all together: however long the guesses took.
      expect(await storedRows()).toEqual({ all: 1, network: 250, site: 25 });
      const stranger = await attempt(PASSWORD, { from: '192.0.2.10' });
      if (stranger.status !== 200) expect(Number(stranger.headers.get('retry-after'))).toBeLessThanOrEqual(5);
      expect((await attempt(PASSWORD, { from: '198.51.0.1', cookie: browser })).status).toBe(200);
    },
    180_000,
  );

  it.runIf(isLong)('from all of a /48 without end keep no new browser elsewhere out for 10 s', async () => {
    let sent = 0;
    const looked: number[] = [];
    let ends = false;
    // As many /64s of a /56 as there are, then the rest of its /48; far more than the 29 a second that once sufficed.
    const attacker = async () => {
      while (!ends) {
        sent += 1;
        const { status } = await attempt(`guess ${sent}`, { from: `2001:db8:7:${sent.toString(16)}::1` });
        if (status === 401) looked.push(sent);
      }
    };
    const crowd = Promise.all(Array.from({ length: 30 }, attacker));
    await expect.poll(() => sent).toBeGreaterThan(300);
    const began = performance.now();
    const statuses: number[] = [];
    while (statuses.at(-1) !== 200 && performance.now() - began < 60_000)
      statuses.push((await attempt(PASSWORD, { from: '203.0.113.7' })).status);
    const tookMs = performance.now() - began;
    ends = true;
    await crowd;
    console.info({ sent, looked: looked.length, statuses, tookMs: Math.round(tookMs) });
    expect(statuses).toEqual([200]);
    expect(tookMs).toBeLessThan(10_000);
    // Those of the site without a pause, and one or two after its first pauses.
    expect(looked.length).toBeLessThanOrEqual(25);
    const rows = await storedRows();
    expect(rows).toMatchObject({ all: 1, site: 1 });
    // Those that came at once before a pause was known have rows, and not all that were sent.
    expect(rows.network ?? 0).toBeLessThan(sent / 2);
  });

  it.runIf(isLong)('from a site that has to wait make no rows', async () => {
    await guessTimes(20, (n) => ({ from: `198.51.100.${n}` }));
    await hold();
    const stored = { all: 1, network: 20, site: 1 };
    expect(await storedRows()).toEqual(stored);
    expect(new Set(await guessTimes(20, (n) => ({ from: `198.51.100.${100 + n}` })))).toEqual(new Set([429]));
    expect(await storedRows()).toEqual(stored);
  });

  it.runIf(isLong)('of one address do not pause its neighbours, those of many do', async () => {
    await fiveWrong();
    expect((await attempt('guess', { from: '192.0.2.2' })).status).toBe(401);
    await guessTimes(14, (n) => ({ from: `192.0.2.${10 + n}` }));
    await hold();
    expect((await attempt(PASSWORD, { from: '192.0.2.200' })).status).toBe(429);
    expect((await attempt(PASSWORD, { from: '192.0.3.1' })).status).toBe(200);
  });

  it('that all strangers together have no room for are counted for their network and site all the same', async () => {
    await getPool().query(`insert into password_guess values ('all', 200, now() + interval '1 day', now())`);
    for (let n = 0; n < 5; n++) expect((await attempt('guess')).status).toBe(429);
    const { rows } = await getPool().query(
      `select bucket, failures from password_guess where bucket <> 'all' order by bucket`,
    );
    expect(rows).toEqual([
      { bucket: 'network:192.0.2.1', failures: 5 },
      { bucket: 'site:192.0.2.0/24', failures: 5 },
    ]);
  });

  it('by a browser that signed in before count for it alone; a made-up one is none', async () => {
    const { browser } = await signedIn();
    await fiveWrong(() => ({ cookie: browser }));
    expect((await attempt(PASSWORD, { cookie: browser })).status).toBe(429);
    expect((await attempt(PASSWORD)).status).toBe(200);
    const forged = browser.replace(/=[^.]+/, '=0b0e6a39-0000-4000-8000-000000000000');
    await fiveWrong(() => ({ from: '192.0.2.77', cookie: forged }));
    expect((await attempt(PASSWORD, { from: '192.0.2.77' })).status).toBe(429);
  });
});

describe('a session', () => {
  it('that is signed out of is over for whoever copied its cookie', async () => {
    const session = await signedIn();
    const other = await signedIn();
    expect(await mayRead(session)).toBe(true);
    expect((await anonymous('DELETE', '/api/v1/session', asking(session))).status).toBe(204);
    expect([await mayRead(session), await mayRead(other)]).toEqual([false, true]);
  });

  it('is listed with where it came from; all can be ended, and webhooks stay readable', async () => {
    const webhook = { name: 'kept', format: 'standard', url: 'http://127.0.0.1:9/kept' };
    const { id } = (await api.ask('POST', '/api/v1/webhooks', { body: webhook })).json as { id: string };
    const session = await signedIn({ from: '192.0.2.5' });
    const other = await signedIn({ from: '192.0.2.6' });
    const list = await anonymous('GET', '/api/v1/sessions', asking(session));
    expect(list.text).not.toContain('rts_');
    expect((list.json as ActiveSessions).data).toMatchObject([
      { address: '192.0.2.5', current: true },
      { address: '192.0.2.6', current: false },
    ]);
    expect((await anonymous('DELETE', '/api/v1/sessions', asking(session))).status).toBe(204);
    expect([await mayRead(session), await mayRead(other)]).toEqual([false, false]);
    expect((await api.ask('GET', `/api/v1/webhooks/${id}`)).text).toContain('127.0.0.1:9');
  });

  it('is kept as a hash, and ends after a fortnight', async () => {
    const session = await signedIn();
    const secret = /rt_session_\w+=([^;]+)/.exec(session.cookie)?.[1] ?? '';
    const { rows } = await getPool().query('select * from session');
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(secret);
    const days = (rows[0].expires_at - rows[0].created_at) / 86_400_000;
    expect(days).toBeCloseTo(14, 1);
    await getPool().query(`update session set expires_at = now() - interval '1 second'`);
    expect(await mayRead(session)).toBe(false);
    expect(await dropOldSessions()).toBe(1);
  });

  it.runIf(isLong)(
    'goes on while the same browser is signed in at another installation, at another port of the host',
    async () => {
      const other = await startTestServer({ env: { ROUNDTRIP_SECRET: 'the secret of another installation' } });
      try {
        // A browser's jar: one for all ports.
        const jar = new Map<string, string>();
        for (const by of [anonymous, asker(other.baseUrl)])
          for (const cookie of cookiesOf(await attempt(PASSWORD, { by }))) {
            const [name = '', value = ''] = cookie.split('=', 2);
            jar.set(name, value);
          }
        const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
        const { status } = await asker(other.baseUrl)('DELETE', '/api/v1/session', {
          headers: { cookie, origin: other.baseUrl },
        });
        expect(status).toBe(204);
        expect(await mayRead({ cookie, origin: api.server.baseUrl, browser: '' })).toBe(true);
        const there = await asker(other.baseUrl)('GET', '/api/v1/targets', { headers: { cookie } });
        expect(there.status).toBe(401);
      } finally {
        await other.stop();
      }
    },
  );

  it('goes on under the bare name, as it was named before and as scripts send it', async () => {
    const { cookie, origin, browser } = await signedIn();
    const bare = cookie.replaceAll(/_[0-9a-f]{10}=/g, '=');
    expect(bare).toMatch(/^rt_session=/);
    expect(await mayRead({ cookie: bare, origin, browser })).toBe(true);
  });

  it('from before there were rows is signed out', async () => {
    const headers = { cookie: 'rt_session=Fe26.2*1*aaaa*bbbb*cccc**dddd*eeee' };
    expect((await anonymous('GET', '/api/v1/targets', { headers })).status).toBe(401);
  });
});

describe('the password', () => {
  const change = (session: SignedIn, body: object) =>
    anonymous('POST', '/api/v1/password', { body, ...asking(session) });

  it('is changed by who knows it, which ends all other sessions', async () => {
    const session = await signedIn();
    const other = await signedIn();
    const newPassword = 'another password';
    for (const [body, field] of [
      [{ newPassword }, 'currentPassword'],
      [{ currentPassword: 'wrong', newPassword }, 'currentPassword'],
      [{ currentPassword: PASSWORD, newPassword: 'short' }, 'newPassword'],
      [{ currentPassword: PASSWORD, newPassword: 'x'.repeat(201) }, 'newPassword'],
    ] as const) {
      const refused = await change(session, body);
      expect(refused.status).toBe(400);
      expect(refused.json).toMatchObject({ errors: [{ field }] });
    }
    expect((await change(session, { currentPassword: PASSWORD, newPassword })).status).toBe(204);
    expect([await mayRead(session), await mayRead(other)]).toEqual([true, false]);
    expect((await attempt(PASSWORD)).status).toBe(401);
    expect((await attempt(newPassword)).status).toBe(200);
  });

  it('cannot be guessed without end from a browser that was left open', async () => {
    const session = await signedIn();
    const guess = () => change(session, { currentPassword: 'wrong', newPassword: 'another password' });
    for (let n = 0; n < 5; n++) expect((await guess()).status).toBe(400);
    await hold();
    expect((await guess()).status).toBe(429);
  });

  it('is changed with an admin key, and with no other, nor from another site', async () => {
    const session = await signedIn();
    const body = { newPassword: 'set by a script' };
    for (const key of [api.keys.read, api.keys.write]) {
      expect((await anonymous('POST', '/api/v1/password', { body, key })).status).toBe(403);
    }
    expect((await anonymous('POST', '/api/v1/password', { body })).status).toBe(401);
    const elsewhere = { cookie: session.cookie, origin: 'https://evil.example' };
    expect((await anonymous('POST', '/api/v1/password', { body, headers: elsewhere })).status).toBe(403);
    expect((await api.ask('POST', '/api/v1/password', { body })).status).toBe(204);
    expect(await mayRead(session)).toBe(false);
    expect((await attempt(body.newPassword)).status).toBe(200);
  });
});

describe('the login form', () => {
  const post = (form: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(`${api.server.baseUrl}/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams(form),
      headers: { origin: api.server.baseUrl, 'x-forwarded-for': '192.0.2.1', ...headers },
    });

  it('goes on to the link that was asked for, with its query, and nowhere else', async () => {
    const link = '/targets/0197?from=2026-11-20T00%3A00%3A00Z&to=2026-11-21T00%3A00%3A00Z';
    const asked = await fetch(api.server.baseUrl + link, { redirect: 'manual' });
    const login = new URL(asked.headers.get('location') ?? '', api.server.baseUrl);
    expect([login.pathname, login.searchParams.get('next')]).toEqual(['/login', link]);
    const answer = await post({ password: PASSWORD, next: link });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, link]);
    for (const hostile of [
      '//evil.example',
      '/\\evil.example',
      'https://evil.example',
      '/\t/evil.example',
      '/.//evil.example',
    ]) {
      expect((await post({ password: PASSWORD, next: hostile })).headers.get('location')).toBe('/');
    }
  });

  it('says what was wrong, keeps the link, and sets no cookie', async () => {
    const wrong = await post({ password: 'guess', next: '/incidents?state=all' });
    expect(wrong.headers.get('location')).toBe('/login?next=%2Fincidents%3Fstate%3Dall&problem=wrong');
    expect(wrong.headers.getSetCookie()).toEqual([]);
    for (let n = 0; n < 4; n++) await post({ password: 'guess' });
    await hold();
    expect((await post({ password: PASSWORD })).headers.get('location')).toMatch(
      /^\/login\?next=%2F&problem=limited&seconds=3\d{3}$/,
    );
    expect((await post({ password: PASSWORD }, { origin: 'https://evil.example' })).status).toBe(403);
  });

  it('sets cookies that scripts cannot read, and over https none that plain HTTP carries', async () => {
    const flags = async (headers: Record<string, string>) =>
      (await post({ password: PASSWORD }, headers)).headers
        .getSetCookie()
        .map((cookie) => cookie.replace(/_[0-9a-f]{10}=[^;]*/, ''));
    expect(await flags({})).toEqual([
      'rt_session; Path=/; HttpOnly; SameSite=Lax; Max-Age=1209600',
      'rt_browser; Path=/; HttpOnly; SameSite=Lax; Max-Age=31536000',
    ]);
    for (const cookie of await flags({ 'x-forwarded-proto': 'https' })) expect(cookie).toMatch(/; Secure$/);
  });
});

describe('roundtrip sign-in', () => {
  const post = (token: string, headers: Record<string, string> = {}) =>
    fetch(`${api.server.baseUrl}/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: api.server.baseUrl, ...headers },
      body: new URLSearchParams({ token, next: '/incidents' }),
    });
  const OVER = '/login?next=%2Fincidents&problem=link';
  const tokenOf = (link: string) => new URL(link).searchParams.get('token') ?? '';

  it('prints a link that signs in once, however guesses go, and is used by its form alone', async () => {
    const url = { ROUNDTRIP_PUBLIC_URL: `${api.server.baseUrl}/` };
    const [status, link] = await runSignIn(url);
    expect([status, link]).toEqual([
      0,
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/login\?token=rtl_[\w-]{43}\n$/),
    ]);
    await getPool().query(`insert into password_guess values ('all', 200, now() + interval '1 day', now())`);
    // What opens a link before a person does: mail scanners, previews, a browser that prefetches.
    for (const method of ['GET', 'HEAD', 'GET']) {
      const opened = await fetch(link.trim(), { method, redirect: 'manual' });
      expect(opened.status).toBe(200);
      expect(opened.headers.get('referrer-policy')).toBe('strict-origin');
      expect(opened.headers.get('cache-control')).toContain('no-store');
      if (method === 'GET') expect(await opened.text()).toContain(`name="token" value="${tokenOf(link)}"`);
    }
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(tokenOf(link))));
    expect(answers.map(({ headers }) => headers.get('location')).toSorted()).toEqual([
      '/incidents',
      ...Array(7).fill(OVER),
    ]);
    const cookie = answers.flatMap(({ headers }) => headers.getSetCookie().map((one) => one.split(';')[0])).join('; ');
    expect((await anonymous('GET', '/api/v1/targets', { headers: { cookie } })).status).toBe(200);
    const kept = await getPool().query(`select * from setting where key = 'signInLink'`);
    expect(kept.rows).toEqual([]);
    expect(api.server.output()).not.toContain(tokenOf(link));
  });

  it('prints a link that ends with the next one and after ten minutes, is kept as a hash, and no other site can use', async () => {
    const first = await createSignInLink();
    const second = await createSignInLink();
    const { rows } = await getPool().query(`select value from setting where key = 'signInLink'`);
    expect(JSON.stringify(rows)).not.toContain(second.slice(4));
    expect((await post(first)).headers.get('location')).toBe(OVER);
    expect((await post('rtl_made-up')).headers.get('location')).toBe(OVER);
    expect((await post(second, { origin: 'https://evil.example' })).status).toBe(403);
    const old = await createSignInLink(Date.now() - 10 * 60_000);
    expect((await post(old)).headers.get('location')).toBe(OVER);
    expect((await post(await createSignInLink())).headers.get('location')).toBe('/incidents');
  });

  /** Runs it on the tests' database while the web process serves it: its status and what it prints on standard output. */
  async function runSignIn(env: Record<string, string>): Promise<[number, string]> {
    const child = spawn(process.execPath, ['cli/roundtrip.mjs', 'sign-in'], {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const printed = text(child.stdout);
    const [status] = await once(child, 'close');
    return [status, await printed];
  }
});

describe('roundtrip password', () => {
  /** Runs it on the tests' database while the web process serves it. */
  async function run(args: string[], input: string | null, env: Record<string, string> = {}) {
    const child = spawnRoundtrip(args, { DATABASE_URL: process.env.DATABASE_URL ?? '', ...env }, {}, 'pipe');
    const output = collect(child);
    child.stdin?.end(input ?? '');
    const [status] = await once(child, 'close');
    return { status, output: output() };
  }

  it('takes a line of standard input, while the server runs, and ends every session', async () => {
    const session = await signedIn();
    const changed = await run(['password'], 'from standard input\n');
    expect(changed).toEqual({ status: 0, output: 'Admin password: changed; sessions ended: 1\n' });
    expect(await mayRead(session)).toBe(false);
    expect((await attempt('from standard input')).status).toBe(200);
  });

  const refused = [
    ['two lines of\na password\n', 'Standard input has more than one line; the password was not changed.'],
    ['short\n', 'The password must have at least 8 characters; it was not changed.'],
    ['', 'The password must have at least 8 characters; it was not changed.'],
  ] as const;
  it.each(refused.slice(0, extent(2, 3)))('refuses %j with a sentence', async (input, sentence) => {
    expect(await run(['password'], input)).toEqual({ status: 2, output: `roundtrip: ${sentence}\n` });
    expect((await attempt(PASSWORD)).status).toBe(200);
  });

  it('asks twice on a terminal, and shows nothing of what is typed', async () => {
    const command = `'${process.execPath}' cli/roundtrip.mjs password`;
    const env = { ...process.env, NODE_ENV: 'production' as const };
    const terminal = spawn('script', ['--quiet', '--return', '--echo', 'never', '--command', command, '/dev/null'], {
      cwd: ROOT,
      env,
    });
    const output = collect(terminal);
    const closed = once(terminal, 'close');
    for (const question of ['New admin password: ', 'Repeat the password: ']) {
      await expect.poll(output).toContain(question);
      terminal.stdin.write('typed in secrek\u007ft\r');
    }
    expect((await closed)[0]).toBe(0);
    expect(output()).toContain('Admin password: changed');
    expect(output()).not.toContain('typed');
    expect((await attempt('typed in secret')).status).toBe(200);
  });

  it.runIf(isLong)(
    'is what setup points to where the environment has another password, which it does not set',
    async () => {
      const other = await run(['setup'], null, { ROUNDTRIP_ADMIN_PASSWORD: 'not the stored one' });
      expect(other.output).toMatch(
        /^Admin password: already set, unchanged\. ROUNDTRIP_ADMIN_PASSWORD differs from the administrator’s password and is ignored: .*`roundtrip password`/m,
      );
      const same = await run(['setup'], null, { ROUNDTRIP_ADMIN_PASSWORD: PASSWORD });
      expect(same.output).toBe('Admin password: already set, equal to ROUNDTRIP_ADMIN_PASSWORD\n');
      expect((await attempt(PASSWORD)).status).toBe(200);
    },
  );
});
