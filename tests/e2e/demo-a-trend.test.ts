import { readFile } from 'node:fs/promises';
import { expect, expectAccessible, openTarget, test } from './fixtures.ts';

test('I read the heatmap of all series with the arrow keys, and drag over a time to zoom in, and double click to be back', async ({
  admin: page,
}) => {
  await openTarget(page, /^legacy$/);
  await page.goto(`${new URL(page.url()).pathname}/trend?range=24h`);
  const heatmap = page.locator('#heatmap');
  const cells = heatmap.getByRole('application', { name: /93 series as rows/ });
  await expect(cells.locator('canvas')).toBeVisible();
  // Of what was generated before the demo began the range is full.
  await expect(page.getByText('data covers only a small part')).toHaveCount(0);
  await cells.press('Home');
  await expect(heatmap.getByRole('status')).toHaveText(/^Beijing Telecom, \d{4}-\d\d-\d\d \d\d:\d\d: /);
  await cells.press('ArrowDown');
  await expect(heatmap.getByRole('status')).toHaveText(/^Tianjin Telecom, /);
  const box = await cells.boundingBox();
  if (!box) throw new Error('the heatmap is not shown');
  await page.mouse.move(box.x + box.width * 0.5, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.7, box.y + 80, { steps: 5 });
  await page.mouse.up();
  await expect(page).toHaveURL(/[?&]from=\d{4}.*&to=\d{4}/);
  await expect(heatmap.getByRole('application')).toBeVisible();
  const lines = page.getByRole('region', { name: /^TLS P50 by location/ }).getByRole('application');
  await lines.locator('canvas').dblclick();
  await expect(page).toHaveURL(/\/trend\?range=24h$/);
});

test('I see on the overview at which hours which target was slow, and open its trend', async ({ admin: page }) => {
  await page.goto('/');
  const heat = page.getByRole('region', { name: 'TLS P50 of the last 24 hours' });
  await heat.scrollIntoViewIfNeeded();
  const cells = heat.getByRole('application', { name: /: \d+ targets as rows, 24 hours as columns$/ });
  await expect(cells.locator('canvas')).toBeVisible();
  const legacy = /^legacy, \d{4}-\d\d-\d\d \d\d:00: [\d.,]+ ms, usual [\d.,]+ ms \(\+\d+%\)$/;
  // The demo's past comes some time after its start, and what is usual after that.
  await expect(async () => {
    await page.reload();
    await heat.scrollIntoViewIfNeeded();
    await cells.press('Home');
    for (let row = 0; row < 3 && !legacy.test((await heat.getByRole('status').textContent()) ?? ''); row += 1)
      await cells.press('ArrowDown');
    await expect(heat.getByRole('status')).toHaveText(legacy, { timeout: 300 });
  }).toPass();
  await cells.press('Enter');
  await expect(page).toHaveURL(/\/targets\/[0-9a-f-]{36}\/trend\?range=24h$/);
});

