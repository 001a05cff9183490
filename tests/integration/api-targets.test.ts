import { describe, expect, it } from 'vitest';
import type { Problem } from '#contract/problem.ts';
import type { Target } from '#contract/target.ts';
import { getPrisma } from '#server/database/database.ts';
import type { Answer, Ask } from '../support/openapi.ts';
import { insertProber } from '../support/places.ts';
import { prepareApi } from '../support/prepare.ts';
import { makeVantage } from '../support/vantages.ts';

const api = prepareApi();

const URL_OK = 'https://shop.example.org/';
const NOBODY = '01970000-0000-7000-8000-000000000000';
const post = (body: unknown, ask: Ask = {}) => api.ask('POST', '/api/v1/targets', { body, ...ask });
const fieldsOf = (answer: Answer) => (answer.json as Problem).errors?.map(({ field }) => field);
const targetCount = () => getPrisma().target.count();

describe('targets', () => {
  it('refuses a vantage that does not exist, and names the unknown id of a path', async () => {
    const body = { url: 'https://vantage.example/', vantages: { vantageIds: [NOBODY] } };
    const refused = await api.ask('POST', '/api/v1/targets', { body });
    expect(refused.status).toBe(400);
    expect(refused.json).toMatchObject({ errors: [{ field: 'vantages.vantageIds.0' }] });
    const unknown = await api.ask('GET', `/api/v1/targets/${NOBODY}`);
    expect(unknown.json).toMatchObject({ status: 404, errors: [{ field: 'id' }] });
  });

  it('are created with defaults, read, changed and deleted', async () => {
    const created = await post({ url: URL_OK });
    expect(created.status).toBe(201);
    const target = created.json as Target;
    expect(target).toMatchObject({ name: 'shop.example.org', periodSeconds: 60, enabled: true, demo: false });
    const path = `/api/v1/targets/${target.id}`;
    expect(created.headers.get('location')).toBe(path);
    const changed = await api.ask('PATCH', path, { body: { periodSeconds: 30, settings: { tlsVersion: '1.2' } } });
    expect(changed.json).toMatchObject({
      url: URL_OK,
      periodSeconds: 30,
      settings: { tlsVersion: '1.2', verify: true },
    });
    expect((await api.ask('GET', path)).json).toEqual(changed.json);
    expect((await api.ask('DELETE', path)).status).toBe(204);
    expect((await api.ask('GET', path)).status).toBe(404);
    expect((await api.ask('DELETE', path)).status).toBe(404);
    expect((await api.ask('PATCH', path, { body: { enabled: false } })).status).toBe(404);
  });

  it('come in pages, each target once', async () => {
    for (const n of [1, 2, 3, 4, 5]) await post({ url: `https://page${n}.example.org/` });
    const names: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await api.ask('GET', `/api/v1/targets?limit=2${cursor && `&cursor=${cursor}`}`);
      const { data, nextCursor } = page.json as { data: Target[]; nextCursor: string | null };
      names.push(...data.map(({ name }) => name));
      cursor = nextCursor;
    }
    expect(names).toEqual([1, 2, 3, 4, 5].map((n) => `page${n}.example.org`));
  });
});

it('targets, vantages, alert rules and webhooks are listed by a name, exactly', async () => {
  await insertProber([makeVantage('CN-GD', 'telecom'), makeVantage('CN-GD', 'unicom')]);
  for (const name of ['named', 'named too']) {
    await post({ url: URL_OK, name });
    const url = 'https://hook.example.org/';
    expect(await api.ask('POST', '/api/v1/webhooks', { body: { format: 'standard', name, url } })).toMatchObject({
      status: 201,
    });
  }
  for (const list of ['targets', 'vantages', 'alert-rules', 'webhooks']) {
    const asked = async (query: string) =>
      (await api.ask('GET', `/api/v1/${list}${query}`)).json as { data: { name: string }[] };
    const all = (await asked('')).data.map(({ name }) => name);
    const name = all.at(-1) ?? '';
    expect(all.length, list).toBeGreaterThan(1);
    expect(
      (await asked(`?name=${encodeURIComponent(name)}`)).data.map((each) => each.name),
      list,
    ).toEqual([name]);
    expect(await asked(`?name=${encodeURIComponent(name)}%20`), list).toMatchObject({ data: [], nextCursor: null });
  }
});

