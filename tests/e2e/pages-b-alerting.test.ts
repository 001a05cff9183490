import { extent } from '../support/extent.ts';
import { scriptKilobytes } from '../support/script-weight.ts';
import { FAILING } from './failing-target.ts';
import { expect, expectAccessible, type Page, test } from './fixtures.ts';
import { DETECTED_MS, waitForRows } from './incidents.ts';

const CHARTED = '/incidents?state=resolved&kind=regression';

/** Every page of alerting: lists, forms, an incident, a rule, a webhook with its messages. */
async function alertingPages(page: Page): Promise<string[]> {
  await waitForRows(page, CHARTED, 1);
  const charted = await firstHref(page, CHARTED, '/incidents/');
  const incident = await firstHref(page, '/incidents?state=all', '/incidents/');
  const rule = await firstHref(page, '/rules', '/rules/0');
  const webhook = await firstHref(page, '/webhooks', '/webhooks/0');
  const lists = ['/incidents?state=all', '/regressions?direction=both', '/rules', '/silences', '/webhooks'];
  const forms = [
    '/rules/new?kind=detector',
    '/rules/new',
    '/silences/new',
    '/webhooks/new',
    '/webhooks/new?format=email',
  ];
  return [...lists, ...forms, incident, charted, rule, webhook, `${webhook}/edit`];
}

async function firstHref(page: Page, path: string, prefix: string): Promise<string> {
  await page.goto(path);
  const links = page.locator(`main a[href^="${prefix}"]`).filter({ hasNotText: FAILING });
  return String(await links.first().getAttribute('href'));
}

// Another theme has other colours and the same names, roles and order.
for (const [theme, rules] of [
  ['light', []],
  ['dark', ['color-contrast']],
] as const) {
  test(`I can use every page of alerting with a screen reader (${theme})`, async ({
    admin: page,
    context,
    baseURL,
  }) => {
    test.setTimeout(DETECTED_MS + 180_000);
    await context.addCookies([{ name: 'theme', value: theme, url: baseURL ?? '' }]);
    const all = await alertingPages(page);
    for (const path of theme === 'light'
      ? all
      : extent(
          all.filter((_, index) => index % 3 === 0),
          all,
        )) {
      await page.goto(path);
      await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
      await expect(page.locator('h1')).toBeVisible();
      await test.step(path, () => expectAccessible(page, { only: [...rules] }));
    }
  });
}

/** Kilobytes of script: as of the overview, and as of the other pages with a chart. */
const PLAIN_KB = 150;
const CHART_KB = 210;

test('no page of alerting loads more script than the pages that were there before', async ({ admin: page }) => {
  test.setTimeout(DETECTED_MS + 120_000);
  for (const path of await alertingPages(page)) {
    const most = /^\/incidents\/0/.test(path) ? CHART_KB : PLAIN_KB;
    const kilobytes = await scriptKilobytes(page, path);
    expect.soft(kilobytes, path).toBeGreaterThan(0);
    expect.soft(kilobytes, path).toBeLessThanOrEqual(most);
  }
});
