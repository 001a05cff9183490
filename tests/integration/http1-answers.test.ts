import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:tls';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Result } from '#contract/result.ts';
import type { ProbeSettings } from '#contract/target.ts';
import { realEnvironment } from '#probe/environment.ts';
import { MAX_HEADER_BYTES } from '#probe/http/exchange.ts';
import { measureSequence } from '#probe/sequence.ts';
import { type Authority, createAuthority, issue } from '../support/pki.ts';
import { forThisTest, type Listening, listen, probe, requestFor } from '../support/probing.ts';

let root: Authority;

beforeAll(async () => {
  root = await createAuthority({ name: 'HTTP/1 root', key: 'ec' });
});

/** Answers each request of a connection with these very bytes, each piece in a record of its own; then ends it if it is to. */
async function saying(pieces: string[], { stays = false } = {}): Promise<Listening & { accepted: () => number }> {
  const identity = await issue(root, { names: ['localhost'] });
  let accepted = 0;
  const server = createTlsServer({ key: identity.keyPem, cert: identity.chainPem }, (socket) => {
    accepted += 1;
    socket.on('error', () => {});
    socket.on('data', async () => {
      for (const piece of pieces) {
        if (socket.write(piece, 'latin1')) await new Promise(setImmediate);
        else await once(socket, 'drain');
      }
      if (!stays) socket.end();
    });
  });
  return { ...(await forThisTest(listen(server))), accepted: () => accepted };
}

const lines = (...all: string[]) => all.map((line) => `${line}\r\n`).join('');
const OK = 'HTTP/1.1 200 OK';
const CHUNKED = 'transfer-encoding: chunked';
const BODY = 'hello world';

type Row = [
  what: string,
  answer: string,
  oddities: string | null,
  want?: { status?: number; version?: '1.0'; body?: string; method?: 'HEAD' },
];
const TAKEN: Row[] = [
  ['is in order', lines(OK, 'content-length: 11', '') + BODY, null],
  ['folds header lines', lines(OK, 'x-a: b', ' c', '\td', 'content-length:', ' 11', '') + BODY, 'folded_header'],
  ['ends its lines with LF alone', `${OK}\ncontent-length: 11\n\n${BODY}`, 'bare_lf'],
  ['is chunked with LF alone', `${OK}\n${CHUNKED}\n\n5\nhello\n6\n world\n0\n\n`, 'bare_lf'],
  ['has bytes behind its length', `${lines(OK, 'content-length: 11', '') + BODY}more`, 'excess_bytes'],
  ['has bytes behind its last chunk', `${lines(OK, CHUNKED, '', 'b', BODY, '0', '')}more`, 'excess_bytes'],
  ['has a body for HEAD', lines(OK, 'content-length: 11', '') + BODY, 'unexpected_body', { method: 'HEAD', body: '' }],
  ['has a body with 204', lines('HTTP/1.1 204 X', '') + BODY, 'unexpected_body', { status: 204, body: '' }],
  [
    'has a chunked body with 304',
    lines('HTTP/1.1 304 X', CHUNKED, '', 'b', BODY, '0', ''),
    'unexpected_body',
    { status: 304, body: '' },
  ],
  ['is chunked beside a length', lines(OK, 'content-length: 3', CHUNKED, '', 'b', BODY, '0', ''), 'both_lengths'],
  ['says its length on two lines', lines(OK, 'content-length: 11', 'content-length: 11', '') + BODY, 'repeated_length'],
  ['says its length twice on a line', lines(OK, 'content-length: 11, 11', '') + BODY, 'repeated_length'],
  [
    'has a space after a chunk size',
    lines(OK, CHUNKED, '', '5 ', 'hello', '6  ', ' world', '0', ''),
    'chunk_size_space',
  ],
  ['has white space behind `chunked`', lines(OK, `${CHUNKED} \t`, '', 'b', BODY, '0', ''), null],
  [
    'has chunk extensions and trailers',
    lines(OK, CHUNKED, '', '5 ; a=b', 'hello', '6;c', ' world', '0', 'x-y: z', ''),
    null,
  ],
  ['has `chunked` behind another coding', lines(OK, 'transfer-encoding: gzip, Chunked', '', 'b', BODY, '0', ''), null],
  ['says that its coding is none', lines(OK, 'transfer-encoding: identity', 'content-length: 11', '') + BODY, null],
  ['has a space before a colon', lines(OK, 'content-length : 11', '') + BODY, 'header_characters'],
  [
    'has control characters in a header',
    lines(OK, 'server: a\rb\x01c', 'content-length: 11', '') + BODY,
    'header_characters',
  ],
  ['has another version', lines('HTTP/1.2 200 OK', 'content-length: 11', '') + BODY, null],
  ['has no reason', lines('HTTP/1.1 200', 'content-length: 11', '') + BODY, null],
  [
    'follows hints and an empty line',
    lines('', 'HTTP/1.1 103 X', 'link: </a>', '', OK, 'content-length: 11', '') + BODY,
    null,
  ],
  ['ends with the connection', lines(OK, '') + BODY, null],
  ['is of HTTP/1.0 and ends with the connection', lines('HTTP/1.0 200 OK', '') + BODY, null, { version: '1.0' }],
  ['has a status line in lower case', lines('http/1.1 200 ok', 'content-length: 11', '') + BODY, 'status_line'],
  ['calls itself HTTP/2', lines('HTTP/2 200', 'content-length: 11', '') + BODY, 'status_line'],
  ['calls itself HTTP/2.0', lines('HTTP/2.0 200 OK', CHUNKED, '', 'b', BODY, '0', ''), 'status_line'],
  ['calls its hints HTTP/2', lines('HTTP/2 103', '', OK, 'content-length: 11', '') + BODY, 'status_line'],
  ['ends its lines with CR CR LF', `${OK}\r\r\ncontent-length: 11\r\r\n\r\r\n${BODY}`, 'repeated_cr'],
  ['ends its head with CR CR CR LF', `${lines(OK, 'content-length: 11')}\r\r\r\n${BODY}`, 'repeated_cr'],
  [
    'ends lines around its chunks with CR CR LF',
    `${lines(OK, CHUNKED, '')}5\r\r\nhello\r\r\n6;a\r\r\n world\r\r\n0\r\r\n\r\n`,
    'repeated_cr',
  ],
  ['has white space behind its length', lines(OK, 'content-length: 11 \t', '') + BODY, null],
  ...['+11', '11;', '11; q=1', '11 bytes', '11.0', '11,', '+011, 11;'].map(
    (length): Row => [
      `has the length ${length}`,
      lines(OK, `content-length: ${length}`, '') + BODY,
      /, ./.test(length) ? 'repeated_length length_characters' : 'length_characters',
    ],
  ),
  ['is odd in several ways', `${lines(OK, 'x-a: b', ' c')}content-length: 11\n\r\n${BODY}`, 'folded_header bare_lf'],
];

