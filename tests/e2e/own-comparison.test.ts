import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { VantageRef } from '#contract/result.ts';
import { ENGINE_VERSION } from '#contract/result.ts';
import { formatTime, toLocalField } from '#i18n/time.ts';
import { exchangeResult, PLACES } from '../support/compared.ts';
import { MINUTE } from '../support/comparing.ts';
import { collect } from '../support/process.ts';
import { spawnRoundtrip } from '../support/stack.ts';
import {
  expect,
  expectAccessibleEverywhere,
  longTest,
  openTarget,
  password,
  test,
  untilPageShows,
  url,
} from './fixtures.ts';
import { ownProduct } from './own-product.ts';
import { cookieHeader, sessionCookies } from './session.ts';

// A product without targets gets one that five vantages probed for 40 minutes; in the middle its server went to TLS 1.3.
// In the end another one that nobody probes, whose results are imported.

ownProduct({ args: ['--no-demo'] });

const NAME = 'Compared shop';
const ZONE = 'Asia/Shanghai';
let changedAt: number;

test.beforeAll(async () => {
  const headers = {
    'content-type': 'application/json',
    origin: url(),
    cookie: cookieHeader(await sessionCookies(url(), password())),
  };
  const post = async (path: string, body: object, own: Record<string, string> = headers, method = 'POST') => {
    const response = await fetch(`${url()}/api/${path}`, { method, headers: own, body: JSON.stringify(body) });
    const text = await response.text();
    expect(response.ok, text).toBe(true);
    return JSON.parse(text);
  };
  changedAt = Math.floor((Date.now() - 30 * MINUTE) / MINUTE) * MINUTE;
  const probers: { ref: VantageRef; credential: string; rtt: number }[] = [];
  for (const [region, carrier, rtt] of PLACES) {
    const { token, vantage } = await post('v1/enrolments', { name: `${region} ${carrier}`, region, carrier });
    const credential = `rtp_${randomBytes(32).toString('base64url')}`;
    const credentialHash = createHash('sha256').update(credential).digest('hex');
    await post('ingest/enrol', { token, credentialHash, engineVersion: ENGINE_VERSION });
    const { id, name, country, city, asn, access } = vantage;
    probers.push({ ref: { id, name, country, region, city, carrier, asn, access }, credential, rtt });
  }
  const vantages = { vantageIds: probers.map(({ ref }) => ref.id) };
  const target = { name: NAME, url: 'https://shop.example.org/', periodSeconds: 60, vantages };
  const { id: targetId } = await post('v1/targets', target);
  for (const [i, { ref, credential, rtt }] of probers.entries()) {
    const results = Array.from({ length: 40 }, (_, n) =>
      exchangeResult(targetId, ref, changedAt + (n - 20) * MINUTE + i * 1_000, { rtt, trips: n < 20 ? 2 : 1 }),
    );
    const own = { ...headers, authorization: `Bearer ${credential}` };
    const { rejected } = await post('ingest/results', { results }, own);
    expect(rejected).toEqual([]);
  }
  // Nobody goes on measuring it.
  await post(`v1/targets/${targetId}`, { enabled: false }, headers, 'PATCH');
});

const VERDICT =
  /^Whole response: faster by .* in 5 of 5 provinces; one round trip less, as TLS 1\.3 predicts; the network itself moved by/;

