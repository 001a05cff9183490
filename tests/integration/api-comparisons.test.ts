import { beforeAll, describe, expect, it } from 'vitest';
import type { Comparison, ComparisonDetail } from '#contract/comparison.ts';
import { computeDue } from '#server/comparisons/compute.ts';
import { getPool } from '#server/database/database.ts';
import { storeTls13 } from '../support/compared.ts';
import { MINUTE } from '../support/comparing.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { insertTarget } from '../support/places.ts';
import { prepareApi } from '../support/prepare.ts';

const iso = (minutes: number) => new Date(WEDNESDAY + minutes * MINUTE).toISOString();
const RANGES = { before: { from: iso(-20), to: iso(0) }, after: { from: iso(0), to: iso(20) } };

let targetId: string;
let comparison: Comparison;
const api = prepareApi({ ROUNDTRIP_RATE_LIMIT: '100000' });
beforeAll(async () => {
  ({ targetId } = await storeTls13({ at: WEDNESDAY, name: 'zz-shop' }));
  await insertTarget({ name: 'zz-secret-target' });
  const marker = { targetId, at: iso(0), title: 'TLS 1.3', compareMinutes: 20 };
  const { status, json } = await api.ask('POST', '/api/v1/markers', { body: marker });
  expect(status).toBe(201);
  const { comparisonId } = json as { comparisonId: string };
  await computeDue();
  comparison = (await api.ask('GET', `/api/v1/comparisons/${comparisonId}`)).json as Comparison;
}, 300_000);

describe('comparisons by the API', () => {
  it('are made with a marker by a deploy hook, and read as JSON and CSV', async () => {
    expect(comparison).toMatchObject({ title: 'TLS 1.3', status: 'ready', headline: { direction: 'faster' } });
    const { figures } = comparison as ComparisonDetail;
    expect(figures?.cells).toHaveLength(5);
    const csv = await api.ask('GET', `/api/v1/exports/comparisons/${comparison.id}`);
    // As it was asked for before there were exports.
    const marked = await fetch(`${api.server.baseUrl}/api/v1/comparisons/${comparison.id}?format=csv&bom=true`, {
      headers: { authorization: `Bearer ${api.keys.read}` },
    });
    expect(Buffer.from(await marked.arrayBuffer()).toString('utf8')).toBe(`\uFEFF${csv.text}`);
    expect(csv.headers.get('content-type')).toContain('text/csv');
    expect(csv.text.split('\r\n')).toHaveLength(18);
    const list = await api.ask('GET', `/api/v1/comparisons?target=${targetId}&status=ready`);
    expect((list.json as { data: Comparison[] }).data.map(({ id }) => id)).toEqual([comparison.id]);
  });

  it('are of two ranges, and name what is wrong with a request', async () => {
    const post = async (body: unknown, key?: string) =>
      api.ask('POST', '/api/v1/comparisons', { body, ...(key ? { key } : {}) });
    const made = await post({ targetId, ...RANGES, milestone: 'handshake' }, api.keys.write);
    expect(made.status).toBe(201);
    expect(made.headers.get('location')).toBe(`/api/v1/comparisons/${(made.json as Comparison).id}`);
    expect((await post({ targetId, ...RANGES }, api.keys.read)).status).toBe(403);
    const fields = async (body: unknown) => {
      const { status, json } = await post(body);
      return [status, ...((json as { errors?: { field: string }[] }).errors ?? []).map(({ field }) => field)];
    };
    expect(await fields({})).toEqual([400, 'markerId']);
    expect(await fields({ targetId, before: RANGES.before })).toEqual([400, 'after']);
    expect(await fields({ ...RANGES })).toEqual([400, 'targetId']);
    expect(await fields({ targetId, ...RANGES, minutes: 20 })).toEqual([400, 'minutes']);
    expect(await fields({ targetId, ...RANGES, after: { from: iso(0), to: iso(4) } })).toEqual([400, 'after.to']);
    expect(await fields({ targetId, ...RANGES, after: { from: iso(0), to: iso(8 * 1_440) } })).toEqual([
      400,
      'after.to',
    ]);
    expect(await fields({ markerId: comparison.markerId, minutes: 4 })).toEqual([400, 'minutes']);
    expect(await fields({ markerId: targetId })).toEqual([404, 'markerId']);
    const everywhere = { title: 'everywhere', compareMinutes: 20 };
    expect((await api.ask('POST', '/api/v1/markers', { body: everywhere })).status).toBe(400);
  });

  it('are deleted', async () => {
    const made = await api.ask('POST', '/api/v1/comparisons', { body: { targetId, ...RANGES } });
    const path = `/api/v1/comparisons/${(made.json as Comparison).id}`;
    expect((await api.ask('DELETE', path, { key: api.keys.read })).status).toBe(403);
    expect((await api.ask('DELETE', path)).status).toBe(204);
    expect((await api.ask('GET', path)).status).toBe(404);
  });
});

