import { expect, type Page, test } from '@playwright/test';
import { extent, isLong } from '../support/extent.ts';
import { password, signIn, untilPageShows, url } from './fixtures.ts';
import { ownProduct } from './own-product.ts';

// A product of its own, which is stopped and started while its pages are open.

const product = ownProduct({ args: ['--no-demo'] });
test.describe.configure({ mode: 'serial' });
// biome-ignore lint/correctness/noEmptyPattern: Playwright demands the braces, and this fixture needs no other
test.use({ baseURL: ({}, use) => use(url()) });

const notice = (page: Page) => page.locator('.connection');

/** An open page, signed in, with a mark that a reload of the document would take away. */
async function openPage(page: Page, to = '/'): Promise<void> {
  if (!isLong) await page.clock.install();
  await signIn(page);
  await page.goto(to);
  await page.evaluate(() => Object.assign(window, { stillTheSame: true }));
}

const isSameDocument = (page: Page) => page.evaluate(() => 'stillTheSame' in window);

/** A target that is put in from elsewhere, as another person would. */
async function addTarget(page: Page, name: string): Promise<void> {
  const other = await page.context().newPage();
  await other.goto('/targets/new');
  await other.getByLabel('URL').first().fill('https://127.0.0.1:1/');
  await other.getByLabel('Name').first().fill(name);
  await other.getByRole('button', { name: 'Add target' }).click();
  await expect(other).toHaveURL(/\/targets\/[0-9a-f-]{36}/);
  await other.close();
}