test('I mark a change, compare before with after, and read that a round trip went, as TLS 1.3 predicts', async ({
  admin: page,
}) => {
  await openTarget(page, NAME);
  await page.getByRole('link', { name: 'Trend', exact: true }).first().click();
  await page.locator('summary', { hasText: 'Add marker' }).click();
  await page.getByLabel('What changed').fill('TLS 1.3 switched on');
  await page.getByLabel('When').fill(toLocalField(changedAt, ZONE));
  await page.getByRole('button', { name: 'Add marker' }).click();
  await page.clock.install();
  await page.getByRole('button', { name: 'Compare before and after' }).click();
  await expect(page).toHaveURL(/\/comparisons\/[0-9a-f-]{36}$/);
  const verdict = page.getByRole('region', { name: 'Verdict' });
  await untilPageShows(page, (timeout) => expect(verdict.locator('p')).toHaveText(VERDICT, { timeout }));
  const row = (table: string, name: string) =>
    page.getByRole('region', { name: table }).getByRole('row', { name: new RegExp(`^${name}`) });
  await expect(row('What it is worth', 'Whole response')).toContainText('Faster');
  await expect(row('Predicted and measured', 'TLS version')).toContainText('TLSv1.3');
  await expect(row('Controls', 'TCP connect at the same vantages')).toBeVisible();
  await expect(row('Phases before and after', 'TLS')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Effect by province and carrier' }).getByRole('row')).toHaveCount(6);
  await page.goBack();
  await page.reload();
  await expect(page.locator('#marks').getByRole('link', { name: 'Comparison' })).toBeVisible();
});

test('I share a comparison by a link that needs no sign-in, and revoke it', async ({ admin: page, browser }) => {
  await page.goto('/comparisons');
  await page.getByRole('link', { name: 'TLS 1.3 switched on' }).click();
  await page.getByRole('button', { name: 'Create link' }).click();
  const link = (await page.locator('code', { hasText: '/shared/' }).textContent()) ?? '';
  const stranger = await (await browser.newContext()).newPage();
  await stranger.goto(link);
  await expect(stranger.getByRole('region', { name: 'Verdict' }).locator('p')).toHaveText(VERDICT);
  await expect(stranger.locator('meta[name="robots"]')).toHaveAttribute('content', 'noindex, nofollow');
  await expect(stranger.getByRole('navigation', { name: 'Main' })).toHaveCount(0);
  await expectAccessibleEverywhere(stranger, link);
  await stranger.goto('/comparisons');
  await expect(stranger).toHaveURL(/\/login/);
  await page.reload();
  await page.getByRole('button', { name: 'Revoke link' }).first().click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke link' }).click();
  await expect(page.getByText('A link to this page exists.')).toHaveCount(0);
  expect((await stranger.goto(link))?.status()).toBe(404);
  await stranger.context().close();
});

longTest(
  'I compare two ranges, take the figures with me as CSV, and am told in words where nothing can be compared',
  async ({ admin: page }) => {
    const compare = async (times: Record<string, number>) => {
      await page.goto('/comparisons');
      await page.locator('summary', { hasText: 'Compare two ranges' }).click();
      for (const [label, minutes] of Object.entries(times))
        await page.getByLabel(label).fill(toLocalField(changedAt + minutes * MINUTE, ZONE));
      await page.getByRole('button', { name: 'Compare', exact: true }).click();
      await expect(page).toHaveURL(/\/comparisons\/[0-9a-f-]{36}$/);
    };
    const verdict = page.getByRole('region', { name: 'Verdict' }).locator('p');
    // Times are in the browser's zone from the second page on.
    await page.goto('/');
    await page.clock.install();
    await compare({ 'Before · from': -20, 'Before · to': 0, 'After · from': 0, 'After · to': 20 });
    await untilPageShows(page, (timeout) => expect(verdict).toHaveText(/^Whole response: faster by/, { timeout }));
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'CSV' }).click();
    expect((await download).suggestedFilename()).toBe('comparison.csv');
    await compare({ 'Before · from': -20, 'Before · to': 5, 'After · from': 0, 'After · to': 20 });
    await untilPageShows(page, (timeout) => expect(verdict).toHaveText(/^The two windows overlap/, { timeout }));
    await expect(page.getByRole('heading', { name: 'What it is worth' })).toHaveCount(0);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await expect(page).toHaveURL(/\/comparisons$/);
  },
);

test('I edit a target that is kept as code and read that the next apply undoes it', async ({ admin: page }) => {
  const document = { targets: [{ name: 'Kept as code', url: 'https://kept.example.org/' }] };
  const headers = { origin: url() };
  const applied = await page.request.put('/api/v1/configuration', { data: document, headers });
  expect(applied.ok(), await applied.text()).toBe(true);
  await page.goto('/');
  const row = page.getByRole('row', { name: /Kept as code/ });
  await expect(row.getByText('managed', { exact: true })).toBeVisible();
  await openTarget(page, 'Kept as code');
  await page.getByRole('link', { name: 'Edit', exact: true }).click();
  await expect(page.getByText('what you change here is undone by the next apply')).toBeVisible();
  await expectAccessibleEverywhere(page, page.url());
});

