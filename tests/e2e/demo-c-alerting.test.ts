import { Webhook as Verifier } from 'standardwebhooks';
import { type Received, startReceiver } from '../support/receiver.ts';
import { FAILING } from './failing-target.ts';
import { expect, expectAccessible, longTest, openTarget, type Page, test, untilPageShows } from './fixtures.ts';
import { DETECTED_MS, waitForRows } from './incidents.ts';

// What needs no incident comes first: the demo's first one is some minutes away.
test('I add a marker on a target, find its number beside the charts, and remove it', async ({ admin: page }) => {
  await openTarget(page, /^shop$/);
  await page.getByRole('link', { name: 'Trend', exact: true }).first().click();
  await page.locator('summary', { hasText: 'Add marker' }).click();
  await page.getByLabel('What changed').fill('Deployed 2.14');
  await page.getByRole('button', { name: 'Add marker' }).click();
  const marks = page.locator('#marks');
  await expect(marks.getByText('Deployed 2.14', { exact: true })).toBeVisible();
  await expectAccessible(page);
  await marks.getByRole('button', { name: 'Remove Deployed 2.14' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await expect(marks.getByText('Deployed 2.14', { exact: true })).toHaveCount(0);
});

test('I make a rule with both limits and am refused; I mend it, see what it sends, turn it off and delete it', async ({
  admin: page,
}) => {
  await page.goto('/rules/new?kind=detector');
  for (const box of await page.getByRole('group', { name: 'Kinds of incident' }).getByRole('checkbox').all())
    await box.uncheck();
  await page.getByRole('button', { name: 'Add rule' }).click();
  await expect(page.getByText('Choose at least one.')).toBeVisible();
  await page.goto('/rules/new?kind=threshold');
  await page.getByLabel('Name', { exact: true }).fill('Slow shop');
  await page.getByLabel('Below', { exact: true }).fill('5');
  await page.getByRole('button', { name: 'Add rule' }).click();
  await expect(page.getByLabel('Above', { exact: true })).toHaveAttribute('aria-invalid', 'true');
  await page.getByLabel('Below', { exact: true }).fill('');
  // Nothing takes a minute, and everything takes longer than a microsecond.
  await page.getByLabel('Above', { exact: true }).fill('60000');
  await expect(page.getByText('It would have opened no incident in the last 7 days.')).toBeVisible();
  // The past of the demo has a result every few minutes.
  await page.getByLabel('Minimum results').fill('1');
  // Its generated past is there some time after its start.
  await expect(async () => {
    await page.getByLabel('Above', { exact: true }).fill('60000');
    await page.getByLabel('Above', { exact: true }).fill('0.001');
    await expect(page.getByText(/It would have opened \d+ incidents? in the last 7 days/)).toBeVisible({
      timeout: 5_000,
    });
  }).toPass();
  await page.getByLabel('Minimum results').fill('5');
  await page.getByLabel('Above', { exact: true }).fill('200');
  await page.getByRole('button', { name: 'Add rule' }).click();
  await expect(page.getByText('TLS P95 above 200 ms over 10 min')).toBeVisible();
  await page.getByRole('button', { name: 'Turn off Slow shop' }).click();
  await expect(page.getByRole('button', { name: 'Turn on Slow shop' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Edit Slow shop' }).click();
  await expect(page.getByRole('heading', { level: 2, name: 'Message' })).toBeVisible();
  await expect(page.getByText('"ruleName": "Slow shop"')).toBeVisible();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('Slow shop')).toHaveCount(0);
});

test('I probe what a rule is to watch, from the places where it watches', async ({ admin: page }) => {
  await page.goto('/rules/new?kind=down');
  await page.locator('summary', { hasText: 'Where it applies' }).click();
  await page.getByRole('checkbox', { name: 'legacy', exact: true }).check();
  await page.getByRole('checkbox', { name: 'Telecom', exact: true }).check();
  await page.getByLabel('Name', { exact: true }).fill('Legacy is down');
  await page.getByRole('button', { name: 'Probe now from these places' }).click();
  await expect(page.getByText(/^legacy: 31 of 31 answered; TLS [\d.]+ ms to [\d.]+ ms/)).toBeVisible();
  await expect(page.getByRole('link', { name: 'All answers' })).toHaveAttribute('href', /^\/probe\/[0-9a-f-]{36}$/);
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Legacy is down');
  await expectAccessible(page);
});

test('I add a silence with a cron that is none and am refused; a good one is active at once', async ({
  admin: page,
}) => {
  // The first page of a browser, whose times are in UTC: it tells its zone only then.
  await page.goto('/silences/new');
  await page.getByLabel('Comment').fill('Night work');
  await page.getByLabel('Repeats (cron)').fill('every night');
  await page.getByLabel('Lasts, minutes').fill('60');
  await page.getByRole('button', { name: 'Add silence' }).click();
  await expect(page.getByLabel('Repeats (cron)')).toHaveAttribute('aria-invalid', 'true');
  await page.getByLabel('Repeats (cron)').fill('');
  await page.getByLabel('Lasts, minutes').fill('');
  await page.getByRole('button', { name: 'Add silence' }).click();
  await expect(page.getByRole('row', { name: /Night work/ }).getByText('active')).toBeVisible();
  await page.getByRole('button', { name: 'Remove Night work' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByText('Night work')).toHaveCount(0);
});

test('I make a webhook, see its secret once and the real payload, press test, see it arrive and send it again', async ({
  admin: page,
}) => {
  const receiver = await startReceiver();
  try {
    await page.clock.install();
    await page.goto('/webhooks/new');
    await page.getByLabel('URL', { exact: true }).fill('ftp://receiver.invalid/');
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await expect(page.getByLabel('URL', { exact: true })).toHaveAttribute('aria-invalid', 'true');
    await page.getByLabel('URL', { exact: true }).fill(receiver.url);
    await page.getByLabel('Name', { exact: true }).fill('On call');
    await page.getByRole('button', { name: 'Preview' }).click();
    await expect(page.getByText('"type": "tls.spike.opened"')).toBeVisible();
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('On call');
    await page.getByRole('button', { name: 'Add webhook' }).click();
    const secret = String(await page.getByText(/^whsec_\S+$/).textContent());
    await page.getByRole('link', { name: 'Open it and send a test' }).click();
    await expect(page.getByText('"type": "tls.spike.opened"')).toBeVisible();
    await page.getByRole('button', { name: 'Send a test' }).click();
    const sent = page.getByRole('row', { name: /webhook\.test/ });
    await untilPageShows(page, (timeout) =>
      expect(sent.getByText('delivered', { exact: true })).toBeVisible({ timeout }),
    );
    const [first] = receiver.received.filter(({ body }) => body.includes('"webhook.test"'));
    expect(new Verifier(secret).verify(first?.body ?? '', headersOf(first))).toMatchObject({ type: 'webhook.test' });
    await sent.getByRole('link').click();
    await expect(page.getByText('Attempt 1')).toBeVisible();
    await page.getByRole('button', { name: 'Send again' }).click();
    await untilPageShows(page, (timeout) => expect(page.getByText('Attempt 2')).toBeVisible({ timeout }));
    const isAgain = ({ headers }: (typeof receiver.received)[number]) =>
      headers['webhook-id'] === first?.headers['webhook-id'];
    await expect.poll(() => receiver.received.filter(isAgain)).toHaveLength(2);
    await page.goto('/webhooks');
    await expect(page.getByRole('row', { name: /On call/ }).getByText('delivered', { exact: true })).toBeVisible();
    await removeWebhook(page, 'On call');
  } finally {
    await receiver.stop();
  }
});

test('I reach an incident with the keyboard alone, read its facts, acknowledge it with a note, and resolve it', async ({
  admin: page,
}) => {
  await page.goto('/');
  await page.getByRole('link', { name: /^Incidents/ }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Incidents' })).toBeVisible();
  const open = page
    .getByRole('row')
    .filter({ has: page.getByText('Open', { exact: true }) })
    // The target that always fails and the lasting regression have stories of their own.
    .filter({ hasNotText: new RegExp(`${FAILING}|^Regression.*legacy`) });
  await expect(async () => {
    await waitForRows(page, '/incidents', 2);
    await expect(open.first()).toBeVisible({ timeout: 1_000 });
  }).toPass({ timeout: DETECTED_MS });
  await tabTo(page, String(await open.first().getByRole('link').first().getAttribute('href')));
  await page.keyboard.press('Enter');
  const facts = page.locator('header dl');
  for (const fact of ['Effect', 'Where', 'Began', 'Probably', 'Notifications', 'Rule'])
    await expect(facts.getByText(fact, { exact: true })).toBeVisible();
  await expect(page.getByRole('heading', { level: 2, name: 'Affected series' })).toBeVisible();
  await expect(page.getByRole('heading', { level: 2, name: 'Timeline' })).toBeVisible();
  await tabTo(page, '#note');
  await page.keyboard.type('The carrier has been told');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByText('The carrier has been told')).toBeVisible();
  await expect(page.getByText(/Acknowledged by the administrator/)).toBeVisible();
  await page.getByRole('button', { name: 'Resolve' }).click();
  await expect(page.getByRole('button', { name: 'Resolve' })).toHaveCount(0);
  await expect(page.getByRole('heading', { level: 1 }).getByText('Resolved manually')).toBeVisible();
  await expect(page.getByText('manually · ', { exact: false })).toBeVisible();
});

const MOST_TABS = 60;

/** Presses Tab until the link with this address, or the field with this `#id`, has the focus. */
async function tabTo(page: Page, to: string): Promise<void> {
  const isThere = (to: string) =>
    [document.activeElement?.getAttribute('href'), `#${document.activeElement?.id}`].includes(to);
  for (let presses = 0; presses < MOST_TABS; presses += 1) {
    if (await page.evaluate(isThere, to)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`not reached within ${MOST_TABS} tabs`);
}

test('I have an incident of all places on one screen', async ({ admin: page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await waitForRows(page, '/incidents?state=unresolved&kind=regression', 1);
  await page
    .getByRole('row', { name: /legacy/ })
    .getByRole('link')
    .first()
    .click();
  const places = page.getByRole('rowheader', { name: /^(Beijing|Xinjiang)$/ });
  await expect(places).toHaveCount(2);
  const needed = [
    page.locator('header dl'),
    page.getByRole('button', { name: 'Resolve' }),
    page.locator('main canvas').first(),
    ...(await places.all()),
  ];
  for (const each of needed) await expect(each).toBeInViewport({ ratio: 1 });
});

test('I see a resolved incident on its chart: its onset, the levels before and after, and that it was generated', async ({
  admin: page,
}) => {
  await waitForRows(page, '/incidents?state=resolved&kind=regression', 1);
  const row = page.getByRole('row', { name: /generated/ }).first();
  await row.getByRole('link').click();
  await expect(page.getByText(/^Generated until/)).toBeVisible();
  await expect(page.locator('canvas')).toBeVisible();
  await expect(page.getByText(/dashed lines are the levels before and after/)).toBeVisible();
  await expect(page.locator('header dl')).toContainText('→');
});

longTest('I see lasting changes in the order of their effect', async ({ admin: page }) => {
  await waitForRows(page, '/regressions?direction=both', 2);
  const effects = await page.locator('tbody tr td:nth-child(2)').allInnerTexts();
  const sizes = effects.map((text) => Number(/[\d.,]+/.exec(text)?.[0].replace(',', '')));
  expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
});

longTest('I read the incidents on a phone without scrolling sideways', async ({ admin: page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const path of ['/incidents?state=all', '/regressions?direction=both']) {
    await waitForRows(page, path, 2);
    const first = page.getByRole('rowheader').first();
    await expect(first.locator('time')).toBeVisible();
    const hidden = await page
      .locator('main section')
      .first()
      .evaluate((box) => box.scrollWidth - box.clientWidth);
    expect(hidden).toBe(0);
  }
});

const headersOf = (request: Received | undefined) => request?.headers as Record<string, string>;

async function removeWebhook(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name, exact: true }).click();
  await page.getByRole('link', { name: 'Edit', exact: true }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByRole('rowheader').getByText(name, { exact: true })).toHaveCount(0);
}
