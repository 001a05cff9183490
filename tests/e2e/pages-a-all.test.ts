import { extent } from '../support/extent.ts';
import { expect, expectAccessible, openTarget, password, test } from './fixtures.ts';

/** Another language has the same colours, which axe takes longest for: they belong to the full extent. */
const WITHOUT: Record<string, string[]> = { 'zh-CN': extent(['color-contrast'], []) };

for (const lang of ['en', 'zh-CN']) {
  test(`every page can be used with a screen reader (${lang})`, async ({ admin: page }) => {
    await page.goto(`/preferences?lang=${lang}`);
    await expect(page.locator('html')).toHaveAttribute('lang', lang);
    await openTarget(page, /^legacy$/);
    const target = new URL(page.url()).pathname;
    await page.goto(`${target}/results`);
    const result = await page.locator('a[href^="/results/"]').first().getAttribute('href');
    const paths = [
      '/',
      target,
      `${target}/advice`,
      `${target}/trend`,
      `${target}/results`,
      `${target}/edit`,
      String(result),
    ];
    const all = [...paths, '/targets/new', '/probe', '/vantages', '/vantages/new', '/settings'];
    for (const path of lang === 'en' ? all : extent(['/', target, `${target}/advice`, String(result)], all)) {
      await page.goto(path);
      await expect(page.locator('h1')).toBeVisible();
      await test.step(path, () => expectAccessible(page, { without: WITHOUT[lang] ?? [] }));
    }
  });
}

for (const lang of ['en', 'zh-CN']) {
  test(`I can sign in with a screen reader (${lang})`, async ({ page }) => {
    await page.goto(`/preferences?lang=${lang}`);
    await page.goto('/login');
    await expect(page.locator('html')).toHaveAttribute('lang', lang);
    await expect(page.locator('input[type="password"]')).toBeVisible();
    await expectAccessible(page);
  });
}

test('lines of prose are no longer than the eye can follow, on the widest screen too', async ({ admin: page }) => {
  await openTarget(page, /^legacy$/);
  await page.setViewportSize({ width: 2560, height: 1200 });
  await page.goto(`${new URL(page.url()).pathname}/advice`);
  await expect(page.locator('h1')).toBeVisible();
  const ems = await page
    .locator('p, caption')
    .evaluateAll((all) => all.map((each) => each.clientWidth / Number.parseFloat(getComputedStyle(each).fontSize)));
  expect(ems.length).toBeGreaterThan(5);
  expect(Math.max(...ems)).toBeLessThanOrEqual(56);
});

test('I sign in with the keyboard alone', async ({ page }) => {
  await page.goto('/login');
  const field = page.getByLabel('Password');
  const isFocused = () => field.evaluate((element) => element === document.activeElement);
  for (let presses = 0; presses < 10 && !(await isFocused()); presses++) await page.keyboard.press('Tab');
  await expect(field).toBeFocused();
  await page.keyboard.type(password());
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
});

test('without a session every page asks me to sign in, and the API refuses', async ({ page }) => {
  for (const path of ['/', '/targets/new', '/vantages', '/vantages/new', '/settings']) {
    await page.goto(path);
    await expect(page).toHaveURL(/\/login/);
  }
  expect((await page.request.get('/api/v1/targets')).status()).toBe(401);
});

test('an address with a broken escape is one that is not there', async ({ admin: page }) => {
  for (const path of ['/targets/%zz', '/results/%E0%A4%A']) expect((await page.request.get(path)).status()).toBe(404);
  for (const path of ['/api/v1/targets/%zz/staples', '/api/v1/results/%']) {
    const answer = await page.request.get(path);
    expect(answer.status()).toBe(400);
    expect(await answer.json()).toMatchObject({ errors: [{ field: 'id' }] });
  }
});

test('I sign out and am asked for the password again', async ({ signedIn: page }) => {
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(/\/login/);
  await page.goto('/');
  await expect(page).toHaveURL(/\/login/);
});
