import { globSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '#cli/dist.mjs';
import { ALERTING, named, PLAIN, plainNames, SIGNED_OUT } from './addresses.ts';
import { expect, expectAccessibleEverywhere, longTest, openTarget, test } from './fixtures.ts';

test('every page is among those that are looked at', () => {
  const pages = globSync('**/page.tsx', { cwd: path.join(ROOT, 'app') }).map((file) => `/${path.dirname(file)}`);
  const looked = [...PLAIN, ...ALERTING, ...SIGNED_OUT].map((address) => address.replace(/\?.*|\[charted\]/, ''));
  expect(pages.map((page) => page.replace('/.', '/')).filter((page) => !looked.includes(page))).toEqual([]);
});

for (const [lang, its] of [
  ['en', test],
  ['zh-CN', longTest],
] as const) {
  its(
    `I can use every page with a screen reader, with few pixels, in light and dark (${lang})`,
    async ({ admin: page }) => {
      await page.goto(`/preferences?lang=${lang}`);
      await expect(page.locator('html')).toHaveAttribute('lang', lang);
      for (const address of named(PLAIN, await plainNames(page))) await expectAccessibleEverywhere(page, address);
    },
  );

  its(`I can sign in with a screen reader (${lang})`, async ({ page }) => {
    await page.goto(`/preferences?lang=${lang}`);
    for (const address of SIGNED_OUT) await expectAccessibleEverywhere(page, address);
    await expect(page.locator('html')).toHaveAttribute('lang', lang);
    await expect(page.locator('input[type="password"]')).toBeVisible();
  });
}

longTest('lines of prose are no longer than the eye can follow, on the widest screen too', async ({ admin: page }) => {
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

longTest('on paper a page has no menus, no buttons, and whole tables', async ({ admin: page }) => {
  await openTarget(page, /^legacy$/);
  await page.emulateMedia({ media: 'print' });
  // A4 without its margins.
  await page.setViewportSize({ width: 700, height: 1000 });
  const target = new URL(page.url()).pathname;
  for (const path of [target, `${target}/results`, '/vantages']) {
    await page.goto(path);
    await expect(page.getByRole('table').first()).toBeVisible();
    await expect(page.getByRole('navigation')).toHaveCount(0);
    await expect(page.locator('.btn:visible, form:visible')).toHaveCount(0);
    for (const box of await page.locator('section[tabindex="0"]').all())
      await expect(box).toHaveCSS('overflow', 'visible');
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(700);
  }
});

longTest('with few colours of my own I see where I am, and heat; nothing moves', async ({ admin: page }) => {
  await openTarget(page, /^legacy$/);
  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
  for (const here of await page.locator('[aria-current]:visible').all())
    await expect(here).toHaveCSS('outline-style', 'solid');
  const cell = page.locator('td[data-region="CN-GD"][data-carrier="telecom"]');
  await expect(cell).toHaveCSS('forced-color-adjust', 'none');
  const moving = await page.locator('body *').evaluateAll((all) =>
    // What has left the page since it was found, as the map does that is drawn anew, has no style.
    all
      .filter((each) => each.isConnected)
      .flatMap((each) => {
        const { transitionDuration, animationName } = getComputedStyle(each);
        return transitionDuration === '0s' && animationName === 'none' ? [] : [each.outerHTML.slice(0, 100)];
      }),
  );
  expect(moving).toEqual([]);
});

longTest('an address with a broken escape is one that is not there', async ({ admin: page }) => {
  for (const path of ['/targets/%zz', '/results/%E0%A4%A']) expect((await page.request.get(path)).status()).toBe(404);
  for (const path of ['/api/v1/targets/%zz/staples', '/api/v1/results/%']) {
    const answer = await page.request.get(path);
    expect(answer.status()).toBe(400);
    expect(await answer.json()).toMatchObject({ errors: [{ field: 'id' }] });
  }
});
