import { expect, expectAccessible, test } from './fixtures.ts';

test('I probe what the form says before I save it: I see what came, and the form stays', async ({ admin: page }) => {
  const { data } = await (await page.request.get('/api/v1/targets')).json();
  const { id, url } = data.find(({ name }: { name: string }) => name === 'legacy');
  await page.goto('/targets/new');
  await page.getByLabel('Name', { exact: true }).fill('Tried first');
  await page.getByLabel('URL').fill('http://plain.example');
  await page.getByRole('button', { name: 'Probe first' }).click();
  await expect(page.getByLabel('URL')).toHaveAttribute('aria-invalid', 'true');
  await page.getByLabel('URL').fill(url);
  await page.getByRole('button', { name: 'Probe first' }).click();
  // The demo's authority is trusted where a target says so.
  await expect(page.getByText('5 of 5 answered; 5 failed: Certificate not trusted')).toBeVisible();
  await expect(page.getByRole('link', { name: 'All answers' })).toHaveAttribute('href', /^\/probe\/[0-9a-f-]{36}$/);
  await expect(page.getByLabel('URL')).toHaveAttribute('aria-invalid', 'false');
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Tried first');
  await expectAccessible(page);
  await page.goto('/');
  await expect(page.getByText('Tried first')).toHaveCount(0);
  await page.goto(`/targets/${id}/edit`);
  await page.getByRole('button', { name: 'Probe first' }).click();
  await expect(page.getByText(/^5 of 5 answered; TLS [\d.]+ ms to [\d.]+ ms/)).toBeVisible();
});

test('I add a target, rename and tag it, find it by its tag, and delete it; a URL that is none is refused', async ({
  admin: page,
}) => {
  await page.goto('/');
  await page.getByRole('link', { name: 'Add target' }).click();
  await page.getByLabel('URL').fill('http://plain.example');
  await page.getByRole('button', { name: 'Add target' }).click();
  await expect(page.getByLabel('URL')).toHaveAttribute('aria-invalid', 'true');
  await expect(page.getByText(/https:\/\//).first()).toBeVisible();
  await page.getByLabel('URL').fill('roundtrip.example');
  await page.getByRole('button', { name: 'Add target' }).click();
  await expect(page.getByRole('heading', { level: 1, name: /roundtrip\.example/ })).toBeVisible();
  await page.goto(`${new URL(page.url()).pathname}/edit`);
  await page.getByLabel('Name', { exact: true }).fill('Example shop');
  await page.getByLabel(/^Tags/).fill('cdn, two!');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByLabel(/^Tags/)).toHaveAttribute('aria-invalid', 'true');
  await page.getByLabel(/^Tags/).fill('cdn, team/pay');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { level: 1, name: /Example shop/ })).toBeVisible();
  const path = new URL(page.url()).pathname;
  await page.goto('/');
  await page.getByRole('navigation', { name: 'Tags' }).getByRole('link', { name: 'cdn' }).click();
  await expect(page).toHaveURL(/\?tag=cdn$/);
  await expect(page.getByRole('rowheader')).toHaveText([/^Example shop/]);
  await page.goto(`${path}/edit`);
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page).toHaveURL(/\/$/);
  await expect(page.getByText('Example shop')).toHaveCount(0);
});

test('I add a vantage, get its token once, rename it and remove it', async ({ admin: page }) => {
  await page.goto('/vantages');
  await page.getByRole('link', { name: 'Add vantage' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Guangzhou office');
  await page.getByLabel('Region').fill('CN-GD');
  await page.getByLabel('Carrier').fill('telecom');
  await page.getByRole('button', { name: 'Add vantage' }).click();
  await expect(page.getByText(/rte_/).first()).toBeVisible();
  await page.goto('/vantages');
  await page.getByRole('link', { name: /Edit.*Guangzhou office/ }).click();
  await page.getByLabel('Name', { exact: true }).fill('Guangzhou branch');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('link', { name: /Edit.*Guangzhou branch/ }).click();
  // Not “Remove demo” of the page before, which is there until this one is.
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByText('Guangzhou branch')).toHaveCount(0);
});
