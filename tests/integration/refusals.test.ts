import { spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { extent, isLong } from '../support/extent.ts';
import { prepareApi } from '../support/prepare.ts';
import { words } from '../support/words.ts';

// The surface that needs no session, on the production build: whatever is asked, in whatever way, ends in an answer below 500.
// A public dashboard, so that pages are made and not only refused.

let port = 0;
const api = prepareApi({ ROUNDTRIP_PUBLIC_DASHBOARD: '1', ROUNDTRIP_RATE_LIMIT: '1000000' });
beforeAll(async () => {
  port = Number(new URL(api.server.baseUrl).port);
});

type Answer = { status: number; headers: string; body: string };

/** By then (ms) the server has answered a request that never ends, and closed its connection (http/server.ts). */
const CLOSED_WITHIN_MS = 150_000;

/**
 * What comes back for these bytes on a connection of their own; status 0 where the server closes it without a word. Rejects where it
 * leaves it open.
 */
function exchange(bytes: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'));
    const timer = setTimeout(() => {
      reject(new Error(`open after ${CLOSED_WITHIN_MS} ms: ${JSON.stringify(bytes.slice(0, 500))}`));
      socket.destroy();
    }, CLOSED_WITHIN_MS);
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
    });
    // A body that was not read to its end resets the connection behind the answer.
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      const final = text.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '');
      const [headers = '', body = ''] = final.split('\r\n\r\n', 2);
      resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(headers)?.[1] ?? 0), headers, body });
    });
  });
}

type Asked = { method?: string; target?: string; headers?: string[]; body?: string };

