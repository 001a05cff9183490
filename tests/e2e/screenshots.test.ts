import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '#cli/dist.mjs';
import { expect, openTarget, type Page, test } from './fixtures.ts';
import { DETECTED_MS } from './incidents.ts';

// The pictures of the READMEs. Written only when asked for, so that a test leaves the tree alone:
//   ROUNDTRIP_SCREENSHOTS=1 npx playwright test screenshots
// Two to five minutes, most of which the detector needs for the demo's past.

const FOLDER = path.join(ROOT, 'docs/screenshots');
const ZONE = 'Asia/Shanghai';
/** Far from every demo server: the extra round trip stands out. */
const FAR = 'region=CN-GS&carrier=telecom';

test.use({ viewport: { width: 1440, height: 1200 }, colorScheme: 'light' });

/** The evening on which one carrier was congested, two days before today in China (demo/past/story.ts). */
function congestedEvening(): URLSearchParams {
  const day = new Date(Date.now() - 2 * 86_400_000).toLocaleDateString('sv-SE', { timeZone: ZONE });
  return new URLSearchParams({ from: `${day}T20:20`, to: `${day}T21:40`, zone: ZONE });
}

/** Waits until this list of incidents (a path) has a row with all of these texts; the path of its incident. */
async function findIncident(page: Page, list: string, texts: RegExp[]): Promise<string> {
  const rows = texts.reduce((found, hasText) => found.filter({ hasText }), page.locator('main tbody tr'));
  await expect(async () => {
    await page.goto(list);
    await expect(rows.first()).toBeVisible({ timeout: 1_000 });
  }).toPass({ timeout: DETECTED_MS });
  return String(await rows.first().locator('a[href^="/incidents/"]').first().getAttribute('href'));
}

async function firstLink(page: Page, prefix: string): Promise<string> {
  return String(await page.locator(`main tbody a[href^="${prefix}"]`).first().getAttribute('href'));
}

/** Takes a picture of this page in both languages, once `shown` is there. */
async function photograph(page: Page, name: string, url: string, shown: string, height: number): Promise<void> {
  await page.setViewportSize({ width: 1440, height });
  for (const lang of ['en', 'zh-CN']) {
    await page.goto(`/preferences?lang=${lang}`);
    await page.goto(url, { waitUntil: 'networkidle' });
    await expect(page.locator(shown).first()).toBeVisible();
    await page.screenshot({ path: path.join(FOLDER, `${name}-${lang}.png`) });
  }
  await page.goto('/preferences?lang=en');
}

test('the READMEs show what I see', async ({ admin: page }) => {
  test.skip(process.env.ROUNDTRIP_SCREENSHOTS !== '1', 'set ROUNDTRIP_SCREENSHOTS=1 to write them');
  test.setTimeout(2 * DETECTED_MS);
  mkdirSync(FOLDER, { recursive: true });

  await openTarget(page, /^legacy$/);
  const target = new URL(page.url()).pathname;
  await photograph(page, 'target', `${target}?${congestedEvening()}`, '#matrix', 1180);

  await expect(async () => {
    await page.goto(`${target}/results?${FAR}`);
    await expect(page.locator('main tbody a[href^="/results/"]').first()).toBeVisible({ timeout: 1_000 });
  }).toPass({ timeout: DETECTED_MS });
  await photograph(page, 'handshake', await firstLink(page, '/results/'), 'h1', 1150);

  const incidents = '/incidents?state=all&kind=regression';
  const incident = await findIncident(page, incidents, [/31 provinces/, /Handshake structure/, /Standing/]);
  await photograph(page, 'incident', incident, 'canvas', 1100);
});
