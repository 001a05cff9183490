import AxeBuilder from '@axe-core/playwright';
import { test as base, expect, type Page } from '@playwright/test';
import { extent, isLong } from '../support/extent.ts';
import { sessionCookies } from './session.ts';

const required = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: these tests are run by Playwright with tests/e2e/product.ts`);
  return value;
};

export const url = () => required('E2E_URL');
export const password = () => required('E2E_PASSWORD');
/** Milliseconds from the dashboard's address to the first page with a coloured matrix. */
export const firstColourMs = () => Number(required('E2E_FIRST_COLOUR_MS'));

/** Signs the admin in as a person does. */
export async function signIn(page: Page): Promise<void> {
  await page.goto('/login');
  await page.getByLabel('Password').fill(password());
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
}

/** The page of the target whose name contains `part`. */
export async function openTarget(page: Page, part: string | RegExp): Promise<void> {
  await page.goto('/');
  await page.getByRole('rowheader').getByRole('link', { name: part }).first().click();
  await expect(page).toHaveURL(/\/targets\/[0-9a-f-]{36}/);
}

/** Of WCAG 2.2 or good practice, and yet off in axe unless asked for, or called experimental. */
const ALSO = [
  ...['target-size', 'label-content-name-mismatch', 'css-orientation-lock', 'focus-order-semantics'],
  ...['p-as-heading', 'table-fake-caption', 'td-has-header'],
];
/** Rules that depend on the theme, and not on words. */
const COLOURS = ['color-contrast', 'link-in-text-block'];

/** No finding of axe, however light; of its rules about colours alone, or of all others. */
export async function expectAccessible(page: Page, colours: 'also' | 'alone' | 'not' = 'also'): Promise<void> {
  const rules = Object.fromEntries([
    ...ALSO.map((id) => [id, { enabled: true }]),
    ...COLOURS.map((id) => [id, { enabled: colours === 'also' }]),
  ]);
  // It stays in a page once it is there.
  const isThere = await page.evaluate(() => 'axe' in window);
  const axe = new AxeBuilder(isThere ? { page, axeSource: ';' } : { page }).setLegacyMode();
  axe.options({
    resultTypes: ['violations'],
    selectors: false,
    ...(colours === 'alone' ? { runOnly: COLOURS } : { rules }),
  });
  const { violations } = await axe.analyze();
  expect.soft(violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))).toEqual([]);
}

/** In px: a laptop, a phone, and the narrowest that WCAG 1.4.10 asks for. */
const [WIDE, NARROW, NARROWEST] = [1440, 360, 320];
/** So many rows of a table are looked at; those that follow are of the same kind. */
const ROWS = extent(8, Number.MAX_SAFE_INTEGER);

/**
 * No finding at a laptop, and nothing to scroll sideways on the narrowest; in full none in dark and on a phone either. The page
 * is loaded once.
 */
export async function expectAccessibleEverywhere(page: Page, path: string): Promise<void> {
  const height = 900;
  await page.setViewportSize({ width: WIDE, height });
  await page.goto(path);
  await expect(page.locator('h1')).toBeVisible();
  await page.evaluate((rows) => {
    for (const body of document.querySelectorAll('tbody'))
      for (const row of [...body.rows].slice(rows)) row.hidden = true;
  }, ROWS);
  await test.step(`${path}, wide`, () => expectAccessible(page));
  if (isLong) {
    await page.emulateMedia({ colorScheme: 'dark' });
    await test.step(`${path}, dark`, () => expectAccessible(page, 'alone'));
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: NARROW, height });
    await test.step(`${path}, narrow`, () => expectAccessible(page, 'not'));
  }
  await page.setViewportSize({ width: NARROWEST, height });
  const isWider = () => page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
  await expect.soft.poll(isWider, { message: `${path} is to be scrolled sideways`, timeout: 3_000 }).toBe(false);
}

/** The longest time between two looks of an open page at the server, and until the tests give it up. */
const LOOKS_EVERY_MS = 90_000;
const GIVEN_UP_MS = 120_000;

/**
 * Waits for what an open page does by its own clock, which goes on to its next look again and again: call
 * `page.clock.install()` before the page is opened. In full (`npm run test:long`) the page's clock is left alone.
 * `holds` takes how long it may wait, in ms.
 */
export async function untilPageShows(page: Page, holds: (timeout: number) => Promise<void>): Promise<void> {
  if (isLong) return await holds(GIVEN_UP_MS);
  await expect(async () => {
    await page.clock.fastForward(LOOKS_EVERY_MS);
    await holds(1_000);
  }).toPass({ timeout: GIVEN_UP_MS });
}

type Fixtures = { faults: string[]; admin: Page; signedIn: Page };
type Cookies = { name: string; value: string }[];
type WorkerFixtures = { session: () => Promise<Cookies> };

/** `page` with a watch on it: a console error, a page error or a failed request fails the test. */
export const test = base.extend<Fixtures, WorkerFixtures>({
  // One session for all tests of a worker at one product; those that end sessions have a product of their own.
  session: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright demands the braces, and this fixture needs no other
    async ({}, use) => {
      const known = new Map<string, Promise<Cookies>>();
      await use(async () => {
        const product = `${url()} ${password()}`;
        const cookies = known.get(product) ?? sessionCookies(url(), password());
        known.set(product, cookies);
        return await cookies;
      });
    },
    { scope: 'worker' },
  ],
  // biome-ignore lint/correctness/noEmptyPattern: Playwright demands the braces, and this fixture needs no other
  baseURL: async ({}, use) => use(url()),
  faults: [
    async ({ page }, use) => {
      const faults: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error') faults.push(`console: ${message.text()}`);
      });
      page.on('pageerror', (error) => faults.push(`page: ${error.message}`));
      page.on('response', (response) => {
        if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`);
      });
      page.on('requestfailed', (request) => {
        const reason = request.failure()?.errorText;
        // A request that the browser itself gave up because the person went elsewhere is no fault.
        if (reason !== 'net::ERR_ABORTED') faults.push(`${reason} ${request.url()}`);
      });
      await use(faults);
      expect(faults).toEqual([]);
    },
    { auto: true },
  ],
  // A session without the form; where the test begins it says itself.
  admin: async ({ page, session }, use) => {
    await page.context().addCookies((await session()).map((cookie) => ({ ...cookie, url: url() })));
    await use(page);
  },
  // With a session of the test's own, through the form.
  signedIn: async ({ page }, use) => {
    await signIn(page);
    await use(page);
  },
});

/** A test of the long form alone (`npm run test:long`). */
export const longTest = isLong ? test : test.skip;

export { expect, type Page };
