import AxeBuilder from '@axe-core/playwright';
import { test as base, expect, type Page } from '@playwright/test';

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
  await expect(page.getByRole('heading', { level: 1, name: 'Targets' })).toBeVisible();
}

/** The page of the demo target whose name contains `part`. */
export async function openTarget(page: Page, part: string | RegExp): Promise<void> {
  await page.goto('/');
  await page.getByRole('link', { name: part }).first().click();
  await expect(page).toHaveURL(/\/targets\/[0-9a-f-]{36}/);
}

/** No accessibility violation that axe calls serious or critical; of these rules alone where some are given. */
export async function expectAccessible(page: Page, rules: string[] = []): Promise<void> {
  const axe = new AxeBuilder({ page }).options({ resultTypes: ['violations'] });
  const { violations } = await (rules.length > 0 ? axe.withRules(rules) : axe).analyze();
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(grave.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
}

type Fixtures = { faults: string[]; admin: Page };

/** `page` with a watch on it: a console error, a page error or a failed request fails the test. */
export const test = base.extend<Fixtures>({
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
  admin: async ({ page }, use) => {
    await signIn(page);
    await use(page);
  },
});

export { expect, type Page };