for (const signal of extent(['SIGKILL'] as const, ['SIGTERM', 'SIGKILL'] as const))
  test(`an open page outlives a server that is away (${signal}), says so, and goes on by itself`, async ({ page }) => {
    await openPage(page);
    await expect(notice(page)).toBeEmpty();

    await product.stop(signal);
    const said = /^No connection to the server since \d\d:\d\d, figures as of \d\d:\d\d\./;
    await untilPageShows(page, (timeout) => expect(notice(page)).toHaveText(said, { timeout }));
    await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
    // A link waits with the page as it is, and is followed once there is something to follow it to.
    await page.getByRole('link', { name: /^Incidents/ }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();

    await product.start();
    const incidents = page.getByRole('heading', { level: 1, name: 'Incidents' });
    await untilPageShows(page, (timeout) => expect(incidents).toBeVisible({ timeout }));
    await expect(notice(page)).toBeEmpty();
    // Figures go on: what others do is seen on the open page.
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
    await addTarget(page, `Put in after ${signal}`);
    // Its row: what is wrong with several targets names them, too.
    const added = page
      .getByRole('region', { name: 'Targets' })
      .getByRole('link', { name: `Put in after ${signal}`, exact: true });
    await untilPageShows(page, (timeout) => expect(added).toBeVisible({ timeout }));
    expect(await isSameDocument(page)).toBe(true);
  });

const WALL = /^(Wall|Waiting for the first results|\d+ targets? needs? attention)$/;

test('the wall is never blank: through an hour, and while the server is away for 3 s and an hour', async ({ page }) => {
  test.skip(isLong, 'hours pass by the clock of the page');
  await openPage(page, '/wall');
  const state = page.getByRole('heading', { level: 1, name: WALL });
  const clock = page.locator('[data-wall] time').first();
  await expect(state).toBeVisible();
  await addTarget(page, 'Seen on the wall');
  await page.clock.runFor(3_600_000);
  await untilPageShows(page, (timeout) => expect(page.getByText('Seen on the wall').first()).toBeVisible({ timeout }));

  for (const awayMs of [3_000, 3_600_000]) {
    await product.stop('SIGKILL');
    const before = await clock.textContent();
    await page.clock.runFor(awayMs);
    await expect(state).toBeVisible();
    await expect(page.getByText('Seen on the wall').first()).toBeVisible();
    await expect(clock).not.toHaveText(before ?? '');
    const isLongAway = awayMs > 60_000;
    if (isLongAway)
      await untilPageShows(page, (timeout) =>
        expect(notice(page)).toHaveText(/^No connection to the server/, { timeout }),
      );
    await product.start();
    await untilPageShows(page, (timeout) => expect(notice(page)).toBeEmpty({ timeout }));
    const name = `Put in after ${awayMs} ms`;
    await addTarget(page, name);
    await untilPageShows(page, (timeout) => expect(page.getByText(name).first()).toBeVisible({ timeout }));
  }
  expect(await isSameDocument(page)).toBe(true);
});

(isLong ? test : test.skip)(
  'while the database is slow a page says so and comes back by itself, and an open one keeps its figures',
  async ({ page }) => {
    await openPage(page);
    const release = await product.lock('session, target');
    const said = /^The database has been slow or unreachable since \d\d:\d\d, figures as of \d\d:\d\d\./;
    await untilPageShows(page, (timeout) => expect(notice(page)).toHaveText(said, { timeout }));
    await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
    const other = await page.context().newPage();
    const answer = await other.goto(`${url()}/`);
    expect([answer?.status(), answer?.headers()['retry-after']]).toEqual([503, '5']);
    await expect(other.getByRole('heading', { level: 1, name: 'The database is responding slowly' })).toBeVisible();
    await expect(other.getByRole('link', { name: 'Vantages' })).toBeVisible();
    await expect(other.getByRole('button', { name: 'Sign out' })).toBeVisible();
    await release();
    await expect(other.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
    await other.close();
    await untilPageShows(page, (timeout) => expect(notice(page)).toBeEmpty({ timeout }));
    expect(await isSameDocument(page)).toBe(true);
  },
);

test("a proxy's error page and an answer that is cut off do not take the page away", async ({ page }) => {
  await openPage(page);
  let broken = 0;
  await page.route('**/*', async (route) => {
    const request = route.request();
    if (request.headers().rsc === undefined || broken >= 2) return await route.fallback();
    broken += 1;
    if (broken === 1) await route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' });
    else await route.abort('connectionreset');
  });
  await page.getByRole('link', { name: /^Incidents/ }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Incidents' })).toBeVisible();
  expect(broken).toBe(2);
  expect(await isSameDocument(page)).toBe(true);
});

test('a form waits for the server, and is sent once', async ({ page }) => {
  await openPage(page, '/targets/new');
  await page.getByLabel('URL').first().fill('https://127.0.0.1:1/');
  await page.getByLabel('Name').first().fill('Sent once');
  await page.route('**/api/health', (route) => route.abort('connectionrefused'));
  await page.getByRole('button', { name: 'Add target' }).click();
  await expect(notice(page)).toHaveText(/^No connection to the server since/);
  await expect(page.getByLabel('Name').first()).toHaveValue('Sent once');
  await page.unroute('**/api/health');
  await untilPageShows(page, (timeout) => expect(page).toHaveURL(/\/targets\/[0-9a-f-]{36}/, { timeout }));
  await page.goto('/');
  // Its row: what is wrong with it, and the first steps, name it, too.
  await expect(page.getByRole('rowheader').getByText('Sent once')).toHaveCount(1);
});

test('after a deployment of another build an open page is loaded anew, once', async ({ page }) => {
  await openPage(page, '/incidents');
  let loads = 0;
  page.on('load', () => {
    loads += 1;
  });
  // What tells builds apart is in the answer.
  await page.route('**/*', async (route) => {
    if (route.request().headers().rsc === undefined || loads > 0) return await route.fallback();
    const answer = await route.fetch();
    const body = (await answer.text()).replace(/"b":"[^"]+"/, '"b":"another"');
    await route.fulfill({ response: answer, body });
  });
  await untilPageShows(page, (timeout) => expect.poll(() => loads, { timeout }).toBe(1));
  await expect(page.getByRole('heading', { level: 1, name: 'Incidents' })).toBeVisible();
  expect(await isSameDocument(page)).toBe(false);
});

test('an open page whose session has ended goes to the sign-in and back', async ({ page }) => {
  await openPage(page, '/incidents');
  await page.context().clearCookies({ name: /session/ });
  await untilPageShows(page, (timeout) => expect(page).toHaveURL(/\/login\?next=%2Fincidents/, { timeout }));
  await page.getByLabel('Password').fill(password());
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Incidents' })).toBeVisible();
});
