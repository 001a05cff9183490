import { ENOUGH_CELLS } from './first-colour.ts';
import { expect, expectAccessible, firstColourMs, openTarget, test, url } from './fixtures.ts';

test('I see a coloured matrix of the demo within 15 seconds of the address, and tell three demo servers apart by their faults', async ({
  admin: page,
}) => {
  expect(firstColourMs()).toBeLessThan(15_000);
  await openTarget(page, /^shop$/);
  const coloured = page.locator(
    '#matrix td[data-region^="CN-"][data-carrier]:not([data-carrier="all"]):is([class*="heat-"], [class*="change-"])',
  );
  await expect.poll(() => coloured.count(), { timeout: 30_000 }).toBeGreaterThanOrEqual(ENOUGH_CELLS);
  const bars = page.locator('#matrix').getByRole('img', { name: /^DNS .*Connect .*TLS .*First byte .*Download / });
  await expect.poll(() => bars.count()).toBeGreaterThan(30);
  await expect(page.getByText('You are looking at a demo.')).toBeVisible();
  await page.goto('/');
  const rows = page.getByRole('rowheader');
  await expect(rows.filter({ hasText: 'In order: TLS 1.3, short chain, fresh staple' })).toHaveCount(1);
  await expect(rows.filter({ hasText: 'TLS 1.2, chain over 15 kB, no staple, no resumption' })).toHaveCount(1);
  await expect(rows.filter({ hasText: 'TLS 1.3, staple out of date' })).toHaveCount(1);
});

test('I read names of 24 characters whole, on a laptop and on a phone', async ({ admin: page }) => {
  const links = page.locator('main tbody th[scope=row] a[href^="/targets/"]');
  /** Of a name that is cut off by a part of a pixel an ellipsis takes two letters. */
  const cutOff = () =>
    links.evaluateAll((names) =>
      names.flatMap((name) => {
        const text = document.createRange();
        text.selectNodeContents(name);
        const px = text.getBoundingClientRect().width - name.getBoundingClientRect().width;
        return px > 0.01 ? [`${name.textContent}: ${px} px`] : [];
      }),
    );
  for (const width of [1440, 360]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto('/');
    await expect(links.filter({ hasText: /^legacy$/ })).toBeVisible();
    expect.soft(await cutOff()).toEqual([]);
    await links.evaluateAll((names) => {
      for (const name of names) name.textContent = 'checkout-eu-2.example.cn';
    });
    expect.soft(await cutOff()).toEqual([]);
  }
});

test('I see the provinces on a map once I scroll to it, hit the smallest, and choose tiles instead', async ({
  admin: page,
}) => {
  await page.setViewportSize({ width: 1360, height: 200 });
  await openTarget(page, /^shop$/);
  const map = page.getByRole('img', { name: /^Map of China\. 31 regions have data/ });
  const room = await map.boundingBox();
  await page.waitForLoadState('networkidle');
  await expect(page.locator('canvas')).toHaveCount(0);
  await page.setViewportSize({ width: 1360, height: 900 });
  await page.locator('#map-title').scrollIntoViewIfNeeded();
  await expect(page.locator('canvas')).toBeVisible();
  const { width, height } = (await map.boundingBox()) ?? { width: 0, height: 0 };
  expect(Math.abs(width - (room?.width ?? 0)) + Math.abs(height - (room?.height ?? 0))).toBeLessThan(1);
  // Hong Kong is a few pixels wide: a click into the sea beside it counts.
  const degree = Math.min(width / 4.1, height / 3.385);
  await map.click({ position: { x: width / 2 + 0.904 * degree + 6, y: height / 2 + 1.259 * degree + 4 } });
  await expect(page).toHaveURL(/\/trend\?.*region=CN-HK/);
  await page.goBack();
  await page.getByRole('link', { name: 'Tiles', exact: true }).click();
  await expect(page).toHaveURL(/map=tiles/);
  await expect(page.getByRole('img', { name: /^Tile map of China/ }).and(page.locator('canvas'))).toBeVisible();
});