describe('an answer of HTTP/1 that clients take', () => {
  for (const whole of [true, false])
    it.each(TAKEN)(`%s${whole ? '' : ', byte by byte'}`, async (_, answer, oddities, want = {}) => {
      const { status = 200, version = '1.1', body = BODY, method = 'GET' } = want;
      const server = await saying(whole ? [answer] : [...answer]);
      const settings: Partial<ProbeSettings> = {
        caPem: root.certPem,
        request: { method, headers: [], body: null },
        expect: { status: ['2xx', '304'], bodyContains: body || null, bodyLacks: '\n' },
      };
      const { result } = await probe(server.url, { settings });
      expect(result.failure).toBeNull();
      expect(result.http).toMatchObject({ status, version, bytes: body.length });
      const found = result.findings.find(({ code }) => code === 'http_malformed');
      // What follows a whole answer in a record of its own may come after the probe.
      if (whole || !/excess|unexpected/.test(oddities ?? '')) expect(found?.values?.oddities ?? null).toBe(oddities);
      if (found) expect(found).toMatchObject({ severity: 'warning', evidence: expect.stringContaining('RFC 9112') });
    });

  it('joins what was folded, and keeps bytes of UTF-8', async () => {
    const folded = Buffer.from('/登录').toString('latin1');
    const server = await saying([lines('HTTP/1.1 302 X', 'server: a', '  b', ''), 'never']);
    const there = await saying([
      lines('HTTP/1.1 302 X', 'Server:a', '\t b ', 'LOCATION:', ` ${folded}`, 'content-length:0', ''),
    ]);
    const settings = { caPem: root.certPem };
    expect((await probe(there.url, { settings })).result.http).toMatchObject({ server: 'a b', location: '/登录' });
    expect((await probe(server.url, { settings })).result.http).toMatchObject({ server: 'a b', location: null });
  });
});

