import { randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import { expect, expectAccessible, type Page, password, test, url } from './fixtures.ts';
import { ownProduct } from './own-product.ts';
import { cookieHeader, sessionCookies } from './session.ts';

// A product without targets gets two, of vantages that have not begun to measure, and incidents of them as the jobs leave them.

const product = ownProduct({ args: ['--no-demo'] });

const RULE = '01940000-0000-7000-8000-000000000001';
const HOUR = 3_600_000;
const PLACES = [
  ['CN-BJ', 'telecom'],
  ['CN-GD', 'telecom'],
  ['CN-BJ', 'unicom'],
  ['CN-GD', 'unicom'],
] as const;

type Place = { id: string; region: string; carrier: string };
let places: Place[];
let shop: string;
let mail: string;
const begun = Date.now();

test.beforeAll(async () => {
  const cookie = cookieHeader(await sessionCookies(url(), password()));
  const headers = { 'content-type': 'application/json', origin: url(), cookie };
  const post = async (path: string, body: object) => {
    const response = await fetch(`${url()}/api/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await response.text();
    expect(response.ok, text).toBe(true);
    return JSON.parse(text);
  };
  places = [];
  for (const [region, carrier] of PLACES) {
    const { vantage } = await post('enrolments', { name: `${region} ${carrier}`, region, carrier });
    places.push({ id: vantage.id, region, carrier });
  }
  const vantages = { vantageIds: places.map(({ id }) => id) };
  const make = async (name: string) =>
    String((await post('targets', { name, url: `https://${name}.example.org/`, vantages })).id);
  shop = await make('shop');
  mail = await make('mail');
});

type Made = {
  kind: 'spike' | 'regression';
  target: string;
  hoursAgo: number;
  at?: Place[];
  standing?: boolean;
  counterfactual?: object;
};

/** Puts an open incident into the database: +60 ms on 50 at each of its places; its id. */
async function incident({
  kind,
  target,
  hoursAgo,
  at = places,
  standing = false,
  counterfactual,
}: Made): Promise<string> {
  const [id, onset] = [randomUUID(), new Date(begun - hoursAgo * HOUR).toISOString()];
  const cells = at.map(({ id: vantageId, region, carrier }) => ({
    ...{ targetId: target, vantageId, region, carrier, kind, metric: 'tls', at: onset, changeAt: onset },
    ...{ beforeMs: 50, afterMs: 110, peakMs: null, resumedBefore: null, resumedAfter: null },
    ...{ quietSince: null, recoveredAt: null },
  }));
  await product.query(
    `insert into incident (id, kind, group_key, groups, status, severity, rule_id, metric, target_id, cause, cells, opened_at, onset_at,
       effect_ms, effect_ratio, standing_since, counterfactual)
     values ($1, $2, $3, $4, 'open', 'warning', $5, 'tls', $6, 'server', $7, $8, $8, 60, 1.2, $9, $10)`,
    [
      ...[id, kind, `target:${target}`, [`group ${id}`], RULE, target, JSON.stringify(cells), onset],
      standing ? new Date(begun - (hoursAgo - 48) * HOUR).toISOString() : null,
      counterfactual ? JSON.stringify(counterfactual) : null,
    ],
  );
  return id;
}

/** Presses a button that asks, reads what it asks, and says yes. */
async function say(page: Page, label: string, asks: RegExp): Promise<void> {
  await page.getByRole('button', { name: label, exact: true }).click();
  const question = page.getByRole('alertdialog', { name: label });
  await expect(question).toContainText(asks);
  await question.getByRole('button', { name: label, exact: true }).click();
}

const badge = (page: Page, text: string) => page.getByRole('heading', { level: 1 }).getByText(text, { exact: true });
const more = (page: Page) => page.locator('summary', { hasText: 'More actions' }).click();

test('I see that a regression stands and what it has cost, accept it as the new level, and find it under that state', async ({
  admin: page,
}) => {
  const id = await incident({ kind: 'regression', target: shop, hoursAgo: 100, standing: true });
  await page.goto('/incidents?state=standing');
  await expect(page.getByRole('rowheader')).toHaveCount(1);
  await expect(page.getByText(/1 standing/)).toBeVisible();
  await page.goto('/');
  await expect(page.getByText(/1 with a standing regression/)).toBeVisible();
  await expect(page.getByRole('region', { name: 'Problems' }).getByRole('listitem')).toHaveText(
    /^Regression ?shop.*TLS \+60 ms \(\+120%\).*since .*server.* Cost so far: \+60\.0 ms on average for 4 d 4 h/,
  );
  await page.goto(`/incidents/${id}`);
  await expect(badge(page, 'Standing')).toBeVisible();
  await expect(page.getByText(/Standing since .* Cost so far: \+60\.0 ms on average for 4 d 4 h/)).toBeVisible();
  await page.getByLabel('Note (optional)').fill('New data centre');
  await say(page, 'Accept as new level', /counts as normal from now on/);
  await expect(badge(page, 'New level accepted')).toBeVisible();
  await expect(page.getByText(/Accepted by the administrator, .* \+120% \(\+60\.0 ms\)/)).toBeVisible();
  await expect(page.getByText('New data centre')).toBeVisible();
  await page.goto('/incidents?state=accepted');
  await expect(page.getByRole('rowheader')).toHaveCount(1);
  await page.goto('/incidents?state=standing');
  await expect(page.getByRole('rowheader')).toHaveCount(0);
});

test('on the overview I see what two targets have in common, acknowledge both at once, find a target and order by a column', async ({
  admin: page,
}) => {
  const [first] = places;
  if (!first) throw new Error('no place');
  for (const target of [shop, mail]) await incident({ kind: 'spike', target, hoursAgo: 1, at: [first] });
  await page.goto('/');
  const problem = page
    .getByRole('region', { name: 'Problems' })
    .getByRole('listitem')
    .filter({ hasText: 'mail, shop' });
  await expect(problem).toHaveText(/^Spike ?Beijing Telecom · mail, shop, since .*, probable cause: server/);
  await problem.getByRole('button', { name: /^Acknowledge: Beijing Telecom · mail, shop/ }).click();
  await expect(problem.getByText('Acknowledged')).toBeVisible();
  await expect(problem.getByRole('button')).toHaveCount(0);

  await page.getByRole('columnheader', { name: 'Name' }).getByRole('link').click();
  await expect(page).toHaveURL(/sort=name$/);
  await expect(page.getByRole('rowheader')).toHaveText([/^mail/, /^shop/]);
  await page.getByRole('columnheader', { name: 'Name' }).getByRole('link').click();
  await expect(page.getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'descending');
  await expect(page.getByRole('rowheader')).toHaveText([/^shop/, /^mail/]);

  await page.keyboard.press('/');
  await page.keyboard.type('MAIL example');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/q=MAIL\+example/);
  await expect(page.getByRole('rowheader')).toHaveText([/^mail/]);
  const box = await page
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader') })
    .boundingBox();
  expect(box?.height).toBeLessThanOrEqual(33);
  await expectAccessible(page);
  await page.goto('/?q=nowhere');
  await expect(page.getByText('No target matches “nowhere”')).toBeVisible();
});

test('I see what the target would be without a regression, and what that is computed from', async ({ admin: page }) => {
  const at = new Date(begun).toISOString();
  const counterfactual = { ratio: 1.2, siblings: 7, at };
  const id = await incident({ kind: 'regression', target: shop, hoursAgo: 9, counterfactual });
  await page.goto(`/incidents/${id}`);
  const line = page.locator('header dl').getByText('Without it about 60 ms, in fact 110 ms', { exact: true });
  await expect(line).toBeVisible();
  await expect(line).toHaveAttribute(
    'title',
    /^By results up to .*what 7 unaffected series of the same targets did meanwhile/,
  );
  await expectAccessible(page);
  await expect(page.locator('header dl')).toContainText('50.0 ms → 110 ms');
  const other = await incident({ kind: 'regression', target: mail, hoursAgo: 9 });
  await page.goto(`/incidents/${other}`);
  await expect(page.locator('header dl')).toContainText('50.0 ms → 110 ms');
  await expect(page.locator('header dl')).not.toContainText('Without it');
});

test('I call an incident not useful, find that among the rules, and take it back', async ({ admin: page }) => {
  const id = await incident({ kind: 'spike', target: mail, hoursAgo: 0.2 });
  await page.goto(`/incidents/${id}`);
  await say(page, 'Not useful', /For 14 days, new ones of this kind .* need twice the effect/);
  await expect(badge(page, 'Resolved manually')).toBeVisible();
  await expect(page.getByText(/^Called not useful by the administrator, /)).toBeVisible();
  await page.goto('/rules');
  const table = page.getByRole('region', { name: 'Called not useful' }).last();
  await expect(table.getByRole('link', { name: /Spike: mail/ })).toBeVisible();
  await expectAccessible(page);
  await table.getByRole('button', { name: /^Undo/ }).click();
  await expect(page.getByRole('heading', { name: 'Called not useful' })).toHaveCount(0);
  await page.goto(`/incidents/${id}`);
  await expect(page.getByText('No longer called not useful')).toBeVisible();
});

test('I merge an incident into another, and whoever opens the first is led there', async ({ admin: page }) => {
  const [telecom, unicom] = [places.slice(0, 2), places.slice(2)];
  const from = await incident({ kind: 'spike', target: shop, hoursAgo: 0.3, at: telecom });
  const into = await incident({ kind: 'spike', target: shop, hoursAgo: 0.2, at: unicom });
  await page.goto(`/incidents/${from}`);
  await more(page);
  await page.getByLabel('Merge into').selectOption(into);
  await say(page, 'Merge', /ends as part of the chosen one/);
  await expect(page).toHaveURL(new RegExp(`/incidents/${into}`));
  await expect(page.getByText('The incident you opened became part of this one.')).toBeVisible();
  await expect(page.getByText('Another incident became part of it')).toBeVisible();
  await expect(page.locator('header dl')).toContainText('4 series');
});

test('I split the series of one carrier off an incident, and each links to the other', async ({ admin: page }) => {
  const id = await incident({ kind: 'spike', target: mail, hoursAgo: 0.1 });
  await page.goto(`/incidents/${id}`);
  await more(page);
  await expectAccessible(page);
  await page.getByLabel('Split off').selectOption('carrier:unicom');
  await say(page, 'Split', /become an incident of their own/);
  await expect(page.getByText('Series became an incident of their own')).toBeVisible();
  await expect(page.locator('header dl')).toContainText('2 series');
  await page.getByRole('link', { name: 'Show it' }).click();
  await expect(page).not.toHaveURL(new RegExp(id));
  await expect(page.getByText('Split off another incident')).toBeVisible();
  await expect(page.locator('header dl')).toContainText('Unicom');
});

test('I am told that somebody else was faster', async ({ admin: page }) => {
  const id = await incident({ kind: 'spike', target: mail, hoursAgo: 0.1 });
  await page.goto(`/incidents/${id}`);
  const path = `${url()}/api/v1/incidents/${id}`;
  const headers = { 'content-type': 'application/json', origin: url(), cookie: '' };
  headers.cookie = cookieHeader(await sessionCookies(url(), password()));
  const body = JSON.stringify({ action: 'resolve', note: 'done' });
  expect((await fetch(path, { method: 'PATCH', headers, body })).status).toBe(200);
  await page.getByRole('button', { name: 'Acknowledge' }).click();
  await expect(badge(page, 'Resolved manually')).toBeVisible();
  await expect(page.getByText('Someone else changed this incident first.', { exact: false })).toBeVisible();
});

/** Tells those who follow that an incident opened, as its timeline does. */
const noteOpening = (id: string) =>
  product.query(`insert into incident_event (id, incident_id, at, kind) values ($1, $2, now(), 'opened')`, [v7(), id]);

/** The stream that a page holds, once it is open. */
const streamOf = (page: Page) => page.waitForRequest((request) => request.url().includes('/api/v1/events'));

test('an incident opens while I look, and the page shows it without a reload', async ({ admin: page }) => {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const heard: string[] = [];
  session.on('Network.eventSourceMessageReceived', ({ eventName }) => heard.push(eventName));
  const stream = streamOf(page);
  await page.goto('/incidents');
  await page.evaluate(() => Object.assign(window, { stillTheSame: true }));
  await (await stream).response();
  // Where a minute ended meanwhile, that may have shown it.
  await expect(async () => {
    heard.length = 0;
    const id = await incident({ kind: 'spike', target: shop, hoursAgo: 0.01 });
    await noteOpening(id);
    await expect(page.locator(`a[href^="/incidents/${id}"]`).first()).toBeVisible();
    expect(heard).toEqual(['incident']);
  }).toPass();
  expect(await page.evaluate(() => 'stillTheSame' in window)).toBe(true);
});

test('a hidden tab asks nothing, and shows what happened once I look at it again', async ({ admin: page }) => {
  await page.clock.install();
  const stream = streamOf(page);
  await page.goto('/incidents');
  await page.clock.fastForward(2_000);
  const open = await stream;
  await open.response();
  const look = (hidden: boolean) =>
    page.evaluate((isHidden) => {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden });
      document.dispatchEvent(new Event('visibilitychange'));
    }, hidden);
  const closed = page.waitForEvent('requestfailed', (request) => request === open);
  await look(true);
  await closed;
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  const id = await incident({ kind: 'spike', target: mail, hoursAgo: 0.01 });
  await noteOpening(id);
  await page.clock.fastForward(600_000);
  await page.clock.runFor(5_000);
  expect(asked).toEqual([]);
  const again = streamOf(page);
  await look(false);
  await expect(page.locator(`a[href^="/incidents/${id}"]`).first()).toBeVisible();
  await again;
});
