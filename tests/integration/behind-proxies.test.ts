import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as askPlainly, type IncomingHttpHeaders } from 'node:http';
import { request as ask } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '#cli/dist.mjs';
import { createAuthority, issue } from '#demo/pki.ts';
import { setAdminPassword } from '#server/access/admin.ts';
import { findServer } from '#tests/lab/nginx.ts';
import { testDatabase } from '../support/database.ts';
import { collect, freePort, stop } from '../support/process.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

// Signing in through real proxies, with the lines of docs/operations.md and with those that people write instead.

const PASSWORD = 'correct horse battery staple';
const NAME = 'monitor.example.org';

const folder = mkdtempSync(path.join(tmpdir(), 'roundtrip-proxies-'));
const file = (name: string) => path.join(folder, name);
let drop: () => Promise<void>;
/** One that knows its public URL, at port 8443, one that does not, and one that knows it and trusts no proxy. */
let known: TestServer;
let plain: TestServer;
let unlisted: TestServer;
beforeAll(async () => {
  const database = await testDatabase();
  drop = database.drop;
  await setAdminPassword(PASSWORD);
  const env = { ROUNDTRIP_PUBLIC_URL: `https://${NAME}:8443`, ROUNDTRIP_RATE_LIMIT: '100000' };
  known = await startTestServer({ databaseUrl: database.url, env });
  plain = await startTestServer({ databaseUrl: database.url, env: { ROUNDTRIP_RATE_LIMIT: '100000' } });
  unlisted = await startTestServer({ databaseUrl: database.url, env: { ...env, ROUNDTRIP_TRUSTED_PROXIES: 'none' } });
  const authority = await createAuthority({ name: 'Proxies', key: 'ec' });
  const { chainPem, keyPem } = await issue(authority, { names: [NAME] });
  writeFileSync(file('chain.pem'), chainPem);
  writeFileSync(file('key.pem'), keyPem);
  writeFileSync(file('both.pem'), chainPem + keyPem);
});
afterAll(async () => {
  await Promise.all([known.stop(), plain.stop(), unlisted.stop()]);
  await drop();
  rmSync(folder, { recursive: true, force: true });
});

type Answer = { status: number; headers: IncomingHttpHeaders; body: string };

/** As a browser at `origin` sends a form, over TLS to a proxy's port or plainly to a server. */
function post(port: number, target: string, origin: string, more: Record<string, string> = {}, isPlain = false) {
  return new Promise<Answer>((resolve, reject) => {
    const { host } = new URL(origin === 'null' ? `https://${NAME}` : origin);
    const headers = { host, origin, 'content-type': 'application/x-www-form-urlencoded', ...more };
    const options = { host: '127.0.0.1', port, path: target, method: 'POST', headers };
    const sent = isPlain ? askPlainly(options) : ask({ ...options, servername: NAME, rejectUnauthorized: false });
    sent.on('response', async (response) => {
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: await text(response) });
    });
    sent.on('error', reject).end(`password=${encodeURIComponent(PASSWORD)}`);
  });
}

/** Signs in, and calls a server action, which Next judges for itself, with the session. */
async function signsIn(port: number, origin: string, more: Record<string, string> = {}, isPlain = false) {
  const signed = await post(port, '/sign-in', origin, more, isPlain);
  if (signed.status !== 303) return signed;
  const cookie = signed.headers['set-cookie']?.map((each) => each.split(';')[0]).join('; ') ?? '';
  const action = { ...more, cookie, 'next-action': '0'.repeat(42), 'content-type': 'text/plain' };
  const acted = await post(port, '/login', origin, action, isPlain);
  // There is no such action, which is the next thing that Next says once the origin is right.
  expect([acted.status, acted.headers['x-nextjs-action-not-found']]).toEqual([409, '1']);
  const out = await post(port, '/sign-out', origin, { ...more, cookie }, isPlain);
  expect(out.status).toBe(303);
  return signed;
}

/** Runs a proxy, whose configuration names `port`, while `use` asks it. */
async function behind<T>(command: string[], port: number, use: () => Promise<T>): Promise<T> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { stdio: 'pipe', env: { ...process.env, HOME: folder } });
  const said = collect(child);
  try {
    const answers = () =>
      post(port, '/login', `https://${NAME}:${port}`).then(
        ({ status }) => status > 0,
        () => said(),
      );
    await expect.poll(answers, { timeout: 20_000, interval: 20 }).toBe(true);
    return await use();
  } finally {
    await stop(child);
  }
}

