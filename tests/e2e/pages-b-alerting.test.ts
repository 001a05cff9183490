import { extent } from '../support/extent.ts';
import { scriptKilobytes } from '../support/script-weight.ts';
import { ALERTING, alertingNames, named } from './addresses.ts';
import { FAILING } from './failing-target.ts';
import { expect, expectAccessibleEverywhere, longTest, type Page, test } from './fixtures.ts';
import { DETECTED_MS, waitForRows } from './incidents.ts';

/** As of all other stories. */
const VIEWPORT = { width: 1360, height: 900 };
const CHARTED = '/incidents?state=resolved&kind=regression';

/** What addresses of `ALERTING` name: an incident, one with a chart, a rule, a webhook with its messages. */
async function incidentNames(page: Page): Promise<Record<string, string>> {
  await waitForRows(page, CHARTED, 1);
  const charted = await firstIncident(page, CHARTED);
  const incident = await firstIncident(page, '/incidents?state=all');
  const names = await alertingNames(page);
  return { ...names, '/incidents/[id]': incident, '/incidents/[charted]': charted };
}

async function firstIncident(page: Page, list: string): Promise<string> {
  await page.goto(list);
  const links = page.locator('main a[href^="/incidents/"]').filter({ hasNotText: FAILING });
  return String(await links.first().getAttribute('href'));
}

/** Kilobytes of script: as of the overview, and as of the other pages with a chart. */
const PLAIN_KB = 150;
const CHART_KB = 210;
/** An incident, the same with a chart, a list and a form: each loads what its kind loads. */
const WEIGHED = extent(
  ['/incidents/[id]', '/incidents/[charted]', '/regressions?direction=both', '/rules/new?kind=detector'],
  ALERTING,
);

async function expectLight(page: Page, path: string): Promise<void> {
  const most = /^\/incidents\/0/.test(path) ? CHART_KB : PLAIN_KB;
  const kilobytes = await scriptKilobytes(page, path);
  expect.soft(kilobytes, path).toBeGreaterThan(0);
  expect.soft(kilobytes, path).toBeLessThanOrEqual(most);
}

for (const [lang, its] of [
  ['en', test],
  ['zh-CN', longTest],
] as const) {
  its(
    `I can use every page of alerting with a screen reader, with few pixels, in light and dark, and none loads more script than others do (${lang})`,
    async ({ admin: page }) => {
      test.setTimeout(DETECTED_MS + 180_000);
      await page.goto(`/preferences?lang=${lang}`);
      const names = await incidentNames(page);
      for (const path of named(ALERTING, names)) await expectAccessibleEverywhere(page, path);
      await page.setViewportSize(VIEWPORT);
      for (const path of named(WEIGHED, names)) await expectLight(page, path);
    },
  );
}
