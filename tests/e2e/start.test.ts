import { expect, signIn, test } from './fixtures.ts';

test('the first thing I am asked for is the password that the terminal printed', async ({ page }) => {
  await page.goto('/');
  await expect(page).toHaveURL(/\/login/);
  await signIn(page);
});