test('I see one carrier alone in a chart, read it with the arrow keys, and take its values, picture and link with me', async ({
  admin: page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openTarget(page, /^legacy$/);
  const trend = `${new URL(page.url()).pathname}/trend?range=1h`;
  const panel = page.getByRole('region', { name: /^TLS P50 by location/ });
  const chart = panel.getByRole('application');
  // The demo may be younger than a minute.
  await expect(async () => {
    await page.goto(trend);
    await expect(panel.getByRole('row', { name: /^Unicom/ })).toContainText(/\d ms/, { timeout: 2_000 });
  }).toPass();
  await expect(chart.locator('canvas')).toBeVisible();
  await panel.getByRole('button', { name: 'Unicom' }).click();
  await expect(panel.getByRole('button', { pressed: true })).toHaveText(['Unicom']);
  let key = 'End';
  await expect(async () => {
    await chart.press(key);
    key = 'ArrowLeft';
    await expect(panel.getByRole('status')).toHaveText(/^\d{4}-\d\d-\d\d \d\d:\d\d: Unicom [\d.,]+ ms$/, {
      timeout: 300,
    });
  }).toPass({ timeout: 30_000 });
  await panel.getByText('Values as a table').click();
  const times = panel.getByRole('row', { name: /^\d{4}-\d\d-\d\d \d\d:\d\d / });
  await expect(times).toHaveCount(60);
  await expect(times.filter({ hasText: /\d ms/ }).first()).toBeVisible();
  await panel.getByText('Save or share').click();
  const [values] = await Promise.all([
    page.waitForEvent('download'),
    panel.getByRole('button', { name: 'Values (CSV)' }).click(),
  ]);
  const [head = '', ...rows] = (await readFile(await values.path(), 'utf8')).split('\r\n');
  expect(head).toBe('\ufefftime,Unicom (ms)');
  expect(rows.filter((row) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:00\.000Z,\d+/.test(row)).length).toBeGreaterThan(0);
  const [picture] = await Promise.all([
    page.waitForEvent('download'),
    panel.getByRole('button', { name: 'Picture (PNG)' }).click(),
  ]);
  expect((await readFile(await picture.path())).subarray(1, 4).toString()).toBe('PNG');
  await panel.getByRole('button', { name: 'Copy a link to these times' }).click();
  await expect(panel.getByText('Copied', { exact: true })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/\/trend\?.*from=\d{4}.*&to=\d{4}/);
  await page.keyboard.press('Escape');
  await expect(panel.getByText('Save or share')).toBeFocused();
  await panel.getByRole('button', { name: 'Unicom' }).click();
  await expect(panel.getByRole('button', { pressed: true })).toHaveCount(3);
  await panel.getByRole('link', { name: 'the day before' }).click();
  await expect(page).toHaveURL(/overlay=day/);
  // Its generated past is there some time after its start.
  await expect(async () => {
    await page.reload();
    await expect(panel.getByRole('button', { name: 'Unicom, day before' })).toBeVisible({ timeout: 2_000 });
  }).toPass();
  await expect(panel.getByText(/The overlay holds generated values until \d/)).toBeVisible();
});

test('I read the trend by logarithms, with the least and greatest values, what the connections are made of, and how the times are distributed beside the hour before', async ({
  admin: page,
}) => {
  await openTarget(page, /^legacy$/);
  const path = new URL(page.url()).pathname;
  const percentiles = page.getByRole('region', { name: /^TLS percentiles/ });
  // The demo may be younger than a minute.
  await expect(async () => {
    await page.goto(`${path}/trend?range=1h`);
    await expect(percentiles.getByRole('row', { name: /^P95/ })).toContainText(/\d ms/, { timeout: 2_000 });
  }).toPass();
  await percentiles.getByRole('link', { name: 'logarithmic' }).click();
  await expect(page).toHaveURL(/axis=log/);
  await percentiles.getByRole('link', { name: 'shown' }).click();
  await expect(page).toHaveURL(/axis=log.*extremes=shown/);
  await expect(percentiles.getByRole('link', { name: 'logarithmic' })).toHaveAttribute('aria-current', 'true');
  await expect(percentiles.getByRole('row', { name: /^max/ })).toContainText(/\d ms/);
  let key = 'End';
  await expect(async () => {
    await percentiles.getByRole('application').press(key);
    key = 'ArrowLeft';
    await expect(percentiles.getByRole('status')).toHaveText(/P50 [\d.,]+ ms.*, min [\d.,]+ ms, max [\d.,]+ ms$/, {
      timeout: 300,
    });
  }).toPass({ timeout: 30_000 });
  const makeup = page.getByRole('region', { name: /^Connection makeup/ });
  await expect(makeup.getByRole('row', { name: /^TLSv1\.2/ })).toContainText('100%');
  await makeup.getByRole('link', { name: 'HTTP version' }).click();
  await expect(page).toHaveURL(/makeup=http/);
  await expect(makeup.getByRole('row', { name: /^HTTP\/1\.1/ })).toContainText('100%');
  const panel = page.getByRole('region', { name: 'TLS distribution', exact: true });
  await expect(panel.getByRole('row', { name: /^This range/ })).toContainText(/\d ms/);
  await expect(panel.getByRole('row', { name: /^The window before/ })).toContainText(/\d ms/);
  await panel.scrollIntoViewIfNeeded();
  await expect(panel.locator('canvas')).toBeVisible();
  await panel.getByText('Values as a table').click();
  const shares = panel.getByRole('row', { name: /^[≤>\d]/ }).locator('td:nth-of-type(1)');
  const sum = async () => (await shares.allTextContents()).reduce((all, share) => all + Number(share), 0);
  await expect.poll(sum).toBeGreaterThan(99.5);
  expect(await sum()).toBeLessThan(100.5);
  await panel.getByText('Save or share').click();
  const [values] = await Promise.all([
    page.waitForEvent('download'),
    panel.getByRole('button', { name: 'Values (CSV)' }).click(),
  ]);
  expect(await readFile(await values.path(), 'utf8')).toMatch(
    /^\ufeffms,This range \(%\),The window before \(%\)\r\n[\d.]+,[\d.]+,[\d.]+\r\n/,
  );
  await panel.getByRole('link', { name: 'cumulative' }).click();
  await expect(page).toHaveURL(/spread=cumulative/);
  await expect(panel.getByText(/^Share of the successful probes that took at most so long/)).toBeVisible();
  await expectAccessible(page);
});

test('I read at which hours of the week it is slow with the arrow keys', async ({ admin: page }) => {
  await openTarget(page, /^legacy$/);
  await page.goto(`${new URL(page.url()).pathname}/trend?range=7d`);
  const panel = page.getByRole('region', { name: 'TLS P50 by hour and weekday', exact: true });
  const cells = panel.getByRole('application', { name: /7 days as rows/ });
  await expect(cells.locator('canvas')).toBeVisible();
  // A key is lost before the page is interactive.
  await expect(async () => {
    await cells.press('Home');
    await expect(panel.getByRole('status')).toHaveText(
      /^Monday, 00:00: [\d.,]+ ms, median of the range [\d.,]+ ms \([+−]?[\d.]+%\)$/,
      { timeout: 300 },
    );
  }).toPass();
  for (const key of ['ArrowDown', 'End']) await cells.press(key);
  await expect(panel.getByRole('status')).toHaveText(/^Tuesday, 23:00: /);
  await expectAccessible(page);
  await page.getByRole('link', { name: '24 h', exact: true }).click();
  await expect(panel).toHaveCount(0);
});