const documented = (language: string) => {
  const block = new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(
    readFileSync(path.join(ROOT, 'docs/operations.md'), 'utf8'),
  );
  return block?.[1] ?? '';
};
const nginxLines = () =>
  documented('nginx')
    .match(/proxy_set_header .*;/g)
    ?.join('\n') ?? '';
const upstream = (server: TestServer) => new URL(server.baseUrl).host;

function nginx(port: number, lines: string, server: TestServer): string[] {
  writeFileSync(
    file('nginx.conf'),
    `daemon off; pid ${file('nginx.pid')}; error_log stderr; events {} worker_processes 1;
     http { access_log off; client_body_temp_path ${file('body')}; proxy_temp_path ${file('proxy')};
       fastcgi_temp_path ${file('f')}; uwsgi_temp_path ${file('u')}; scgi_temp_path ${file('s')};
       server { listen 127.0.0.1:${port} ssl; ssl_certificate ${file('chain.pem')}; ssl_certificate_key ${file('key.pem')};
         location / { proxy_pass ${server.baseUrl}; ${lines} } } }`,
  );
  return [findServer('nginx') ?? '', '-p', folder, '-c', file('nginx.conf')];
}

describe.skipIf(!findServer('nginx'))('behind nginx (skipped where there is none)', () => {
  it.each([
    ['the documented lines at another port than 443', nginxLines(), 8443],
    ['the documented lines at 443', nginxLines(), 443],
    ['$host:443', 'proxy_set_header Host $host:443; proxy_set_header X-Forwarded-Proto $scheme;', 443],
    ['a proxy that says nothing of TLS', 'proxy_set_header Host $http_host;', 8443],
    [
      'an inner proxy that speaks plain HTTP',
      'proxy_set_header Host $http_host; proxy_set_header X-Forwarded-Proto http;',
      443,
    ],
  ])('one signs in: %s', async (_name, lines, seen) => {
    const port = await freePort();
    const origin = new URL(`https://${NAME}:${seen}`).origin;
    const { status } = await behind(nginx(port, lines, plain), port, () => signsIn(port, origin));
    expect(status).toBe(303);
  });

  it.each(['', 'proxy_set_header Host $host;', 'proxy_set_header Host $host:443;'])(
    'the public URL is ours, whatever the proxy makes of Host: %s',
    async (lines) => {
      const port = await freePort();
      const seen = `https://${NAME}:8443`;
      expect((await behind(nginx(port, lines, known), port, () => signsIn(port, seen))).status).toBe(303);
    },
  );

  it.each([nginxLines(), 'proxy_set_header Host $http_host; proxy_set_header X-Forwarded-Proto http;'])(
    'that is not a trusted proxy, the public URL is https: %s',
    async (lines) => {
      const port = await freePort();
      const seen = `https://${NAME}:8443`;
      const signed = await behind(nginx(port, lines, unlisted), port, () => signsIn(port, seen));
      expect(signed.status).toBe(303);
      expect(signed.headers['strict-transport-security']).toMatch(/^max-age=/);
      for (const cookie of signed.headers['set-cookie'] ?? []) expect(cookie).toMatch(/^__Host-.*; Secure$/);
    },
  );

  it('a refusal is a page that names both addresses, in the language of its reader', async () => {
    const port = await freePort();
    const lines = 'proxy_set_header Host $host; proxy_set_header X-Forwarded-Proto $scheme;';
    await behind(nginx(port, lines, plain), port, async () => {
      const chinese = { 'accept-language': 'zh-CN' };
      for (const [more, own] of [[{}, 'page is of'] as const, [chinese, '页面的来源是'] as const]) {
        const { status, headers, body } = await signsIn(port, `https://${NAME}:8443`, more);
        expect([status, headers['content-type']]).toEqual([403, 'text/html; charset=utf-8']);
        expect(body).toContain(own);
        expect(body).toMatch(new RegExp(`https://${NAME}:8443 ?[，,].*https://${NAME}[ .。]`));
        expect(body).toContain('ROUNDTRIP_PUBLIC_URL');
      }
    });
  });
});

