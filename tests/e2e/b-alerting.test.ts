import { expect, expectAccessible, openTarget, test } from './fixtures.ts';

/** The detector goes over the demo's past after the dashboard is there: longest wait for what it finds. */
const DETECTED_MS = 150_000;

test('an open incident is found from the navigation, acknowledged with a note, and resolved', async ({
  admin: page,
}) => {
  test.setTimeout(DETECTED_MS + 60_000);
  await page.getByRole('link', { name: /^Incidents/ }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Incidents' })).toBeVisible();
  const incidents = page.getByRole('rowheader').getByRole('link');
  await expect(incidents.first()).toBeVisible({ timeout: DETECTED_MS });
  await expectAccessible(page);
  await incidents.first().click();
  await expect(page.getByRole('heading', { level: 2, name: 'Affected lines' })).toBeVisible();
  await expectAccessible(page);
  await page.getByLabel('Note (optional)').fill('The carrier has been told');
  await page.getByRole('button', { name: 'Acknowledge' }).click();
  await expect(page.getByText('The carrier has been told')).toBeVisible();
  await expect(page.getByText(/^Acknowledged by dashboard/)).toBeVisible();
  await page.getByRole('button', { name: 'Resolve' }).click();
  await expect(page.getByRole('button', { name: 'Resolve' })).toHaveCount(0);
  await expect(page.getByText('by hand', { exact: false })).toBeVisible();
});

test('lasting changes stand in the order of their effect', async ({ admin: page }) => {
  test.setTimeout(DETECTED_MS + 60_000);
  await expect(async () => {
    await page.goto('/regressions?direction=both');
    expect(await page.getByRole('rowheader').count()).toBeGreaterThan(1);
  }).toPass({ timeout: DETECTED_MS });
  await expectAccessible(page);
  const effects = await page.locator('tbody tr td:nth-child(2)').allInnerTexts();
  const sizes = effects.map((text) => Number(/[\d.,]+/.exec(text)?.[0].replace(',', '')));
  expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
});

test('a marker is added on a target, numbered beside its charts, and removed', async ({ admin: page }) => {
  await openTarget(page, /In order/);
  await page.getByRole('link', { name: 'Trend', exact: true }).first().click();
  await page.locator('summary', { hasText: 'Add marker' }).click();
  await page.getByLabel('What changed').fill('Deployed 2.14');
  await page.getByRole('button', { name: 'Add marker' }).click();
  const marks = page.locator('#marks');
  await expect(marks.getByText('Deployed 2.14', { exact: true })).toBeVisible();
  await expectAccessible(page);
  await marks.getByRole('button', { name: 'Remove Deployed 2.14' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await expect(marks.getByText('Deployed 2.14', { exact: true })).toHaveCount(0);
});

test('a rule with both limits is refused; one that is in order is made, turned off and deleted', async ({
  admin: page,
}) => {
  await page.goto('/rules/new?kind=threshold');
  await page.getByLabel('Name', { exact: true }).fill('Slow shop');
  await page.getByLabel('Below', { exact: true }).fill('5');
  await page.getByRole('button', { name: 'Add rule' }).click();
  await expect(page.getByLabel('Above', { exact: true })).toHaveAttribute('aria-invalid', 'true');
  await page.getByLabel('Below', { exact: true }).fill('');
  await page.getByRole('button', { name: 'Add rule' }).click();
  await expect(page.getByText('TLS P95 above 200 ms over 10 min')).toBeVisible();
  await page.getByRole('button', { name: 'Turn off Slow shop' }).click();
  await expect(page.getByRole('button', { name: 'Turn on Slow shop' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Edit Slow shop' }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('Slow shop')).toHaveCount(0);
});

test('a silence with a cron that is none is refused; a good one is active at once', async ({ admin: page }) => {
  await page.goto('/silences/new');
  await page.getByLabel('Comment').fill('Night work');
  await page.getByLabel('Repeats (cron)').fill('every night');
  await page.getByLabel('Lasts, minutes').fill('60');
  await page.getByRole('button', { name: 'Add silence' }).click();
  await expect(page.getByLabel('Repeats (cron)')).toHaveAttribute('aria-invalid', 'true');
  await page.getByLabel('Repeats (cron)').fill('');
  await page.getByLabel('Lasts, minutes').fill('');
  await page.getByRole('button', { name: 'Add silence' }).click();
  await expect(page.getByRole('row', { name: /Night work/ }).getByText('active')).toBeVisible();
  await page.getByRole('button', { name: 'Remove Night work' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByText('Night work')).toHaveCount(0);
});

test('a webhook shows its secret once, previews a message, and its test is in the log', async ({ admin: page }) => {
  await page.goto('/webhooks/new');
  await page.getByLabel('URL', { exact: true }).fill('ftp://receiver.invalid/');
  await page.getByRole('button', { name: 'Add webhook' }).click();
  await expect(page.getByLabel('URL', { exact: true })).toHaveAttribute('aria-invalid', 'true');
  await page.getByLabel('URL', { exact: true }).fill('https://receiver.invalid/hook');
  await page.getByRole('button', { name: 'Add webhook' }).click();
  await expect(page.getByText(/^whsec_/)).toBeVisible();
  await page.goto('/webhooks');
  await page.getByRole('link', { name: 'receiver.invalid' }).click();
  await expect(page.getByText('"type": "tls.spike.opened"')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByRole('rowheader').getByRole('link', { name: 'webhook.test' }).first().click();
  await expect(page.getByRole('heading', { level: 1, name: /webhook\.test/ })).toBeVisible();
  await expect(page.getByText('Attempt 1')).toBeVisible();
  await expectAccessible(page);
});
