import { expect, expectAccessible, openTarget, test } from './fixtures.ts';

for (const lang of ['en', 'zh-CN']) {
  test(`every page can be used with a screen reader (${lang})`, async ({ admin: page }) => {
    test.setTimeout(90_000);
    await page.goto(`/preferences?lang=${lang}`);
    await expect(page.locator('html')).toHaveAttribute('lang', lang);
    await openTarget(page, /TLS 1\.2/);
    const target = new URL(page.url()).pathname;
    await page.goto(`${target}/results`);
    const result = await page.locator('a[href^="/results/"]').first().getAttribute('href');
    const paths = ['/', target, `${target}/trend`, `${target}/results`, `${target}/edit`, String(result)];
    for (const path of [...paths, '/targets/new', '/vantages', '/vantages/new', '/settings']) {
      await page.goto(path);
      await expect(page.locator('h1')).toBeVisible();
      await test.step(path, () => expectAccessible(page));
    }
  });
}
