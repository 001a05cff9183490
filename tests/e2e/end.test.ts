import { removeFailingTarget } from './failing-target.ts';
import { expect, password, test, url } from './fixtures.ts';

test('I remove the demo with one click and a confirmation', async ({ admin: page }) => {
  await removeFailingTarget(url(), password());
  await page.goto('/');
  await page.getByRole('button', { name: 'Remove demo' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove demo' }).click();
  await expect(page.getByRole('heading', { name: 'First steps' })).toBeVisible();
  await expect(page.getByText('You are looking at a demo.')).toHaveCount(0);
});
