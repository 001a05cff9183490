import { beforeAll, describe, expect, it } from 'vitest';
import type { Measurement } from '#contract/measurement.ts';
import { getPool } from '#server/database/database.ts';
import { storeAnswers } from '#server/measurements/tasks.ts';
import { insertProber, insertTarget } from '../support/places.ts';
import { prepareApi } from '../support/prepare.ts';
import { makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

const SECRET = 'qq-unmistakable';
const URL_HERE = `https://shop.example.org/?token=${SECRET}`;
const ADDRESS = '203.0.113.77';
const vantages = ['telecom', 'unicom'].map((carrier) => ({
  ...makeVantage('CN-GD', carrier),
  name: `zz-prober of ${carrier}`,
}));

let targetId: string;
let made: Measurement;
const api = prepareApi({ ROUNDTRIP_RATE_LIMIT: '100000', ROUNDTRIP_ALLOW_PRIVATE_TARGETS: '1' });
beforeAll(async () => {
  const proberId = await insertProber(vantages);
  await getPool().query('update prober set last_seen_at = now()');
  // It watches the same server.
  targetId = await insertTarget({ name: 'zz-secret-target' });
  const { status, json, text } = await api.ask('POST', '/api/v1/measurements', { body: { url: URL_HERE } });
  expect(status, text).toBe(202);
  made = json as Measurement;
  const [good, bad] = vantages.map((vantage) => {
    const result = makeResult({ targetId, vantage, startedAt: Date.now() });
    return { ...result, targetId: null, url: URL_HERE, network: { ...result.network, peerAddress: ADDRESS } };
  });
  const message = `the redirects come back to ${URL_HERE}`;
  const failure = { phase: 'firstByte', reason: 'redirect_loop', source: 'target', message };
  const results = [good, { ...bad, ok: false, failure }];
  const prober = { id: proberId, vantageIds: vantages.map(({ id }) => id) };
  expect(await storeAnswers(prober, { measurementId: made.id, results })).toMatchObject({ accepted: 2, rejected: [] });
}, 300_000);

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(api.server.baseUrl + path, { redirect: 'manual', headers });
const linkOf = (id: string) => `/api/v1/measurements/${id}/share`;
const share = async (): Promise<string> => {
  const { status, json } = await api.ask('POST', linkOf(made.id));
  expect(status).toBe(201);
  return (json as { path: string }).path;
};
const isShared = async () => ((await api.ask('GET', `/api/v1/measurements/${made.id}`)).json as Measurement).shared;

describe('a link to a measurement', () => {
  it('shows the answers without sign-in, asks not to be listed, and is kept by nobody', async () => {
    expect(await isShared()).toBe(false);
    const path = await share();
    expect(await isShared()).toBe(true);
    const response = await get(path);
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(text).toContain('Probe of shop.example.org');
    expect(text).toContain('https://shop.example.org/?token=***');
    expect(text).toContain(ADDRESS);
    expect(text).toContain('Compared with usual');
    expect(text).toMatch(/Guangdong Unicom/);
    expect(text).toMatch(/<meta name="robots" content="noindex, nofollow"/);
    expect(response.headers.get('x-robots-tag')).toContain('noindex');
    expect(response.headers.get('referrer-policy')).toBe('same-origin');
    expect(response.headers.get('cache-control')).toContain('no-store');
  });

  it('changes nothing, leads nowhere else, and tells no secret, name or id', async () => {
    const path = await share();
    const text = await (await get(path)).text();
    const links = [...text.matchAll(/<a[^>]+href="([^"]*)"/g)].map(([, href = '']) => href);
    expect(links.filter((href) => !/^(\/|#content|#answers|\/preferences.*|\?lang=.*)$/.test(href))).toEqual([]);
    expect(text).not.toMatch(/<form[^>]+action="(?!\/preferences)/);
    const payload = await fetch(api.server.baseUrl + path, { headers: { rsc: '1' } });
    expect(payload.headers.get('content-type')).toContain('text/x-component');
    for (const shown of [text, await payload.text()]) {
      expect(shown).toContain('token=***');
      for (const hidden of [SECRET, 'zz-', targetId, made.id, ...vantages.map(({ id }) => id)])
        expect(shown).not.toContain(hidden);
    }
  });

  it('opens no other page and no operation with its token', async () => {
    const path = await share();
    const token = path.replace('/shared/', '');
    const ways: Record<string, string>[] = [{ authorization: `Bearer ${token}` }, { cookie: `rt_session=${token}` }];
    for (const headers of ways) {
      expect((await get(`/probe/${made.id}`, headers)).headers.get('location')).toContain('/login?next=');
      expect((await get(`/api/v1/measurements/${made.id}`, headers)).status).toBe(401);
    }
    // The token of a comparison is another.
    for (const wrong of [path.replace('rtm_', 'rtc_'), path.slice(0, -1), `${path}x`, `/shared/${made.id}`])
      expect((await get(wrong)).status, wrong).toBe(404);
  });

  it('ends when it is revoked or made anew; only an administrator makes it', async () => {
    for (const method of ['POST', 'DELETE'] as const)
      expect((await api.ask(method, linkOf(made.id), { key: api.keys.write })).status).toBe(403);
    const first = await share();
    const second = await share();
    expect([(await get(first)).status, (await get(second)).status]).toEqual([404, 200]);
    expect((await api.ask('DELETE', linkOf(made.id))).status).toBe(204);
    expect((await get(second)).status).toBe(404);
    expect(await isShared()).toBe(false);
    const { status, text } = await api.ask('POST', linkOf('01940000-0000-7000-8000-000000000bad'));
    expect([status, text]).toEqual([404, expect.stringContaining('There is no measurement')]);
  });

  it('ends with its measurement, after a week, and none is made of one that has ended', async () => {
    const path = await share();
    expect(Date.parse(made.expiresAt) - Date.parse(made.createdAt)).toBe(7 * 86_400_000);
    expect((await get(path)).status).toBe(200);
    // Before the jobs have deleted it.
    await getPool().query('update measurement set expires_at = now() where id = $1', [made.id]);
    expect((await get(path)).status).toBe(404);
    for (const method of ['POST', 'DELETE'] as const) expect((await api.ask(method, linkOf(made.id))).status).toBe(404);
  });
});