async function send({ method = 'GET', target = '/', headers = [], body = '' }: Asked): Promise<Answer> {
  const own = headers.some((line) => /^(host|transfer-encoding|content-length):/i.test(line));
  const lines = [
    'Host: 127.0.0.1',
    ...headers,
    'Connection: close',
    ...(body && !own ? [`Content-Length: ${body.length}`] : []),
  ];
  const answer = await exchange(`${method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  // Where Next's own script would have asked: the address then holds a digest of its headers.
  const moved = answer.status === 307 ? /^location: (\S*[?&]_rsc=\S*)/im.exec(answer.headers)?.[1] : undefined;
  return moved && moved !== target ? send({ method, target: moved, headers, body }) : answer;
}

const ID = '01970000-0000-7000-8000-000000000000';
/** What stands between bars. */
const phrases = (text: string) => text.trim().split(/\s*\|\s*/);

const PATHS = words(`
  / /login /incidents /incidents/${ID} /targets/new /targets/${ID} /targets/${ID}/trend /settings /shared/abc /nothing /metrics
  /metrics/probes /preferences /sign-in /sign-out /icon.svg /favicon.ico /api/health /api/v1/targets /api/v1/targets/${ID}
  /api/v1/nothing /api/v1/openapi.json /api/docs /api/docs/swagger-ui.css /api/v1/session /api/ingest/results
  /api/ingest/assignments /_next/static/x.js /_next/image?url=%2Ficon.svg&w=64&q=75 /_next/data/x/index.json /_error /_not-found
  /_global-error /404 /500
`);
const METHODS = words('GET HEAD POST PUT PATCH DELETE OPTIONS TRACE QUERY PROPFIND SEARCH LOCK PURGE');
const TARGETS = words(`
  * // /// //evil.example/x /\\\\x /% /%00 /%zz /%ff /%c0%af /..%2f..%2fetc/passwd /?% /?_rsc=%zz /?page=-1 /?lang=% /?__proto__=1
  /?${'a=1&'.repeat(2_000)} /${'a'.repeat(8_000)} /\x80 http://127.0.0.1/ http://evil.example/ http://[/ http:// HTTP://x:99999/
  /[id] /(..)x /.rsc /targets/%00 /targets/%2f /shared/%ff /shared/${'a'.repeat(3_000)} /api/v1/targets/%00 /api//v1/targets
  /api/v1/targets?limit=%zz /api/v1/results?from=%00 /_next/static/%00 /_next/static/..%2f..%2f /login.rsc
  /_next/image?url=http://x /_next/image?url=%zz&w=x&q=y /login?next=%00 /login?problem=limited&seconds=1e999
  /preferences?tz=../../x /%5fglobal-error /_global-error.rsc /login.segments/_tree.segment.rsc /;x /?#
`);
const STATES = [
  ...words(`% [] x null 1 %00 [[[[ %7B%7D ["",{},null,null,true] %22${'x'.repeat(9_000)}%22 \xff`),
  encodeURIComponent('["x'.repeat(500)),
  encodeURIComponent('["",{"children":["__PAGE__",{}]},null,null,true]'),
];
const HEADERS = [
  ...STATES.map((state) => `Next-Router-State-Tree: ${state}`),
  ...phrases(`
  RSC: 1 | RSC: x | Next-Router-Prefetch: 1 | Next-Router-Prefetch: 2 | Next-Router-Prefetch: x | Next-Url: % |
  Next-Router-Segment-Prefetch: /_tree | Next-Router-Segment-Prefetch: %zz/../ | Next-Url: http://[ | Next-Url: /(..)x |
  Next-Action: x | Next-Action: 7f${'0'.repeat(40)} | Next-Action: % | Content-Type: multipart/form-data |
  Content-Type: multipart/form-data; boundary=x | Content-Type: application/json | Content-Type: \xff/\xfe |
  Content-Type: text/plain;charset=nonsense | Content-Type: application/x-www-form-urlencoded | Content-Encoding: gzip |
  Content-Encoding: br, x | Cookie: =;;; ,=% | Cookie: locale=%zz; tz=%; theme=\xff; rt_session=% | Cookie: __proto__=1 |
  Cookie: rt_session=rts_\xff\xfe | Cookie: rt_session=rts_%00 | Cookie: rt_session=rts_${'a'.repeat(90)} |
  Cookie: __prerender_bypass=x; __next_preview_data=x | Range: bytes=0-1 | Range: bytes=9999999- | Range: x | If-Match: "x" |
  If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT | If-None-Match: \xff | If-Range: x | Expect: x | Expect: 100-continue |
  Accept: \xff | Accept-Language: \xff,;q=x,*;q= | Accept-Encoding: \xff;q=x | Host: other | Authorization: Bearer \xff |
  Authorization: Basic % | Authorization: Bearer rt_${'a'.repeat(5_000)} | Origin: null | Origin: http://[ | Origin: \xff |
  Referer: http://[ | Referer: \xff | X-Forwarded-Host: [ | X-Forwarded-Host: a, b | X-Forwarded-Proto: x y |
  X-Forwarded-Proto: javascript: | X-Forwarded-Port: 99999999 | X-Forwarded-For: x, \xff | Forwarded: for="[ |
  X-HTTP-Method-Override: TRACE | X-Middleware-Rewrite: http://[ | X-Middleware-Next: 1 |
  X-Middleware-Subrequest: proxy:proxy:proxy:proxy:proxy | X-Invoke-Status: 500 | X-Invoke-Path: % | X-Nextjs-Data: 1 |
  X-Matched-Path: / | X-Now-Route-Matches: x | Next-Resume: 1 | X-Roundtrip-Path: //x | Next-Html-Request-Id: % |
  X-Roundtrip-Refused-Method: x | Upgrade: websocket | Upgrade: websocket\r\nConnection: Upgrade | Transfer-Encoding: chunked |
  X-Big: ${'a'.repeat(12_000)}
`),
];
const BODIES = [
  '',
  '{}',
  '{"\xff',
  '--x\r\n',
  '--x--',
  '$ACTION=1',
  '0\r\n\r\n',
  'zz\r\n',
  '\x1f\x8b\x08',
  'a'.repeat(70_000),
];

/** Bodies that never end, for all who may read one: routes, forms, server actions, and nobody. */
const ENDLESS: Asked[] = ['Transfer-Encoding: chunked', 'Content-Length: 100'].flatMap((length) =>
  ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'].flatMap((type) =>
    [[], [`Next-Action: 7f${'0'.repeat(40)}`]].flatMap((action) =>
      PATHS.map((target) => ({ method: 'POST', target, headers: [length, `Content-Type: ${type}`, ...action] })),
    ),
  ),
);

/** What is not answered before the server gives it up. */
const isEndless = ({ headers = [], body = '' }: Asked) =>
  body === '' && headers.some((line) => /^(transfer-encoding|content-length):/i.test(line));

/**
 * Answers of 500 and more, and requests whose connection stays open, each with what was asked; the first of these ends it. Eight
 * at a time; one that never ends is waited for beside the others. Readiness is 503 by right: no jobs run here.
 */
async function faults(asked: Asked[]): Promise<string[]> {
  const found: string[] = [];
  const waiting = [...asked];
  const endless: Promise<void>[] = [];
  const ask = async (next: Asked) => {
    try {
      const { status } = await send(next);
      if (status >= 500) found.push(`${status} ${JSON.stringify(next).slice(0, 300)}`);
    } catch (error) {
      found.push(String(error));
      waiting.length = 0;
    }
  };
  const work = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const answered = ask(next);
      if (isEndless(next)) endless.push(answered);
      else await answered;
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  await Promise.all(endless);
  return found.sort();
}

it('no method, target or header alone makes a fault of the server', async () => {
  expect(
    await faults([
      ...PATHS.flatMap((target) => METHODS.map((method) => ({ method, target }))),
      ...TARGETS.flatMap((target) => ['GET', 'POST'].map((method) => ({ method, target }))),
      ...HEADERS.flatMap((header) =>
        ['/nothing', '/icon.svg'].map((target) => ({ target, headers: [header, 'RSC: 1'] })),
      ),
    ]),
  ).toEqual([]);
});

const SAMPLES = extent(300, 5_000);
const SEED = 20_261_123;
/** Eight at a time, on a slow and busy machine. */
const EACH_MS = 100;

it(
  'nor do any of them together',
  async () => {
    const asked = fc.record({
      method: fc.constantFrom('GET', 'GET', 'POST', ...METHODS),
      target: fc.constantFrom(...PATHS, ...TARGETS),
      headers: fc.subarray(HEADERS, { maxLength: 5 }),
      body: fc.constantFrom(...BODIES),
    });
    const samples = fc.sample(asked, { numRuns: SAMPLES, seed: SEED });
    expect(await faults(samples), `seed ${SEED}`).toEqual([]);
  },
  2 * CLOSED_WITHIN_MS + SAMPLES * EACH_MS,
);

it.runIf(isLong)(
  'a body that does not end is answered below 500, and its connection closed, whoever reads it',
  async () => {
    const read = send({
      method: 'POST',
      target: '/api/v1/session',
      headers: ['Transfer-Encoding: chunked', 'Content-Type: application/json'],
    });
    expect(await faults(ENDLESS)).toEqual([]);
    const { status, body } = await read;
    expect(status).toBe(408);
    expect(body).toContain('"type":"urn:roundtrip:problem:timed-out"');
  },
  2 * CLOSED_WITHIN_MS,
);

it.each([
  ['TRACE', '/', 'GET, HEAD, POST, OPTIONS'],
  ['TRACE', '/metrics', 'GET, HEAD, OPTIONS'],
  ['TRACE', '/metrics/probes', 'GET, HEAD, OPTIONS'],
  ['QUERY', '/incidents', 'GET, HEAD, POST, OPTIONS'],
  ['PUT', '/icon.svg', 'GET, HEAD, OPTIONS'],
  ['DELETE', '/_next/image?url=%2Ficon.svg&w=64&q=75', 'GET, HEAD, OPTIONS'],
  ['GET', '/sign-in', 'POST, OPTIONS'],
  ['TRACE', '/api/health', 'GET, HEAD, OPTIONS'],
  ['QUERY', '/api/v1/targets', 'GET, POST, HEAD, OPTIONS'],
  ['PROPFIND', '/api/ingest/results', 'POST, OPTIONS'],
])('%s %s is refused, with what is allowed', async (method, target, allow) => {
  const { status, headers, body } = await send({ method, target });
  expect(status).toBe(405);
  expect(headers).toMatch(new RegExp(`^allow: ${allow}$`, 'im'));
  expect(body).toContain(`"detail":"${method} is not allowed here; ${allow} are."`);
});

it('a broken state of a page is refused by name, and a whole one taken', async () => {
  const ask = (state: string) => send({ target: '/login', headers: ['RSC: 1', `Next-Router-State-Tree: ${state}`] });
  for (const broken of ['%', 'x', '%5B%5D', 'null']) {
    const { status, body } = await ask(broken);
    expect([status, JSON.parse(body).detail]).toEqual([
      400,
      'The header next-router-state-tree is not the state of a page.',
    ]);
  }
  const whole = ['', { children: ['login', { children: ['__PAGE__', {}, null, null] }, null, null] }, null, null, 16];
  expect((await ask(encodeURIComponent(JSON.stringify(whole)))).status).toBe(200);
  expect((await send({ target: '*' })).status).toBe(400);
  expect((await send({ method: 'OPTIONS', target: '*' })).status).toBe(204);
});

it.each(['/', '/nothing', '/_next/hmr', '/api/v1/targets', 'http://127.0.0.1:9/x'])(
  'an upgrade to another protocol is a request as any other: %s',
  async (target) => {
    const asked = { target, headers: ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'] };
    expect([200, 308, 401, 404]).toContain((await send(asked)).status);
  },
);

it.each(['/api/health', '/login', '/api/v1/session'])(
  'a request in absolute form is served as any other: %s',
  async (path) => {
    const asked = { target: `HTTP://monitor.example.org:80${path}`, headers: ['Origin: http://monitor.example.org'] };
    expect((await send(asked)).status).toBe(200);
    // Its host counts, not that of `Host`, which is 127.0.0.1 here.
    const body = 'password=wrong';
    const headers = [
      ...asked.headers,
      'Content-Type: application/x-www-form-urlencoded',
      `Content-Length: ${body.length}`,
    ];
    const form = { method: 'POST', target: 'http://monitor.example.org/sign-in', headers, body };
    expect((await send(form)).status).toBe(303);
    expect((await send({ ...form, target: 'http://other.example/sign-in' })).status).toBe(403);
  },
);

const curlVersion = spawnSync('curl', ['--version'], { encoding: 'utf8' }).stdout ?? '';
it.skipIf(!/^Features:.* HTTP2 /m.test(curlVersion))(
  'curl is served when it asks for HTTP/2, or through us as a proxy',
  () => {
    const curl = (...args: string[]) => {
      const write = ['--silent', '--show-error', '--write-out', '\n%{http_code} %{http_version}', '--noproxy', ''];
      return spawnSync('curl', [...write, ...args], {
        encoding: 'utf8',
        env: { NODE_ENV: 'test', PATH: process.env.PATH },
      })
        .stdout.split('\n')
        .at(-1);
    };
    const { baseUrl } = api.server;
    for (const path of ['/api/health', '/login', '/api/v1/targets']) {
      expect(curl('--http2', baseUrl + path)).toBe('200 1.1');
      expect(curl('--proxy', baseUrl, `http://monitor.example.org${path}`)).toBe('200 1.1');
    }
    expect(curl('--http2', '--data', 'password=wrong', `${baseUrl}/sign-in`)).toBe('303 1.1');
  },
);

it('a connection stays open for the 75 s after an answer that load balancers count on', async () => {
  const { headers } = await exchange(`GET /api/health HTTP/1.1\r\nHost: x\r\n\r\nGET /api/health HTTP/1.0\r\n\r\n`);
  expect(headers).toMatch(/^keep-alive: timeout=75$/im);
});
