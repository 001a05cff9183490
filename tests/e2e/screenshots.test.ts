import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '#cli/dist.mjs';
import { ALERTING, alertingNames, named, PLAIN, plainNames } from './addresses.ts';
import { expect, openTarget, type Page, test } from './fixtures.ts';
import { DETECTED_MS } from './incidents.ts';

// The pictures of the READMEs and of every page that is read, in both languages and themes. Written only when asked for, so that a
// test leaves the tree alone:
//   ROUNDTRIP_SCREENSHOTS=1 npx playwright test screenshots
// Four minutes, one of which the detector needs for the demo's past.

const FOLDER = path.join(ROOT, 'docs/screenshots');
/** Where they are until all have been taken. */
const FRESH = path.join(ROOT, 'test-results/screenshots');
const ZONE = 'Asia/Shanghai';
/** Far from every demo server: the extra round trip stands out. */
const FAR = 'region=CN-GS&carrier=telecom';

test.use({ viewport: { width: 1440, height: 1200 } });

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

/** Takes a picture of a page in each language and theme, once all that it loads is there. */
async function photograph(page: Page, name: string, url: string, height = 1180): Promise<void> {
  await page.setViewportSize({ width: 1440, height });
  for (const lang of ['en', 'zh-CN'])
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme });
      await page.goto(`/preferences?lang=${lang}&theme=${theme}`);
      const answer = await page.goto(url, { waitUntil: 'networkidle' });
      expect(answer?.ok(), url).toBe(true);
      await expect(page.locator('main [aria-busy="true"]')).toHaveCount(0);
      const picture = await page.screenshot();
      writeFileSync(path.join(FRESH, `${name}-${lang}-${theme}.webp`), await webpOf(page, picture));
    }
  await page.goto('/preferences?lang=en&theme=light');
}

/** A third of the size, by the browser's own encoder. */
async function webpOf(page: Page, png: Buffer): Promise<Buffer> {
  const encoder = await page.context().newPage();
  const url = await encoder.evaluate(
    async (source) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
      canvas.getContext('2d')?.drawImage(image, 0, 0);
      return canvas.toDataURL('image/webp', 0.8);
    },
    `data:image/png;base64,${png.toString('base64')}`,
  );
  await encoder.close();
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
}

/** Pages that are read, by the names of their pictures. The others are forms. */
const READ = {
  overview: '/',
  'target-now': '/targets/[id]',
  trend: '/targets/[id]/trend?range=24h',
  'trend-month': '/targets/[id]/trend?range=30d',
  advice: '/targets/[id]/advice',
  results: '/targets/[id]/results',
  incidents: '/incidents?state=all',
  regressions: '/regressions?direction=both',
  changes: '/comparisons',
  comparison: '/comparisons/[id]',
  rules: '/rules',
  silences: '/silences',
  webhooks: '/webhooks',
  webhook: '/webhooks/[id]',
  delivery: '/webhooks/[id]/deliveries/[delivery]',
  vantages: '/vantages',
  settings: '/settings',
  'probe-now': '/probe',
  measurement: '/probe/[id]',
  wall: '/wall',
  'status-page': '/shared/[status]',
};

test('the pictures show what I see', async ({ admin: page }) => {
  test.skip(process.env.ROUNDTRIP_SCREENSHOTS !== '1', 'set ROUNDTRIP_SCREENSHOTS=1 to write them');
  test.setTimeout(3 * DETECTED_MS);
  rmSync(FRESH, { recursive: true, force: true });
  mkdirSync(FRESH, { recursive: true });

  const incidents = '/incidents?state=all&kind=regression';
  const incident = await findIncident(page, incidents, [/legacy/, /Handshake structure/, /Standing/]);
  await photograph(page, 'incident', incident, 1100);

  await page.goto('/');
  await openTarget(page, /^legacy$/);
  const target = new URL(page.url()).pathname;
  await photograph(page, 'target', `${target}?${congestedEvening()}`);
  await page.goto(`${target}/results?${FAR}`);
  await photograph(page, 'handshake', await firstLink(page, '/results/'), 1150);

  const names = { ...(await plainNames(page)), ...(await alertingNames(page)) };
  for (const [name, address] of Object.entries(READ))
    await photograph(page, name, named([address], names)[0] ?? address, 900);
  rmSync(FOLDER, { recursive: true, force: true });
  renameSync(FRESH, FOLDER);
});

/** Forms, and the views of a measurement's vantage and of links, which show what other pages do. */
const UNPICTURED = /new|edit|\[vantage\]|\[token\]|\/incidents\/|\/results\/\[id\]/;

test('every page that is read is photographed', () => {
  const path = (address: string) => address.replace(/\?.*/, '');
  const pictured = Object.values(READ).map(path);
  const read = [...PLAIN, ...ALERTING].map(path).filter((address) => !UNPICTURED.test(address));
  expect(read.filter((address) => !pictured.includes(address))).toEqual([]);
});
