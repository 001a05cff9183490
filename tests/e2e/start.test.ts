import { expect, password, test } from './fixtures.ts';

test('the first thing I am asked for is the password that the terminal printed; I sign in with the keyboard alone, and sign out', async ({
  page,
}) => {
  await page.goto('/');
  await expect(page).toHaveURL(/\/login/);
  const field = page.getByLabel('Password');
  const isFocused = () => field.evaluate((element) => element === document.activeElement);
  for (let presses = 0; presses < 10 && !(await isFocused()); presses++) await page.keyboard.press('Tab');
  await expect(field).toBeFocused();
  await page.keyboard.type(password());
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(/\/login/);
  await page.goto('/');
  await expect(page).toHaveURL(/\/login/);
});