describe('tags', () => {
  it('of targets are set, changed and taken away, and the list can be asked for one', async () => {
    const made = await post({ url: 'https://tagged.example.org/', tags: ['team/支付', 'cdn'] });
    expect(made.json).toMatchObject({ tags: ['team/支付', 'cdn'] });
    const path = `/api/v1/targets/${(made.json as Target).id}`;
    const other = await post({ url: 'https://other.example.org/', tags: ['cdn'] });
    const tagged = async (tag: string) =>
      ((await api.ask('GET', `/api/v1/targets?tag=${encodeURIComponent(tag)}`)).json as { data: Target[] }).data.map(
        ({ name }) => name,
      );
    expect(await tagged('cdn')).toEqual(['tagged.example.org', 'other.example.org']);
    expect(await tagged('team/支付')).toEqual(['tagged.example.org']);
    expect(await tagged('CDN')).toEqual([]);
    // What a change leaves out stays.
    expect((await api.ask('PATCH', path, { body: { enabled: false } })).json).toMatchObject({
      tags: ['team/支付', 'cdn'],
    });
    expect((await api.ask('PATCH', path, { body: { tags: [] } })).json).toMatchObject({ tags: [] });
    expect(await tagged('team/支付')).toEqual([]);
    for (const { id } of [made.json, other.json] as Target[]) await api.ask('DELETE', `/api/v1/targets/${id}`);
  });

  it.each([
    ['two words', ['two words'], 'tags.0'],
    ['an empty one', [''], 'tags.0'],
    ['one of 41 characters', ['x'.repeat(41)], 'tags.0'],
    ['one twice', ['a', 'a'], 'tags'],
    ['21 of them', Array.from({ length: 21 }, (_, n) => `t${n}`), 'tags'],
  ])('are refused: %s', async (_name, tags, field) => {
    const refused = await post({ url: URL_OK, tags });
    expect([refused.status, fieldsOf(refused)]).toEqual([400, [field]]);
  });
});

describe('a bad target', () => {
  it.each([
    ['a URL that is none', { url: 'shop.example.org' }, 'url'],
    ['a URL that is not https', { url: 'http://shop.example.org/' }, 'url'],
    ['a port out of range', { url: 'https://shop.example.org:70000/' }, 'url'],
    ['NUL in the name', { url: URL_OK, name: 'a\0b' }, 'name'],
    ['NUL in the URL', { url: `${URL_OK}\0` }, 'url'],
    ['half a surrogate pair in the name', { url: URL_OK, name: 'a\ud800b' }, 'name'],
    ['roots that are no certificates', { url: URL_OK, settings: { caPem: 'PEM' } }, 'settings.caPem'],
    ['a user name in the URL', { url: 'https://a:b@shop.example.org/' }, 'url'],
    ['no URL', {}, 'url'],
    ['an unknown field', { url: URL_OK, colour: 'red' }, 'colour'],
    ['an unknown field of a part', { url: URL_OK, settings: { alpns: [] } }, 'settings.alpns'],
    ['a period too short', { url: URL_OK, periodSeconds: 1 }, 'periodSeconds'],
    ['a period that is text', { url: URL_OK, periodSeconds: '60' }, 'periodSeconds'],
    ['a time-out too long', { url: URL_OK, settings: { timeouts: { tls: 600_000 } } }, 'settings.timeouts.tls'],
    ['a region that is none', { url: URL_OK, vantages: { regions: ['Guangdong'] } }, 'vantages.regions.0'],
    ['a body that is no object', 'https://shop.example.org/', 'body'],
    ['a loopback name', { url: 'https://localhost/' }, 'url'],
    ['a loopback address', { url: 'https://127.0.0.1/' }, 'url'],
    ['a loopback address in disguise', { url: 'https://0x7f.1/' }, 'url'],
    ['an IPv6 loopback address', { url: 'https://[::1]/' }, 'url'],
    ['an IPv4 address mapped to IPv6', { url: 'https://[::ffff:10.0.0.1]/' }, 'url'],
    ['the address of a cloud’s metadata', { url: 'https://169.254.169.254/' }, 'url'],
    ['a fixed private address', { url: URL_OK, settings: { address: '192.168.1.1' } }, 'settings.address'],
  ])('is refused with the field named and nothing stored: %s', async (_, body, field) => {
    const before = await targetCount();
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(fieldsOf(answer)).toEqual([field]);
    expect((answer.json as Problem).detail).toContain(field);
    expect(await targetCount()).toBe(before);
  });

  it('cannot come in by a change either', async () => {
    const { id } = (await post({ url: 'https://patched.example.org/' })).json as Target;
    const path = `/api/v1/targets/${id}`;
    expect(fieldsOf(await api.ask('PATCH', path, { body: { url: 'https://10.1.2.3/' } }))).toEqual(['url']);
    expect(fieldsOf(await api.ask('PATCH', path, { body: { demo: true } }))).toEqual(['demo']);
    expect((await api.ask('GET', path)).json).toMatchObject({ url: 'https://patched.example.org/' });
  });
});

