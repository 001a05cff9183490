import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Target } from '#contract/target.ts';
import { getPool } from '#server/database/database.ts';
import { MAX_CHANGES_AT_ONCE } from '#server/http/conditional.ts';
import { prepareApi } from '../support/prepare.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let other: TestServer;
const api = prepareApi({ ROUNDTRIP_RATE_LIMIT: '100000' });
beforeAll(async () => {
  other = await startTestServer({ env: { ROUNDTRIP_RATE_LIMIT: '100000' } });
});
afterAll(async () => {
  await other.stop();
});

type Sent = { method?: string; headers?: Record<string, string>; body?: unknown; key?: string; base?: string };

/** A request with headers of its own, to either of the two servers. */
async function send(path: string, { method = 'GET', headers = {}, body, key = api.keys.write, base }: Sent = {}) {
  const response = await fetch((base ?? api.server.baseUrl) + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = text === '' ? null : JSON.parse(text);
  return { status: response.status, etag: response.headers.get('etag') ?? '', text, json };
}

async function makeTarget(name: string): Promise<string> {
  const { json } = await send('/api/v1/targets', {
    method: 'POST',
    body: { name, url: `https://${name}.example.org` },
  });
  return `/api/v1/targets/${(json as Target).id}`;
}

describe('a read', () => {
  test('has an ETag, and is answered 304 without a body while nothing changed', async () => {
    const path = await makeTarget('read');
    const first = await send(path);
    expect(first.etag).toMatch(/^"[\w-]{27}"$/);
    for (const tag of [first.etag, `W/${first.etag}`, `"another", ${first.etag}`, '*'])
      expect(await send(path, { headers: { 'if-none-match': tag } })).toMatchObject({
        status: 304,
        text: '',
        etag: first.etag,
      });
    await send(path, { method: 'PATCH', body: { periodSeconds: 120 } });
    const next = await send(path, { headers: { 'if-none-match': first.etag } });
    expect(next).toMatchObject({ status: 200, json: { periodSeconds: 120 } });
    expect(next.etag).not.toBe(first.etag);
  });

  test('of a list has one too, and a refusal has none', async () => {
    const { etag } = await send('/api/v1/targets');
    expect(await send('/api/v1/targets', { headers: { 'if-none-match': etag } })).toMatchObject({ status: 304 });
    expect(await send('/api/v1/targets?limit=0')).toMatchObject({ status: 400, etag: '' });
  });
});

describe('a change with If-Match', () => {
  test('is made where nothing changed since, and refused with 412 where something did, which stays', async () => {
    const path = await makeTarget('changed');
    const { etag } = await send(path);
    const change = (periodSeconds: number) =>
      send(path, { method: 'PATCH', headers: { 'if-match': etag }, body: { periodSeconds } });
    expect(await change(120)).toMatchObject({ status: 200, json: { periodSeconds: 120 } });
    const refused = await change(180);
    expect(refused).toMatchObject({ status: 412, json: { type: 'urn:roundtrip:problem:precondition-failed' } });
    expect(await send(path, { method: 'DELETE', headers: { 'if-match': etag } })).toMatchObject({ status: 412 });
    expect(await send(path)).toMatchObject({ status: 200, json: { periodSeconds: 120 } });
    const { etag: now } = await send(path);
    expect(await send(path, { method: 'DELETE', headers: { 'if-match': now } })).toMatchObject({ status: 204 });
    expect(await send(path, { method: 'DELETE', headers: { 'if-match': now } })).toMatchObject({ status: 404 });
  });

  test('of twenty at once by two servers is made once', async () => {
    const path = await makeTarget('raced');
    const { etag } = await send(path);
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        send(path, {
          method: 'PATCH',
          headers: { 'if-match': etag },
          body: { periodSeconds: 60 + n + 1 },
          base: n % 2 === 0 ? api.server.baseUrl : other.baseUrl,
        }),
      ),
    );
    const made = all.filter(({ status }) => status === 200);
    expect(made).toHaveLength(1);
    expect(all.filter(({ status }) => status === 412)).toHaveLength(19);
    expect((await send(path)).json.periodSeconds).toBe(made[0]?.json.periodSeconds);
  });

  test('is no way around a scope', async () => {
    const path = await makeTarget('scoped');
    const { etag } = await send(path, { key: api.keys.read });
    const sent = { method: 'PATCH', headers: { 'if-match': etag }, body: { periodSeconds: 120 }, key: api.keys.read };
    expect(await send(path, sent)).toMatchObject({ status: 403 });
  });

  test('that would be refused without it is refused as without it', async () => {
    const path = await makeTarget('wrong');
    const headers = { 'if-match': '"another"' };
    const change = (sent: Sent) => send(path, { method: 'PATCH', headers, ...sent });
    expect(await change({ body: { periodSeconds: 120 }, key: api.keys.read })).toMatchObject({ status: 403 });
    expect(await change({})).toMatchObject({ status: 415 });
    expect(await change({ body: { periodSeconds: 1 } })).toMatchObject({ status: 400 });
    expect(await change({ body: { periodSeconds: 120 } })).toMatchObject({ status: 412 });
  });

  test('of the configuration is made where nothing changed since, as the document says', async () => {
    const path = '/api/v1/configuration';
    const { headers } = await api.ask('GET', path);
    const put = (etag: string) => api.ask('PUT', path, { body: {}, headers: { 'if-match': etag } });
    expect(await put('"another"')).toMatchObject({ status: 412 });
    expect(await put(headers.get('etag') ?? '')).toMatchObject({ status: 200 });
  });

  test('whose body is slow holds no other back', async () => {
    const path = await makeTarget('slow');
    const { etag } = await send(path);
    const body = new TransformStream<Uint8Array>();
    const writer = body.writable.getWriter();
    const slow = api.ask('PATCH', path, {
      raw: body.readable,
      headers: { 'if-match': etag, 'content-type': 'application/json' },
    });
    await writer.write(new TextEncoder().encode('{"periodSeconds": 120'));
    const swift = { method: 'PATCH', headers: { 'if-match': etag }, body: { periodSeconds: 180 } };
    expect(await send(path, swift)).toMatchObject({ status: 200 });
    await writer.write(new TextEncoder().encode('}'));
    await writer.close();
    expect(await slow).toMatchObject({ status: 412 });
  });

  test(`waits for its turn among ${MAX_CHANGES_AT_ONCE}; another is asked to come again, and later ones have their turn`, async () => {
    const path = await makeTarget('queued');
    const { etag } = await send(path);
    const change = () => send(path, { method: 'PATCH', headers: { 'if-match': etag }, body: { periodSeconds: 120 } });
    // Somebody else has the row: the first change waits for it, and all others for the first.
    const client = await getPool().connect();
    await client.query('begin');
    await client.query('select from target where id = $1 for update', [path.slice(-36)]);
    const all = Array.from({ length: MAX_CHANGES_AT_ONCE + 1 }, change);
    const refused = await Promise.race(all);
    await client.query('rollback');
    client.release();
    expect(refused).toMatchObject({ status: 429, json: { detail: expect.stringContaining('send it again') } });
    const statuses = (await Promise.all(all)).map(({ status }) => status).toSorted();
    expect(statuses).toEqual([200, ...Array(MAX_CHANGES_AT_ONCE - 1).fill(412), 429]);
    expect(await change()).toMatchObject({ status: 412 });
  });
});