describe('an answer of HTTP/1 that is refused', () => {
  const big = (bytes: number) => `x: ${'y'.repeat(bytes - 5)}`;
  it.each([
    ['ends within its length', lines(OK, 'content-length: 12', '') + BODY, 'download', 'http_closed', 'after 11 of 12'],
    ['ends within a chunk', lines(OK, CHUNKED, '', 'c') + BODY, 'download', 'http_closed', 'after 11 bytes'],
    ['ends without its last chunk', lines(OK, CHUNKED, '', 'b', BODY), 'download', 'http_closed', 'after 11 bytes'],
    ['ends within its trailers', lines(OK, CHUNKED, '', 'b', BODY, '0', 'x: y'), 'download', 'http_closed', ''],
    ['ends within its head', lines(OK, 'content-length: 0'), 'firstByte', 'http_closed', 'before it answered'],
    ['is nothing', '', 'firstByte', 'http_closed', 'before it answered'],
    ['is no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'firstByte', 'http_protocol', 'does not begin with HTTP/'],
    ['has no status', lines('HTTP/1.1 OK', ''), 'firstByte', 'http_protocol', 'status line is "HTTP/1.1 OK"'],
    ['has a status below 100', lines('HTTP/1.1 000 X', ''), 'firstByte', 'http_protocol', 'answered with status 0'],
    ['has a status of 4 digits', lines('HTTP/1.1 2000 OK', ''), 'firstByte', 'http_protocol', 'status line'],
    [
      'has two lengths',
      lines(OK, 'content-length: 11', 'content-length: 12', '') + BODY,
      'firstByte',
      'http_protocol',
      'content-length is "11, 12"',
    ],
    ...['-11', '++11', '+ 11', ';11', 'eleven', ', 11', '+', '11;, 12;'].map(
      (length): [string, string, string, string, string] => [
        `has the length ${length}`,
        lines(OK, `content-length: ${length}`, '') + BODY,
        'firstByte',
        'http_protocol',
        `content-length is ${JSON.stringify(length)}`,
      ],
    ),
    ...['HTTP/3.0 200 OK', 'HTTP/2.1 200 OK', 'HTTP/1 200 OK', 'HTTP/1.10 200 OK', 'HTTP/11.1 200 OK'].map(
      (line): [string, string, string, string, string] => [
        `has the status line ${line}`,
        lines(line, 'content-length: 11', '') + BODY,
        'firstByte',
        'http_protocol',
        `its status line is ${JSON.stringify(line)}`,
      ],
    ),
    ['begins with CR CR LF', `\r\r\n${OK}\r\n\r\n`, 'firstByte', 'http_protocol', 'does not begin with HTTP/'],
    [
      'ends its trailers with CR CR LF',
      `${lines(OK, CHUNKED, '', 'b', BODY, '0')}\r\r\n`,
      'download',
      'http_protocol',
      'a line of its trailers ends with CR CR LF',
    ],
    [
      'has more CRs behind a chunk than anybody sends',
      `${lines(OK, CHUNKED, '', 'b')}${BODY}\r\r\r\r\r\n${lines('0', '')}`,
      'download',
      'http_protocol',
      'longer than its size',
    ],
    ['has an empty length', lines(OK, 'content-length:', '') + BODY, 'firstByte', 'http_protocol', 'content-length'],
    ['has a header line without a colon', lines(OK, 'hello', ''), 'firstByte', 'http_protocol', '"hello" has no colon'],
    ['begins with a folded line', lines(OK, ' hello', ''), 'firstByte', 'http_protocol', 'continuation'],
    ['has a byte 0', lines(OK, 'x: a\0b', ''), 'firstByte', 'http_protocol', 'byte 0'],
    [
      'has a chunk longer than its size',
      lines(OK, CHUNKED, '', 'a', BODY, '0', ''),
      'download',
      'http_protocol',
      'longer than its size',
    ],
    [
      'has a chunk size that is none',
      lines(OK, CHUNKED, '', 'b', BODY, 'zz', ''),
      'download',
      'http_protocol',
      'size is "zz"',
    ],
    [
      'has too large a header block',
      lines(OK, big(MAX_HEADER_BYTES - 17 - 2 + 1), ''),
      'firstByte',
      'http_too_large',
      '65536 bytes',
    ],
    [
      'has too many trailers',
      lines(OK, CHUNKED, '', '0', big(MAX_HEADER_BYTES), ''),
      'download',
      'http_too_large',
      '65536',
    ],
  ])('%s', async (_, answer, phase, reason, message) => {
    const server = await saying([answer]);
    const { result } = await probe(server.url, { settings: { caPem: root.certPem } });
    expect(result.failure).toMatchObject({ phase, reason, source: 'target' });
    expect(result.failure?.message).toContain(message);
  });

  it('but not where its header block is as large as it may be', async () => {
    const server = await saying([lines(OK, big(MAX_HEADER_BYTES - 17 - 19 - 2), 'content-length: 0', '')]);
    const { result } = await probe(server.url, { settings: { caPem: root.certPem } });
    expect(result.failure).toBeNull();
  });
});

describe('a connection', () => {
  async function run(url: string): Promise<Result[]> {
    const results: Result[] = [];
    const settings: Partial<ProbeSettings> = { caPem: root.certPem, reuse: true, alpn: ['http/1.1'] };
    await measureSequence(requestFor(url, { settings }), realEnvironment(), (result) => results.push(result));
    return results;
  }

  it.each([
    ['kept', lines(OK, 'content-length: 11', '') + BODY, 1],
    ['kept by HTTP/1.0 that says so', lines('HTTP/1.0 200 X', 'connection: Keep-Alive', 'content-length: 0', ''), 1],
    ['not kept by HTTP/1.0', lines('HTTP/1.0 200 X', 'content-length: 0', ''), 2],
    ['not kept where the head says so', lines(OK, 'connection: x, Close', 'content-length: 0', ''), 2],
    ['not kept with bytes behind the answer', `${lines(OK, 'content-length: 11', '') + BODY}more`, 2],
  ])('is %s', async (_, answer, connections) => {
    const server = await saying([answer], { stays: true });
    const [main, reuse] = await run(server.url);
    expect(main).toMatchObject({ ok: true, http: { keepAlive: connections === 1 } });
    expect(reuse).toMatchObject({ ok: true, variant: 'reuse' });
    expect(server.accepted()).toBe(connections);
  });
});
