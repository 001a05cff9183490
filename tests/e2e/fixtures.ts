import AxeBuilder from '@axe-core/playwright';
import { test as base, expect, type Page } from '@playwright/test';
import { isLong } from '../support/extent.ts';
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

type Rules = { only?: string[]; without?: string[] };

/** No accessibility violation that axe calls serious or critical; of some rules alone, or of all but some, where given. */
export async function expectAccessible(page: Page, { only = [], without = [] }: Rules = {}): Promise<void> {
  const axe = new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).disableRules(without);
  const { violations } = await (only.length > 0 ? axe.withRules(only) : axe).analyze();
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(grave.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
}

/** The longest time between two looks of an open page at the server, and until the tests give it up. */
const LOOKS_EVERY_MS = 15_000;
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
  admin: async ({ page, session }, use) => {
    await page.context().addCookies((await session()).map((cookie) => ({ ...cookie, url: url() })));
    await page.goto('/');
    await use(page);
  },
  // With a session of the test's own, through the form.
  signedIn: async ({ page }, use) => {
    await signIn(page);
    await use(page);
  },
});

export { expect, type Page };
