import { expect, longTest, openTarget, type Page, password, signIn, url } from './fixtures.ts';
import { ownProduct } from './own-product.ts';

// A product of its own: sessions are ended here, and the password is changed.
ownProduct({ args: ['--no-demo', 'https://shop.test/'] });

async function signInWith(page: Page, word: string): Promise<void> {
  await page.getByLabel('Password').fill(word);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function changePassword(page: Page, current: string, next: string, again = next): Promise<void> {
  await page.goto('/settings');
  await page.getByLabel('Current password').fill(current);
  await page.getByLabel('New password', { exact: true }).fill(next);
  await page.getByLabel('New password, again').fill(again);
  await page.getByRole('button', { name: 'Change password' }).click();
}

/** Whether these cookies still read the API. */
async function mayRead(cookies: { name: string; value: string }[]): Promise<boolean> {
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const answer = await fetch(`${url()}/api/v1/targets`, { headers: { cookie } });
  expect([200, 401]).toContain(answer.status);
  return answer.status === 200;
}

longTest('I follow a link with its range and filter, sign in, and am where it leads', async ({ page, browser }) => {
  const other = await browser.newPage({ baseURL: url() });
  await signIn(other);
  await openTarget(other, 'shop.test');
  const link = `${new URL(other.url()).pathname}/trend?range=6h&metric=total&carrier=telecom`;
  await other.close();
  await page.goto(link);
  await expect(page).toHaveURL(/\/login\?next=/);
  await signInWith(page, 'not the password');
  await expect(page.getByRole('alert').filter({ hasText: 'Wrong password' })).toBeVisible();
  await expect(page.getByLabel('Password')).toBeFocused();
  await signInWith(page, password());
  await expect(page).toHaveURL(`${url()}${link}`);
});

longTest('without a session the title of a target’s page says nothing', async ({ page, browser }) => {
  const other = await browser.newPage({ baseURL: url() });
  await signIn(other);
  await openTarget(other, 'shop.test');
  const path = new URL(other.url()).pathname;
  await expect(other).toHaveTitle(/shop\.test/);
  await other.close();
  for (const headers of [{ RSC: '0' }, { RSC: '1' }]) {
    expect(await (await page.request.get(path, { headers, maxRedirects: 0 })).text()).not.toContain('shop.test');
  }
});

longTest('I sign out, and a copy of my cookie opens nothing', async ({ signedIn: page, context }) => {
  const copied = await context.cookies();
  expect(await mayRead(copied)).toBe(true);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(/\/login$/);
  expect(await mayRead(copied)).toBe(false);
});

longTest('I change my password: I stay signed in, my other browser does not', async ({ signedIn: page, browser }) => {
  const other = await browser.newContext({ baseURL: url() });
  await signIn(await other.newPage());
  await changePassword(page, password(), 'a new password', 'another one');
  await expect(page.getByText('The two new passwords differ.')).toBeVisible();
  await changePassword(page, 'not the password', 'a new password');
  await expect(page.getByText('This is not the current password.')).toBeVisible();
  await changePassword(page, password(), 'short');
  await expect(page.getByText('Use 8 to 200 characters.')).toBeVisible();
  expect(await mayRead(await other.cookies())).toBe(true);
  await changePassword(page, password(), 'a new password');
  await expect(page.getByText('Password changed.')).toBeVisible();
  expect(await mayRead(await other.cookies())).toBe(false);
  // Back to what the other tests know, with the new one.
  await changePassword(page, 'a new password', password());
  await expect(page.getByText('Password changed.')).toBeVisible();
  await other.close();
});

longTest('I see where I am signed in, and sign out everywhere', async ({ signedIn: page, browser }) => {
  const other = await browser.newContext({ baseURL: url() });
  await signIn(await other.newPage());
  await page.goto('/settings');
  const sessions = page.getByRole('region', { name: 'Sessions' }).first();
  await expect(sessions.getByText('this browser')).toHaveCount(1);
  await expect(sessions.getByText('127.0.0.1').first()).toBeVisible();
  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out everywhere' }).click();
  await expect(page).toHaveURL(/\/login$/);
  expect(await mayRead(await other.cookies())).toBe(false);
  await other.close();
});

longTest(
  'my session ended elsewhere: the next change asks me to sign in and brings me back',
  async ({ signedIn: page, context, faults }) => {
    await page.goto('/settings');
    await page.getByLabel('Key name').fill('never made');
    const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
    await fetch(`${url()}/api/v1/sessions`, { method: 'DELETE', headers: { cookie, origin: url() } });
    await page.getByRole('button', { name: 'Create key' }).click();
    await expect(page).toHaveURL(/\/login\?next=%2Fsettings$/);
    // The refusal itself is one, and wanted.
    expect(faults.splice(0).every((fault) => fault.includes('401'))).toBe(true);
    await signInWith(page, password());
    await expect(page).toHaveURL(/\/settings$/);
    await expect(page.getByText('never made')).toHaveCount(0);
  },
);
