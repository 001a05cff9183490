import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Problem } from '#contract/problem.ts';
import { ServiceError } from '#server/environment/errors.ts';
import { BODY_WITHIN_MS, BodyTimeoutError, MediaTypeError, readJson } from '#server/http/body.ts';
import { parsePart, queryObject } from '#server/http/parse.ts';
import { problem, problemOf } from '#server/http/problem.ts';

// The faults below are on purpose: they need not fill the log.
vi.hoisted(() => {
  process.env.LOG_LEVEL = 'silent';
});

const thrown = async (work: () => unknown): Promise<unknown> => {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
};
const post = (body: BodyInit, headers: Record<string, string> = {}) =>
  new Request('http://x/', { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });

describe('a problem', () => {
  it('is RFC 9457: type, title, status and detail', async () => {
    const response = problem('invalid', 'url is not a URL', [{ field: 'url', message: 'is not a URL' }]);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(Problem.parse(await response.json())).toMatchObject({ status: 400, type: 'urn:roundtrip:problem:invalid' });
  });

  it.each([
    ['invalid', 400],
    ['unauthorised', 401],
    ['forbidden', 403],
    ['not_found', 404],
    ['conflict', 409],
    ['too_large', 413],
    ['rate_limited', 429],
    ['unavailable', 503],
  ] as const)('maps %s to %i', (code, status) => {
    expect(problemOf(new ServiceError(code, 'a reason')).status).toBe(status);
  });

  it.each(['53100', '53200', '53300', '53400', '58030', '58P01', '25006', '57P01', '57P03'])(
    'is 503 with retry-after where the database says %s, by pg or by Prisma',
    async (code) => {
      const pg = Object.assign(new Error('could not extend file'), { code });
      const adapter = Object.assign(new Error('it failed'), { cause: { kind: 'postgres', originalCode: code, code } });
      const prisma = Object.assign(new Error('it failed'), { code: 'P2010', meta: { driverAdapterError: adapter } });
      for (const error of [pg, adapter, prisma]) {
        const response = problemOf(error);
        expect(response.status).toBe(503);
        expect(response.headers.get('retry-after')).toBe('5');
        expect(Problem.parse(await response.json()).type).toBe('urn:roundtrip:problem:unavailable');
      }
    },
  );

  it('tells a database that is away from a fault of ours, however deep the cause lies', () => {
    const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    expect(problemOf(new Error('query failed', { cause: refused })).status).toBe(503);
  });

  it('does not tell the caller what went wrong inside', async () => {
    const response = problemOf(new Error('password of the database is swordfish'));
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('swordfish');
  });
});

describe('a part of a request', () => {
  const schema = z.strictObject({ a: z.object({ b: z.array(z.number()) }) });

  it('names bad fields with their paths', async () => {
    const error = await thrown(() => parsePart(schema, { a: { b: [1, 'x'] }, c: 1 }, 'body'));
    expect(error).toMatchObject({ code: 'invalid' });
    expect((error as ServiceError).fields?.map(({ field }) => field)).toEqual(['a.b.1', 'c']);
  });

  it('says what a value of several kinds may be, and not that it is wrong alone', async () => {
    const family = z.union([z.literal(4), z.literal(6)]).nullable();
    const several = z.strictObject({ family, address: z.union([z.ipv4(), z.ipv6()]).nullable() });
    const error = await thrown(() => parsePart(several, { family: 5, address: 'x' }, 'body'));
    expect((error as ServiceError).fields).toEqual([
      { field: 'family', message: 'is wrong: invalid input: expected 4, or expected 6' },
      { field: 'address', message: 'is wrong: invalid IPv4 address, or invalid IPv6 address' },
    ]);
  });

  it('refuses a query parameter that is given twice', async () => {
    const error = await thrown(() => queryObject(new URLSearchParams('a=1&a=2')));
    expect((error as ServiceError).fields).toEqual([{ field: 'a', message: 'is given more than once' }]);
  });
});

describe('a body', () => {
  it('is read plain and gzipped', async () => {
    expect(await readJson(post('{"a": 1}'))).toEqual({ a: 1 });
    expect(await readJson(post(gzipSync('{"a": 1}'), { 'content-encoding': 'gzip' }))).toEqual({ a: 1 });
  });

  it('that unpacks to more than the limit is refused without unpacking it all', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    const error = await thrown(() => readJson(post(bomb, { 'content-encoding': 'gzip' }), 1024 * 1024));
    expect(bomb.byteLength).toBeLessThan(100_000);
    expect(error).toMatchObject({ code: 'too_large' });
  });

  it.each([
    ['text that is not JSON', post('{')],
    ['nothing', post('')],
    ['bytes that are not UTF-8', post(Uint8Array.of(0x22, 0xff, 0x22))],
    ['gzip that is none', post('{}', { 'content-encoding': 'gzip' })],
    ['gzip cut short', post(gzipSync('{"a": 1}').subarray(0, 12), { 'content-encoding': 'gzip' })],
  ])('of %s is refused', async (_, request) => {
    expect(await thrown(() => readJson(request))).toMatchObject({ code: 'invalid', fields: [{ field: 'body' }] });
  });

  it('that does not end is given up as its sender’s, not as a fault', async () => {
    vi.useFakeTimers();
    try {
      const endless = new Request('http://localhost/', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: new ReadableStream(),
        duplex: 'half',
      } as RequestInit);
      const error = thrown(() => readJson(endless));
      await vi.advanceTimersByTimeAsync(BODY_WITHIN_MS);
      expect(await error).toBeInstanceOf(BodyTimeoutError);
      expect(await problemOf(await error).json()).toMatchObject({
        status: 408,
        type: 'urn:roundtrip:problem:timed-out',
        detail: 'The body did not arrive within 60 s: send it again.',
      });
    } finally {
      vi.useRealTimers();
    }
  });

  it('of another type is refused', async () => {
    expect(await thrown(() => readJson(post('{}', { 'content-type': 'text/plain' })))).toBeInstanceOf(MediaTypeError);
    expect(await thrown(() => readJson(post('{}', { 'content-encoding': 'br' })))).toBeInstanceOf(MediaTypeError);
  });
});