describe('a link to a comparison', () => {
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(api.server.baseUrl + path, { redirect: 'manual', headers });
  const share = async () => {
    const { status, json } = await api.ask('POST', `/api/v1/comparisons/${comparison.id}/share`);
    expect(status).toBe(201);
    return (json as { path: string }).path;
  };

  it('shows the comparison without sign-in, asks not to be listed, and is kept by nobody', async () => {
    const response = await get(await share());
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(text).toContain('TLS 1.3');
    expect(text).toMatch(/one round trip less, as TLS 1\.3 predicts/);
    expect(response.headers.get('x-robots-tag')).toContain('noindex');
    expect(response.headers.get('referrer-policy')).toBe('same-origin');
    expect(response.headers.get('cache-control')).toContain('no-store');
    expect(text).toMatch(/<meta name="robots" content="noindex, nofollow"/);
  });

  it('leads nowhere else: no other target is named, and no page or operation of the dashboard is linked', async () => {
    const text = await (await get(await share())).text();
    expect(text).not.toContain('zz-secret-target');
    expect(text).not.toContain(targetId);
    const links = [...text.matchAll(/<a[^>]+href="([^"]*)"/g)].map(([, href = '']) => href);
    expect(links.filter((href) => !/^(\/|#content|\/preferences.*|\?lang=.*)$/.test(href))).toEqual([]);
    expect(text).not.toMatch(/<form[^>]+action="(?!\/preferences)/);
  });

  it('shows where vantages are, and neither their names nor their ids', async () => {
    const [path, detail] = [await share(), await api.ask('GET', `/api/v1/comparisons/${comparison.id}`)];
    const { figures } = detail.json as ComparisonDetail;
    const vantages = figures?.vantages ?? [];
    expect(vantages.length).toBeGreaterThan(0);
    // Next sends a request for the payload on to its own address first.
    const payload = await fetch(api.server.baseUrl + path, { headers: { rsc: '1' } });
    expect(payload.headers.get('content-type')).toContain('text/x-component');
    const answers = [await get(path), payload, await get(`${path}?format=json`)];
    for (const text of await Promise.all(answers.map((answer) => answer.text()))) {
      for (const { id, name } of vantages) {
        expect(text).not.toContain(id);
        expect(text).not.toContain(name);
      }
      expect(text).toMatch(/\w · Telecom/);
    }
  });

  it('opens no other page and no operation with its token, however it is presented', async () => {
    const path = await share();
    const token = path.replace('/shared/', '');
    const ways: Record<string, string>[] = [
      { authorization: `Bearer ${token}` },
      { authorization: `Bearer ${token.replace('rtc_', 'rt_')}` },
      { cookie: `rt_session=${token}` },
      { cookie: `rt_session=${token.replace('rtc_', 'rts_')}` },
      { referer: `${api.server.baseUrl}${path}` },
    ];
    for (const headers of ways) {
      for (const page of ['/', '/comparisons', `/comparisons/${comparison.id}`, `/targets/${targetId}`, '/settings']) {
        const response = await get(page, headers);
        expect([200, 307]).toContain(response.status);
        expect(`${response.headers.get('location')} ${await response.text()}`).toContain('/login?next=');
      }
      for (const operation of [`/api/v1/comparisons/${comparison.id}`, '/api/v1/targets', '/api/v1/results'])
        expect((await get(operation, headers)).status).toBe(401);
    }
    const posted = await fetch(api.server.baseUrl + path, {
      method: 'POST',
      body: '[]',
      headers: { 'next-action': 'x' },
    });
    expect(posted.status).toBe(401);
  });

  it('is not to be guessed from what is near it, nor read from the database', async () => {
    const path = await share();
    const token = path.replace('/shared/', '');
    const { rows } = await getPool().query('select share_hash from comparison where id = $1', [comparison.id]);
    const hash: Buffer = rows[0].share_hash;
    expect(hash.toString('latin1')).not.toContain(token.slice('rtc_'.length));
    const wrong = [
      '/shared',
      '/shared/',
      `/shared/${comparison.id}`,
      path.slice(0, -1),
      `${path}x`,
      `${path}/..`,
      `${path}%00`,
      path.replace('rtc_', 'rt_'),
      `/shared/${token.toLowerCase()}`,
      `/shared/${token.toUpperCase()}`,
      `/shared/${hash.toString('hex')}`,
      '/shared/rtc_',
      '/shared/%25',
      "/shared/rtc_'%20or%201=1--",
    ];
    for (const each of wrong) {
      const response = await get(each);
      const text = await response.text();
      expect(response.status, each).toBeLessThan(500);
      expect(text, each).not.toContain('one round trip less');
      expect(text, each).not.toContain('zz-shop');
    }
  });

  it('ends when it is revoked, made anew, or its comparison goes; only an administrator makes it', async () => {
    const shared = `/api/v1/comparisons/${comparison.id}/share`;
    expect((await api.ask('POST', shared, { key: api.keys.write })).status).toBe(403);
    expect((await api.ask('DELETE', shared, { key: api.keys.write })).status).toBe(403);
    const first = await share();
    const second = await share();
    expect([(await get(first)).status, (await get(second)).status]).toEqual([404, 200]);
    expect((await api.ask('DELETE', shared)).status).toBe(204);
    expect((await get(second)).status).toBe(404);
    const third = await share();
    expect((await api.ask('DELETE', `/api/v1/comparisons/${comparison.id}`)).status).toBe(204);
    expect((await get(third)).status).toBe(404);
    expect((await api.ask('POST', shared)).status).toBe(404);
  });
});