test('I go through the matrix with the arrow keys, open the trend of a cell and change its range', async ({
  admin: page,
}) => {
  await openTarget(page, /^legacy$/);
  const cell = (region: string, carrier: string) =>
    page.locator(`#matrix td[data-region="${region}"][data-carrier="${carrier}"] a`).first();
  await cell('all', 'telecom').focus();
  for (const key of ['End', 'ArrowDown', 'ArrowUp', 'Home']) await page.keyboard.press(key);
  await expect(cell('all', 'telecom')).toBeFocused();
  // The matrix is one stop: forward is what comes behind it.
  await expect(page.locator('#matrix td a[tabindex="0"]')).toHaveCount(1);
  await cell('CN-GD', 'unicom').focus();
  await page.keyboard.press('ArrowLeft');
  await expect(cell('CN-GD', 'telecom')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/trend\?.*CN-GD/);
  await expect(page.getByRole('heading', { name: 'Phases over time' })).toBeVisible();
  await expect(page.locator('canvas').first()).toBeVisible();
  await page.getByRole('link', { name: '1 h', exact: true }).click();
  await expect(page).toHaveURL(/range=1h/);
});

test('I put the state of everything on the screen of a room', async ({ admin: page }) => {
  await page.setViewportSize({ width: 1920, height: 1080 });
  await page.goto('/');
  await page.getByRole('link', { name: 'Wall display' }).click();
  await expect(
    page.getByRole('heading', { level: 1, name: /^(\d targets? needs? attention|None of 3 targets needs attention)$/ }),
  ).toBeVisible();
  await expect(page.getByRole('listitem').filter({ hasText: /^(! )?legacy[\d.,]+ ms$/ })).toBeVisible();
  await expect(page.getByRole('img', { name: /^Map of China/ })).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeHidden();
  const clock = page.locator('[data-wall] time').first();
  const shown = await clock.textContent();
  await expect(clock).not.toHaveText(shown ?? '');
  const width = await page.locator('[data-wall]').evaluate((wall) => wall.clientWidth);
  expect(width).toBeGreaterThan(1_800);
});

