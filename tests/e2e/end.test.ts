import { expect, test } from './fixtures.ts';

test('I remove the demo with one click and a confirmation', async ({ admin: page }) => {
  await page.getByRole('button', { name: 'Remove demo' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove demo' }).click();
  await expect(page.getByText('No targets yet')).toBeVisible();
  await expect(page.getByText('You are looking at a demo.')).toHaveCount(0);
});