const MOVED = 'Moved shop';
const HOUR = 3_600_000;
const UNTIL = Math.floor(Date.now() / HOUR) * HOUR - 2 * HOUR;
/** Whole hours of three days. */
const HOURS = Array.from({ length: 72 }, (_, n) => UNTIL - (71 - n) * HOUR);
const IMPORTED = ['广东省,中国电信', '北京,联通', '浙江省,移动'];
const ROWS = HOURS.flatMap((at) => {
  const time = formatTime(at, ZONE, 'minute').replaceAll('-', '/');
  return IMPORTED.map((place, n) => `${time},${place},${4 + n}0,0.25,200`);
});
const MAP = 'at=时间,region=省份,carrier=运营商,tlsMs=握手,totalMs=总耗时:s,httpStatus=状态码';

/** A text of ASCII and GB 2312's letters in GB18030, by what its decoder reads. */
function gb18030(text: string): Buffer {
  const decoder = new TextDecoder('gb18030');
  const letters = new Map<string, number[]>();
  for (let first = 0xb0; first <= 0xf7; first += 1)
    for (let second = 0xa1; second <= 0xfe; second += 1)
      letters.set(decoder.decode(Uint8Array.of(first, second)), [first, second]);
  return Buffer.from([...text].flatMap((letter) => letters.get(letter) ?? letter.charCodeAt(0)));
}

/** What `roundtrip import` says of the other monitor's log. */
async function importLog(key: string): Promise<string> {
  const file = test.info().outputPath('log.csv');
  writeFileSync(file, gb18030(['时间,省份,运营商,握手,总耗时,状态码', ...ROWS, ''].join('\r\n')));
  const of = ['--target', MOVED, '--format', 'csv', '--map', MAP, '--offset', '+08:00', '--source', 'Old monitor'];
  const child = spawnRoundtrip(['import', file, ...of], { ROUNDTRIP_SERVER: url(), ROUNDTRIP_KEY: key });
  const output = collect(child);
  return await once(child, 'close').then(output);
}

test('I take over what my other monitor measured and see it in the target’s chart', async ({ admin: page }) => {
  const create = async (path: string, data: object) =>
    await (await page.request.post(`/api/v1/${path}`, { data, headers: { origin: url() } })).json();
  await create('targets', { name: MOVED, url: 'https://shop.example.org/', enabled: false });
  const { key } = await create('keys', { scope: 'write' });
  const [read, n] = ['The file is not UTF-8: it was read as GB18030.\n', ROWS.length];
  expect(await importLog(key)).toBe(`${read}${n} stored, 0 stored before, 0 older than results are kept\n`);

  const until = page.getByText(`Holds imported data until ${formatTime(UNTIL, ZONE, 'minute')}`, { exact: true });
  await openTarget(page, MOVED);
  await expect(until).toBeVisible();
  await page.getByRole('link', { name: '7 d', exact: true }).click();
  await expect(page.getByText(`n = ${n}`, { exact: true }).first()).toBeVisible();
  await expect(page.getByRole('article').filter({ hasText: 'Telecom' })).toContainText(/n = 72\D.*40\.0 ms/);
  // Availability is of our own probers alone; the rest of the page is not.
  await page.goto(`${new URL(page.url()).pathname}?range=7d&stat=availability`);
  await expect(until).toBeVisible();
  await page.goBack();
  await page.getByRole('link', { name: 'Trend', exact: true }).first().click();
  await expect(page).toHaveURL(/\/trend/);
  await expect(until).toBeVisible();
  const panel = page.getByRole('region', { name: /^TLS P50 by location/ });
  await expect(panel.getByRole('row', { name: /^Telecom/ })).toContainText(/\d ms/);
  await panel.getByText('Save or share').click();
  const [values] = await Promise.all([
    page.waitForEvent('download'),
    panel.getByRole('button', { name: 'Values (CSV)' }).click(),
  ]);
  const [head, ...points] = readFileSync(await values.path(), 'utf8').split('\r\n');
  expect(head).toBe('\ufefftime,Telecom (ms),Unicom (ms),Mobile (ms)');
  const measured = points.filter((line) => /(,\d[\d.]*){3}$/.test(line));
  expect(measured.map((line) => Date.parse(line.split(',')[0] ?? ''))).toEqual(HOURS);
  await panel.getByRole('link', { name: 'the day before' }).click();
  await expect(panel.getByText(/The overlay holds imported data until \d/)).toBeVisible();

  await page.goto('/vantages');
  await page.locator('summary', { hasText: '3 imported vantages' }).click();
  const rows = page.getByRole('row', { name: /^Old monitor: / });
  await expect(rows).toHaveText(IMPORTED.map(() => /Imported.*imported, no prober/));
  expect(await importLog(key)).toBe(`${read}0 stored, ${n} stored before, 0 older than results are kept\n`);
});