describe.skipIf(!findServer('haproxy'))('behind HAProxy (skipped where there is none)', () => {
  it.each([443, 8443])('one signs in at port %s', async (seen) => {
    const port = await freePort();
    writeFileSync(
      file('haproxy.cfg'),
      `defaults
  mode http
  timeout client 10s
  timeout connect 10s
  timeout server 10s
frontend tls
  bind 127.0.0.1:${port} ssl crt ${file('both.pem')}
  default_backend roundtrip
backend roundtrip
${documented('haproxy')}
  server one ${upstream(plain)}
`,
    );
    const command = [findServer('haproxy') ?? '', '-db', '-f', file('haproxy.cfg')];
    const origin = new URL(`https://${NAME}:${seen}`).origin;
    const signed = await behind(command, port, () => signsIn(port, origin));
    expect([signed.status, signed.headers['set-cookie']?.[0]]).toEqual([303, expect.stringMatching(/^__Host-/)]);
  });
});

describe.skipIf(!findServer('caddy'))('behind Caddy (skipped where there is none)', () => {
  it.each([443, 8443])('one signs in at port %s', async (seen) => {
    const port = await freePort();
    writeFileSync(
      file('Caddyfile'),
      `{
  admin off
  auto_https off
}
https://${NAME}:${port} {
  bind 127.0.0.1
  tls ${file('chain.pem')} ${file('key.pem')}
  reverse_proxy ${upstream(plain)}
}
`,
    );
    const command = [findServer('caddy') ?? '', 'run', '--config', file('Caddyfile'), '--adapter', 'caddyfile'];
    const origin = new URL(`https://${NAME}:${seen}`).origin;
    const signed = await behind(command, port, () => signsIn(port, origin));
    expect([signed.status, signed.headers['set-cookie']?.[0]]).toEqual([303, expect.stringMatching(/^__Host-/)]);
  });
});

const portOf = ({ baseUrl }: TestServer) => Number(new URL(baseUrl).port);

it.each([443, 8443])("one signs in with Traefik's headers, at port %s", async (seen) => {
  const { host, origin } = new URL(`https://${NAME}:${seen}`);
  const traefik = {
    'x-forwarded-for': '192.0.2.1',
    'x-forwarded-host': host,
    'x-forwarded-port': String(seen),
    'x-forwarded-proto': 'https',
    'x-forwarded-server': 'traefik-7d5',
    'x-real-ip': '192.0.2.1',
  };
  expect((await signsIn(portOf(plain), origin, traefik, true)).status).toBe(303);
});

it.each([NAME, `${NAME}:8080`, '127.0.0.1'])(
  'another host than that of the public URL is plain HTTP: %s',
  async (host) => {
    const signed = await signsIn(portOf(unlisted), `http://${host}`, { 'x-forwarded-proto': 'https' }, true);
    expect([signed.status, signed.headers['strict-transport-security']]).toEqual([303, undefined]);
    for (const cookie of signed.headers['set-cookie'] ?? []) expect(cookie).not.toMatch(/Secure|__Host-/);
  },
);

it.each([
  ['https://evil.example', { host: `${NAME}:8443` }],
  [`https://${NAME}`, { host: `${NAME}:8443` }],
  [`https://${NAME}:9443`, { host: `${NAME}:8443` }],
  [`http://${NAME}`, { host: NAME, 'x-forwarded-proto': 'https' }],
  ['null', { host: `${NAME}:8443` }],
  [`ftp://${NAME}:8443`, { host: `${NAME}:8443` }],
])('a page of another origin, %s, neither signs in nor acts: %j', async (origin, more: Record<string, string>) => {
  for (const server of [plain, known]) {
    const { status, body } = await post(portOf(server), '/sign-in', origin, more, true);
    expect(status).toBe(403);
    expect(body).toContain(origin);
    const proper = `https://${NAME}:8443`;
    const signed = await post(portOf(server), '/sign-in', proper, { host: `${NAME}:8443` }, true);
    const cookie = signed.headers['set-cookie']?.map((each) => each.split(';')[0]).join('; ') ?? '';
    const action = { ...more, cookie, 'next-action': '0'.repeat(42), 'content-type': 'text/plain' };
    expect((await post(portOf(server), '/login', origin, action, true)).status).toBe(403);
  }
});
