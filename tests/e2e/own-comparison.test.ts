import { createHash, randomBytes } from 'node:crypto';
import type { VantageRef } from '#contract/result.ts';
import { ENGINE_VERSION } from '#contract/result.ts';
import { toLocalField } from '#i18n/time.ts';
import { exchangeResult, PLACES } from '../support/compared.ts';
import { MINUTE } from '../support/comparing.ts';
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
  await expectAccessibleEverywhere(page, page.url());
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