test('I switch to Chinese and to dark', async ({ admin: page }) => {
  await page.goto('/');
  await page.getByRole('link', { name: '中文' }).click();
  await expect(page.getByRole('heading', { level: 1, name: '总览' })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh-CN');
  const toggle = page.locator('form[action="/preferences"] button');
  await toggle.click();
  await toggle.click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
});

test('I read what to change at a wasteful server, what that is worth where, and copy the configuration; a healthy one needs nothing', async ({
  admin: page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openTarget(page, /^legacy$/);
  await page.getByRole('link', { name: 'Advice', exact: true }).click();
  await expect(page).toHaveURL(/\/advice$/);
  await expect(page.getByText(/\d of \d round trips of a visit are waste: .* at the median, .* in /)).toBeVisible();
  await page.getByLabel('Who gains').selectOption('API clients');
  await expect(page).toHaveURL(/client=api/);
  const tls13 = page.getByRole('article', { name: /Switch on TLS 1\.3/ });
  await expect(tls13.getByText(/ms a visit$/)).toBeVisible();
  // Far away a round trip is worth more: the first vantage is not a near one. Of one result each, on a busy machine, it may be: more come.
  const first = tls13.getByLabel('Where it shows').first().getByRole('rowheader').first();
  await expect(async () => {
    const place = (await first.textContent()) ?? '';
    if (!/Xinjiang|Tibet|Heilongjiang|Jilin/.test(place)) await page.reload();
    expect(place).toMatch(/Xinjiang|Tibet|Heilongjiang|Jilin/);
  }).toPass({ timeout: 240_000 });
  await tls13.getByLabel('Configuration').selectOption('Apache');
  await tls13.getByRole('button', { name: 'Copy' }).click();
  await expect(tls13.getByRole('button', { name: 'Copied' })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('SSLProtocol -all +TLSv1.2 +TLSv1.3');
  // Over plain http a page has no clipboard of its own.
  await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  await tls13.getByLabel('Configuration').selectOption('HAProxy');
  await tls13.getByRole('button', { name: 'Copy' }).click();
  await expect(tls13.getByRole('button', { name: 'Copied' })).toBeFocused();
  await page.getByPlaceholder('Server to probe').focus();
  await page.keyboard.press('ControlOrMeta+V');
  await expect(page.getByPlaceholder('Server to probe')).toHaveValue(/ssl-default-bind-options/);
  await expect(page.getByRole('heading', { name: 'What changes would save' })).toBeVisible();
  await openTarget(page, /^shop$/);
  await page.getByRole('link', { name: 'Advice', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Nothing to change' })).toBeVisible();
  await expect(page.getByText(/no round trip is wasted/)).toBeVisible();
});

test('I type a name and see all places answer', async ({ admin: page }) => {
  const { data } = await (await page.request.get('/api/v1/targets')).json();
  const { url } = data.find(({ name }: { name: string }) => name === 'legacy');
  await page.goto('/');
  await page.getByRole('link', { name: 'Probe now' }).click();
  await expect(page).toHaveURL(/\/probe$/);
  await page.getByLabel('URL').fill('http://insecure.example');
  await page.getByRole('button', { name: 'Probe', exact: true }).click();
  await expect(page.getByText(/Enter a URL that begins with https/)).toBeVisible();
  await expectAccessible(page);
  await page.getByLabel('URL').fill(url.replace('https://', ''));
  await page.getByRole('button', { name: 'Probe', exact: true }).click();
  await expect(page).toHaveURL(/\/probe\/[0-9a-f-]{36}$/);
  await expect(page.getByRole('status').getByText('93 of 93 answered')).toBeVisible();
  await expect(page.getByRole('status').getByText('finished')).toBeVisible();
  await expect(page.getByRole('row', { name: /^Guangdong Telecom .* TLSv1\.2/ })).toBeVisible();
  // Beside it, what is usual there, and what to change.
  const usual = page.getByRole('region', { name: 'Compared with usual' });
  await expect(async () => {
    await page.reload();
    await expect(
      usual.getByText(/^Telecom: TLS usually [\d.]+ ms, now [\d.]+ ms; slower .* of \d+ places$/),
    ).toBeVisible({
      timeout: 5_000,
    });
  }).toPass({ timeout: 240_000 });
  await expect(usual.getByRole('link', { name: 'History of legacy' })).toHaveAttribute(
    'href',
    /\/targets\/[0-9a-f-]{36}$/,
  );
  await page.getByText(/^\d things to change at this server$/).click();
  await expect(page.getByRole('article', { name: /Switch on TLS 1\.3/ })).toBeVisible();
  // Where, and at which addresses of the server.
  await expect(page.getByRole('img', { name: 'TLS by province' })).toBeVisible();
  await expect(page.getByRole('table').filter({ hasText: 'Certificate until' }).getByRole('row')).toHaveCount(2);
  await expect(page.getByRole('link', { name: 'Watch this' })).toBeHidden();
  await expectAccessible(page);
  // One handshake, flight by flight, and back.
  await page.getByRole('link', { name: 'Guangdong Telecom' }).click();
  await expect(page.getByRole('heading', { level: 1, name: /Handshake · Guangdong Telecom/ })).toBeVisible();
  await expect(page.getByRole('heading', { level: 2, name: 'Records on the wire' })).toBeVisible();
  await page.getByRole('link', { name: 'Answers' }).click();
  await page.getByRole('link', { name: 'Probe now' }).first().click();
  await expect(page.getByRole('row', { name: `${new URL(url).host} Demo` }).first()).toContainText('finished');
});

test('on a wide screen I see where new problems are, over all targets, beside the list', async ({ admin: page }) => {
  const map = page.getByRole('region', { name: 'Where new problems are' });
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto('/');
  await expect(map).toBeHidden();
  await page.setViewportSize({ width: 1920, height: 1080 });
  await expect(map.locator('canvas')).toBeVisible();
  const [list, beside] = await Promise.all([page.locator('#targets').boundingBox(), map.boundingBox()]);
  expect((list?.x ?? 0) + (list?.width ?? 0)).toBeLessThan(beside?.x ?? 0);
  await expectAccessible(page);
});

test('I read the API’s document and try a call, signed in, signed out, and with an API key that I type until it is revoked', async ({
  admin: page,
  browser,
  faults,
}) => {
  const hosts = new Set<string>();
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url())) hosts.add(new URL(request.url()).origin);
  });
  await page.goto('/settings');
  await page.getByLabel('Key name').fill('typed in');
  await page.getByRole('button', { name: 'Create key' }).click();
  const key = (await page.locator('code', { hasText: /^rt_/ }).textContent()) ?? '';
  await page.getByRole('link', { name: 'API description, to read and to try' }).click();
  await expect(page).toHaveTitle('Roundtrip API');
  await expect(page.getByRole('heading', { name: /^Roundtrip/ })).toBeVisible();
  await page.getByText('List the targets, oldest first').click();
  await page.getByRole('button', { name: 'Try it out' }).click();
  const answer = page.locator('.live-responses-table');
  /** What the page shows of the answer to the next call, which is the server's. */
  async function execute(status: number): Promise<void> {
    const answered = page.waitForResponse((response) => response.url().includes('/api/v1/targets'));
    await page.getByRole('button', { name: 'Execute' }).click();
    expect((await answered).status()).toBe(status);
    await expect(answer.locator('.response-col_status').filter({ hasText: String(status) })).toBeVisible();
  }
  async function authorize(typed: string): Promise<void> {
    await page.locator('.auth-wrapper > .authorize').click();
    const scheme = page.locator('.auth-container').filter({ hasText: 'An API key' });
    const logout = scheme.getByRole('button', { name: 'Remove authorization' });
    if (await logout.isVisible()) await logout.click();
    await scheme.getByRole('textbox').fill(typed);
    await scheme.getByRole('button', { name: 'Apply credentials' }).click();
    await scheme.getByRole('button', { name: 'Close' }).click();
  }
  await execute(200);
  await expect(answer).toContainText('"name": "legacy"');
  expect([...hosts]).toEqual([new URL(url()).origin]);

  const signedIn = await browser.newContext({ storageState: await page.context().storageState() });
  await page.context().clearCookies();
  await execute(401);
  await expect(answer).not.toContainText('legacy');
  await authorize(`${key}x`);
  await execute(401);
  await authorize(key);
  await execute(200);
  await expect(answer).toContainText('"name": "legacy"');
  const settings = await signedIn.newPage();
  await settings.goto(`${url()}/settings`);
  await settings.getByRole('button', { name: 'Revoke typed in' }).click();
  await settings.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
  await expect(settings.getByText('typed in')).toHaveCount(0);
  await execute(401);
  await expect(answer).not.toContainText('legacy');
  await signedIn.close();
  // Three calls were refused, and the browser says so of each.
  const refused = faults.filter((fault) => /\b401\b/.test(fault));
  expect(refused).toHaveLength(6);
  faults.splice(0, faults.length, ...faults.filter((fault) => !refused.includes(fault)));
});

test('I make a public status page, which a stranger reads on a phone, until I delete it', async ({
  admin: page,
  browser,
}) => {
  await page.goto('/settings');
  const section = page.getByRole('region', { name: 'Public status pages' });
  await section.getByLabel('Title').fill('Shop status');
  await section.getByRole('button', { name: 'Create status page' }).click();
  const link = (await section.locator('code').first().textContent()) ?? '';
  const stranger = await (await browser.newContext({ viewport: { width: 360, height: 800 } })).newPage();
  await stranger.goto(link);
  await expect(stranger.getByRole('heading', { name: 'Shop status' })).toBeVisible();
  // The demo is shown where there is nothing else.
  const { data } = (await (await page.request.get('/api/v1/targets')).json()) as {
    data: { name: string; demo: boolean }[];
  };
  const own = data.filter(({ demo }) => !demo);
  for (const { name } of own.length > 0 ? own : data)
    await expect(stranger.getByText(name, { exact: true })).toBeVisible();
  await expect(stranger.getByRole('navigation', { name: 'Main' })).toHaveCount(0);
  await expect(stranger.locator('main a')).toHaveCount(0);
  await page.reload();
  await section.getByRole('button', { name: 'Delete Shop status' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(section.getByText('Shop status')).toHaveCount(0);
  expect((await stranger.goto(link))?.status()).toBe(404);
  await stranger.context().close();
});

test('I share the answers by a link that needs no sign-in, and revoke it', async ({ admin: page, browser }) => {
  const { data } = await (await page.request.get('/api/v1/targets')).json();
  const { url } = data.find(({ name }: { name: string }) => name === 'legacy');
  await page.goto('/');
  await page.getByRole('link', { name: 'Probe now' }).click();
  await page
    .getByRole('link', { name: new URL(url).host, exact: true })
    .first()
    .click();
  await page.getByRole('button', { name: 'Create link' }).click();
  const link = (await page.locator('code', { hasText: '/shared/' }).textContent()) ?? '';
  const stranger = await (await browser.newContext()).newPage();
  await stranger.goto(link);
  await expect(stranger.getByRole('status').getByText('93 of 93 answered')).toBeVisible();
  await expect(stranger.getByRole('row', { name: /^Guangdong Telecom .* TLSv1\.2/ })).toBeVisible();
  await expect(stranger.getByRole('navigation', { name: 'Main' })).toHaveCount(0);
  await expectAccessible(stranger);
  await expectAccessible(page);
  await page.reload();
  await page.getByRole('button', { name: 'Revoke link' }).first().click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke link' }).click();
  await expect(page.getByText('A link to this page exists.')).toHaveCount(0);
  expect((await stranger.goto(link))?.status()).toBe(404);
  await stranger.context().close();
});

test('I probe a server that nobody watches, and have it watched', async ({ admin: page }) => {
  const url = 'https://unwatched.invalid/start';
  await page.goto(`/probe?${new URLSearchParams({ url })}`);
  await page.getByRole('button', { name: 'Probe', exact: true }).click();
  await page.getByRole('link', { name: 'Watch this' }).click();
  await expect(page.getByRole('textbox', { name: 'URL', exact: true })).toHaveValue(url);
});

test('I open one handshake, read its waterfall, lay the next one over it, read by how much they differ, and go on to it', async ({
  admin: page,
}) => {
  await openTarget(page, /^legacy$/);
  await page.getByRole('link', { name: 'Results', exact: true }).click();
  const open = page.getByRole('link', { name: /^Open the handshake/ });
  // The place is probed every 30 s: of what is older than two pages the next one is there.
  for (const _ of [1, 2]) {
    const shown = page.url();
    await page.getByRole('link', { name: 'Older', exact: true }).click();
    await expect(page).not.toHaveURL(shown);
  }
  await open.last().click();
  await expect(page).toHaveURL(/\/results\//);
  await expect(page.getByRole('heading', { name: 'Waterfall' })).toBeVisible();
  await expect(page.getByText('TLSv1.2').first()).toBeVisible();
  const overlay = page.getByRole('navigation', { name: 'Overlay' });
  const next = overlay.getByRole('link', { name: 'Next' });
  await expect(async () => {
    if (!(await next.isVisible())) await page.reload();
    await expect(next).toBeVisible({ timeout: 1_000 });
  }).toPass({ timeout: 60_000 });
  await next.click();
  await expect(next).toHaveAttribute('aria-current', 'true');
  const waterfall = page.getByRole('region', { name: 'Waterfall' });
  await expect(waterfall.getByRole('row', { name: /^TLS/ })).toContainText(/[+−][\d.,]+ ms/);
  const thin = page.getByText('Thin bars:');
  const other = await thin.getByRole('link').getAttribute('href');
  await overlay.getByRole('link', { name: 'Fastest elsewhere' }).click();
  await expect(page).toHaveURL(/with=elsewhere/);
  await expect(thin.or(page.getByText('No such handshake was found.'))).toBeVisible();
  await expect(overlay.getByRole('link', { name: 'Fastest elsewhere' })).toHaveAttribute('aria-current', 'true');
  await page
    .getByRole('navigation', { name: 'Handshakes beside this one' })
    .getByRole('link', { name: 'Next' })
    .click();
  await expect(page).toHaveURL(new RegExp(`${other}$`));
  await expect(page.getByRole('navigation', { name: 'Handshakes beside this one' })).toContainText('Previous');
});