describe('a bad request', () => {
  const json = { 'content-type': 'application/json' };

  it('with malformed JSON is refused', async () => {
    const answer = await api.ask('POST', '/api/v1/targets', { raw: '{"url": ', headers: json });
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['body']]);
    expect((await api.ask('POST', '/api/v1/targets', { raw: '', headers: json })).status).toBe(400);
  });

  it('with a body of another type is refused', async () => {
    expect(
      (await api.ask('POST', '/api/v1/targets', { raw: 'url=x', headers: { 'content-type': 'text/plain' } })).status,
    ).toBe(415);
    const encoded = { ...json, 'content-encoding': 'br' };
    expect((await api.ask('POST', '/api/v1/targets', { raw: '{}', headers: encoded })).status).toBe(415);
  });

  it('with a body over a mebibyte is refused, announced or streamed', async () => {
    const large = JSON.stringify({ url: URL_OK, name: 'x'.repeat(1024 * 1024) });
    expect((await api.ask('POST', '/api/v1/targets', { raw: large, headers: json })).status).toBe(413);
    const streamed = new Blob([large]).stream();
    expect((await api.ask('POST', '/api/v1/targets', { raw: streamed, headers: json })).status).toBe(413);
  });

  it('with bad parameters is refused with their names', async () => {
    const field = async (query: string) => {
      const answer = await api.ask('GET', `/api/v1/targets?${query}`);
      expect(answer.status).toBe(400);
      return fieldsOf(answer)?.[0];
    };
    expect(await field('limit=0')).toBe('limit');
    expect(await field('limit=1001')).toBe('limit');
    expect(await field('limit=ten')).toBe('limit');
    expect(await field('limit=1&limit=2')).toBe('limit');
    expect(await field('colour=red')).toBe('colour');
    expect(await field('cursor=made-up')).toBe('cursor');
    expect(await field('cursor=')).toBe('cursor');
  });

  it('for an id that is none, or that is unknown, says which', async () => {
    const bad = await api.ask('GET', '/api/v1/targets/17');
    expect([bad.status, fieldsOf(bad)]).toEqual([400, ['id']]);
    expect((await api.ask('GET', `/api/v1/targets/${NOBODY}`)).status).toBe(404);
    expect((await api.ask('GET', '/api/v1/nothing')).status).toBe(404);
    expect((await api.ask('GET', '/api/nothing/at/all')).headers.get('content-type')).toBe('application/problem+json');
  });

  it('with another method learns which are allowed', async () => {
    const answer = await api.ask('PUT', '/api/v1/targets', { body: {} });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, POST, HEAD, OPTIONS']);
    expect((answer.json as Problem).type).toBe('urn:roundtrip:problem:method-not-allowed');
    expect((await api.ask('DELETE', '/api/v1/targets')).status).toBe(405);
    expect((await api.ask('OPTIONS', '/api/v1/targets')).headers.get('allow')).toBe('GET, POST, HEAD, OPTIONS');
  });
});
