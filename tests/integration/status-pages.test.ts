import { beforeAll, expect, it } from 'vitest';
import { MAX_STATUS_PAGES, type StatusPageCreated } from '#contract/status-page.ts';
import { getPool } from '#server/database/database.ts';
import { drainRollups } from '#server/rollups/rollups.ts';
import { insertProber, insertTarget } from '../support/places.ts';
import { prepareApi } from '../support/prepare.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

const MINUTE = 60_000;
const vantage = { ...makeVantage('CN-GD', 'telecom'), name: 'zz-vantage' };
let shop: string;
let page: StatusPageCreated;

const api = prepareApi({ ROUNDTRIP_RATE_LIMIT: '100000' });
beforeAll(async () => {
  await insertProber([vantage]);
  shop = await insertTarget({ name: 'zz-shop' });
  await insertTarget({ name: 'zz-hidden' });
  await getPool().query("update target set tags = '{web}' where id = $1", [shop]);
  const made = await api.ask('POST', '/api/v1/status-pages', { body: { title: 'Shop & <co>', tag: 'web' } });
  expect(made.status, made.text).toBe(201);
  page = made.json as StatusPageCreated;
}, 300_000);

const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(api.server.baseUrl + path, { redirect: 'manual', headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

/** Twenty results of the last minutes. */
async function measure(ok: boolean): Promise<void> {
  const results = Array.from({ length: 20 }, (_, index) => {
    const startedAt = Date.now() - MINUTE - index * 1_000;
    const result = makeResult({ targetId: shop, vantage, startedAt, tls: 40 });
    const failure = { phase: 'tls', reason: 'tls_reset', source: 'target', message: '' } as const;
    return ok ? result : { ...result, ok: false, failure };
  });
  await insertResults(results);
  await drainRollups({ settled: true });
}

it('shows the state of the targets with its tag to anyone with its link, and nothing else', async () => {
  expect((await get(page.path, { 'accept-language': 'en' })).text).toContain('Nothing measured yet');
  expect((await get(`${page.path}/badge.svg`)).text).toContain('Nothing measured yet');
  await measure(true);
  for (const path of [page.path, `${page.path}/wall`]) {
    const { status, headers, text } = await get(path, { 'accept-language': 'en' });
    expect(status, path).toBe(200);
    expect(text).toContain('Shop &amp; &lt;co&gt;');
    expect(text).toContain('zz-shop');
    expect(text).toContain('40.0 ms');
    for (const hidden of ['zz-hidden', 'shop.example.org', 'zz-vantage', shop, page.id])
      expect(text).not.toContain(hidden);
    expect(/<main.*<\/main>/s.exec(text)?.[0], path).toMatch(/^(?!.*<a )/s);
    expect(text).toContain('noindex');
    expect(headers.get('cache-control')).toContain('no-store');
  }
  expect((await get(page.path, { 'accept-language': 'en' })).text).toContain('The target is in order');
  expect((await get(page.path, { 'accept-language': 'zh-CN' })).text).toContain('1 个目标全部正常');
});

it('has a badge that says the same', async () => {
  const fine = await get(`${page.path}/badge.svg`);
  expect(fine.status).toBe(200);
  expect(fine.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8');
  expect(fine.headers.get('cache-control')).toBe('no-store');
  expect(fine.text).toMatch(/^<svg [^>]*aria-label="Shop &amp; &lt;co&gt;: in order">/);
  await measure(false);
  expect((await get(`${page.path}/badge.svg`)).text).toContain('1 of 1 with problems');
  expect((await get(`${page.path}/badge.svg?lang=zh-CN`)).text).toContain('1 个中 1 个有问题');
  expect((await get(page.path, { 'accept-language': 'en' })).text).toContain('1 of 1 target has problems');
  // Why, where no incident says it yet.
  expect((await get(`${page.path}/wall`, { 'accept-language': 'en' })).text).toMatch(
    /zz-shop: [^<]*[Rr]eset during TLS handshake/,
  );
});

it('is listed without its link, which ends with it', async () => {
  const { json, text } = await api.ask('GET', '/api/v1/status-pages');
  expect(json).toMatchObject({ data: [{ id: page.id, title: 'Shop & <co>', tag: 'web' }] });
  expect(text).not.toContain(page.path);
  const { rows } = await getPool().query('select * from status_page');
  expect(JSON.stringify(rows)).not.toContain(page.path.slice('/shared/'.length));
  expect((await api.ask('DELETE', `/api/v1/status-pages/${page.id}`)).status).toBe(204);
  expect((await api.ask('DELETE', `/api/v1/status-pages/${page.id}`)).status).toBe(404);
  for (const end of ['', '/wall', '/badge.svg']) expect((await get(page.path + end)).status, end).toBe(404);
  expect((await get('/shared/rto_x/badge.svg')).status).toBe(404);
});

it('names what is wrong, and refuses one more than there may be', async () => {
  const refused = await api.ask('POST', '/api/v1/status-pages', { body: { title: '', tag: 'two words' } });
  expect(refused.status).toBe(400);
  expect((refused.json as { errors: { field: string }[] }).errors.map(({ field }) => field)).toEqual(['title', 'tag']);
  const make = () => api.ask('POST', '/api/v1/status-pages', { body: { title: 'One' } });
  for (let n = 0; n < MAX_STATUS_PAGES; n++) expect((await make()).status).toBe(201);
  expect((await make()).status).toBe(409);
});
