import { extent, isLong } from '../support/extent.ts';
import { FAILING as NAME } from './failing-target.ts';
import { expect, expectAccessible, openTarget, type Page, test } from './fixtures.ts';
import { DETECTED_MS } from './incidents.ts';

const REASON = 'Connection refused (phase Connect)';

const narrow = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);

test('a target that fails says why on the overview, on its pages and in its incident', async ({ admin: page }) => {
  test.setTimeout(DETECTED_MS + 180_000);
  await openTarget(page, NAME);
  const path = new URL(page.url()).pathname;
  const problems = page.getByRole('region', { name: 'Problems' });
  const sentence = problems.getByRole('link', { name: `100% of probes fail: ${REASON} since` });

  await test.step('the overview has the sentence, and counts the target', async () => {
    await page.goto('/');
    await expect(sentence).toBeVisible({ timeout: DETECTED_MS });
    await expect(page.getByText(/targets · \d+ needs? attention/)).toBeVisible();
    await expect(
      page.getByRole('row', { name: new RegExp(`${NAME}.*${REASON.replace(/[()]/g, '\\$&')}`) }),
    ).toBeVisible();
  });

  await test.step('each of its pages has the banner', async () => {
    for (const view of ['', '/trend', '/results']) {
      await page.goto(`${path}${view}`);
      await expect(page.getByRole('region', { name: 'Open incidents' }).getByRole('link').first()).toContainText(
        REASON,
      );
      if (isLong) await expectAccessible(page);
    }
  });

  await test.step('the cell is marked, and its mark leads to the incident', async () => {
    await page.goto(path);
    const mark = page.locator('#matrix').getByRole('link', { name: /Open incident: Down · / });
    await expect(mark).toHaveCount(1);
    await mark.click();
    await expect(page.getByRole('heading', { level: 1, name: `Down: ${NAME}` })).toBeVisible();
  });

  await test.step('I probe it again from its places, and read beside the incident that it fails still', async () => {
    const incident = page.url();
    await page.getByRole('button', { name: 'Probe now from these places' }).click();
    await expect(page).toHaveURL(/\/probe\/[0-9a-f-]+$/);
    await expect(page.getByText('1 of 1 answered')).toBeVisible();
    await page.goto(incident);
    const probed = page.getByRole('region', { name: /^Probe now/ });
    await expect(probed).toContainText('1 of 1 answered');
    await expect(probed).toContainText('1 failed');
    await probed.getByRole('link', { name: 'All answers' }).click();
    await expect(page.getByText('Connection refused').first()).toBeVisible();
  });

  await test.step('the trend says when and why it failed', async () => {
    await page.goto(`${path}/trend?range=1h`);
    const table = page.getByRole('region', { name: 'Failures in this range' }).getByRole('table');
    await expect(table.getByRole('row', { name: /100%.*Connection refused/ })).toBeVisible();
  });

  await test.step('the incident names it, in Chinese too, and a phone shows all of it', async () => {
    await page.goto('/');
    await sentence.click();
    await expect(page.getByRole('heading', { level: 1, name: `Down: ${NAME}` })).toBeVisible();
    await expect(page.getByRole('main').getByText(`100% of probes fail: ${REASON}`)).toBeVisible();
    const incident = new URL(page.url()).pathname;
    await page.setViewportSize({ width: 390, height: 844 });
    for (const at of extent(['/', incident], ['/', path, `${path}/trend`, incident])) {
      await page.goto(`${at}?lang=zh-CN`);
      await expect(page.getByText('连接被拒绝（建连阶段）').first()).toBeVisible();
      expect(await narrow(page), at).toBe(true);
    }
    await page.goto('/?lang=en');
  });

  await page.goto(`${path}/edit`);
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText(NAME)).toHaveCount(0);
});
