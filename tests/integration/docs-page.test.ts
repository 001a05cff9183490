import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect, it } from 'vitest';
import { WEB_BUILD } from '#cli/dist.mjs';
import { prepareApi } from '../support/prepare.ts';
import { words } from '../support/words.ts';

const api = prepareApi({ ROUNDTRIP_RATE_LIMIT: '40' });

const ask = (place: string, init?: RequestInit) => fetch(`${api.server.baseUrl}/api/docs${place}`, init);
const packaged = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

it('is a page for everybody, whose policy allows what carries the nonce of this one answer and nothing of another host', async () => {
  const answers = await Promise.all([ask(''), ask('?a=b')]);
  const nonces = answers.map(({ headers }) => {
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).not.toMatch(/unsafe|https?:/);
    return /script-src 'self' 'nonce-([\w+/=]{22,})' 'strict-dynamic'; style-src 'self' 'nonce-\1'/.exec(policy)?.[1];
  });
  expect(new Set(nonces).size).toBe(2);
  const [answer] = answers;
  expect(answer?.status).toBe(200);
  expect(Object.fromEntries(answer?.headers ?? [])).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  });
  const page = (await answer?.text()) ?? '';
  const loading = page.match(/<(script|link rel="stylesheet")[^>]*>/g) ?? [];
  expect(loading).toHaveLength(3);
  expect(loading.filter((tag) => !tag.includes(`nonce="${nonces[0]}"`))).toEqual([]);
  expect(page).not.toMatch(/https?:\/\/|\son\w+=|\sstyle=/);
});

it('loads two files of the package, unchanged, which a browser keeps, and whose addresses are those of their version', async () => {
  const page = await (await ask('')).text();
  const addresses = [...page.matchAll(/"\/api\/docs(\/[^"]+)"/g)].map(([, place = '']) => place);
  const { version } = JSON.parse(readFileSync(path.join(packaged, 'package.json'), 'utf8'));
  expect(addresses).toEqual([`/swagger-ui.css?v=${version}`, `/swagger-ui-bundle.js?v=${version}`]);
  for (const [address, type] of [
    [addresses[0], 'text/css'],
    [addresses[1], 'text/javascript'],
  ] as const) {
    const { status, headers, body } = await ask(address ?? '').then(async (answer) => ({
      status: answer.status,
      headers: answer.headers,
      body: await answer.text(),
    }));
    expect([status, headers.get('content-type')]).toEqual([200, `${type}; charset=utf-8`]);
    expect(headers.get('cache-control')).toContain('immutable');
    expect(headers.get('content-encoding')).toBe('gzip');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(body).toBe(readFileSync(path.join(packaged, address?.split('?')[0] ?? ''), 'utf8'));
  }
});

it.each(
  words(`
    /swagger-ui.css.map /index.html /package.json /%2e%2e/zod/package.json /..%2fzod%2fpackage.json /constructor
    /x/swagger-ui.css
  `),
)('serves no other file: %s', async (place) => {
  const answer = await ask(place);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
  expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
});

it('is in the build with those two files alone, without the package that reports installations', () => {
  const packages = path.join(WEB_BUILD, 'node_modules');
  expect(readdirSync(path.join(packages, 'swagger-ui-dist')).sort()).toEqual([
    'swagger-ui-bundle.js',
    'swagger-ui.css',
  ]);
  expect(existsSync(path.join(packages, '@scarf'))).toBe(false);
});

it('takes no other method, and counts as a page', async () => {
  const posted = await ask('', { method: 'POST' });
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  expect((await ask('/', { redirect: 'manual' })).headers.get('location')).toBe('/api/docs');
  const statuses = await Promise.all(
    Array.from({ length: 45 }, async () => (await ask('', { method: 'HEAD' })).status),
  );
  expect([...new Set(statuses)].sort()).toEqual([200, 429]);
});
