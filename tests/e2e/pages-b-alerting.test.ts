import { extent } from '../support/extent.ts';
import { scriptKilobytes } from '../support/script-weight.ts';
import { ALERTING, alertingNames, named } from './addresses.ts';
import { FAILING } from './failing-target.ts';
import { expect, expectAccessibleEverywhere, longTest, type Page, test } from './fixtures.ts';
import { DETECTED_MS, waitForRows } from './incidents.ts';

const CHARTED = '/incidents?state=resolved&kind=regression';

/** Every page of alerting: lists, forms, an incident, one with a chart, a rule, a webhook with its messages. */
async function alertingPages(page: Page): Promise<string[]> {
  await waitForRows(page, CHARTED, 1);
  const charted = await firstIncident(page, CHARTED);
  const incident = await firstIncident(page, '/incidents?state=all');
  const names = await alertingNames(page);
  return named(ALERTING, { ...names, '/incidents/[id]': incident, '/incidents/[charted]': charted });
}

async function firstIncident(page: Page, list: string): Promise<string> {
  await page.goto(list);
  const links = page.locator('main a[href^="/incidents/"]').filter({ hasNotText: FAILING });
  return String(await links.first().getAttribute('href'));
}

for (const [lang, its] of [
  ['en', test],
  ['zh-CN', longTest],
] as const) {
  its(
    `I can use every page of alerting with a screen reader, with few pixels, in light and dark (${lang})`,
    async ({ admin: page }) => {
      test.setTimeout(DETECTED_MS + 180_000);
      await page.goto(`/preferences?lang=${lang}`);
      for (const address of await alertingPages(page)) await expectAccessibleEverywhere(page, address);
    },
  );
}

/** Kilobytes of script: as of the overview, and as of the other pages with a chart. */
const PLAIN_KB = 150;
const CHART_KB = 210;

test('no page of alerting loads more script than the pages that were there before', async ({ admin: page }) => {
  test.setTimeout(DETECTED_MS + 120_000);
  const pages = await alertingPages(page);
  // An incident, the same with a chart, and a form: each loads what its kind loads.
  for (const path of extent(pages.slice(1, 4), pages)) {
    const most = /^\/incidents\/0/.test(path) ? CHART_KB : PLAIN_KB;
    const kilobytes = await scriptKilobytes(page, path);
    expect.soft(kilobytes, path).toBeGreaterThan(0);
    expect.soft(kilobytes, path).toBeLessThanOrEqual(most);
  }
});
