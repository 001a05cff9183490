import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { extent } from '../support/extent.ts';
import { rawServer } from '../support/probing.ts';
import { stop } from '../support/process.ts';
import { jsonReply, startReceiver } from '../support/receiver.ts';
import { spawnRoundtrip } from '../support/stack.ts';
import { startTlsTarget } from '../support/tls-target.ts';
import { expect, expectAccessibleEverywhere, type Page, test } from './fixtures.ts';
import { ownProduct } from './own-product.ts';

// A product of its own, which starts empty, and at first refuses addresses of this machine.
const product = ownProduct({ args: ['--no-demo'], env: {} });

/** From the press of the button to the first answer. */
const FIRST_ANSWER_MS = 3_000;

const step = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name });
const form = (page: Page) => page.locator('[aria-current="step"]');

/** The overview as the others are looked at (pages-a-all.test.ts), in full in Chinese too; then as it was. */
async function expectUsable(page: Page): Promise<void> {
  for (const lang of extent(['en'], ['zh-CN', 'en'])) {
    await page.goto(`/preferences?lang=${lang}`);
    await expectAccessibleEverywhere(page, '/');
  }
  await page.setViewportSize({ width: 1440, height: 900 });
}

test('I start empty, watch a URL, see its first answer within 3 seconds, add a place by the command, and test an alert before I save it', async ({
  admin: page,
}) => {
  const target = await startTlsTarget();
  const { host } = new URL(target.check().url);
  const receiver = await startReceiver(() => jsonReply(receiver.received.length > 1 ? { code: 0 } : { code: 19021 }));
  const folder = mkdtempSync(path.join(tmpdir(), 'roundtrip-prober-'));
  await expectUsable(page);

  await test.step('a private address is refused with how to allow it', async () => {
    await form(page).getByLabel('URL').fill(host);
    await form(page).getByRole('button', { name: 'Watch and probe now' }).click();
    await expect(form(page).getByText('Allow such addresses in Settings')).toBeVisible();
    await expect(form(page).getByLabel('URL')).toHaveValue(host);
    await page.goto('/settings');
    await page.getByLabel('Allow private addresses').check();
    await page.getByRole('region', { name: 'Private addresses' }).getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Saved. Probers follow within a minute.')).toBeVisible();
    await page.goto('/');
  });

  await test.step('the first answer', async () => {
    await form(page).getByLabel('URL').fill(host);
    await page.keyboard.press('Enter');
    const answer = step(page, 'Watch a URL').getByText(`${host}: 1 of 1 answered`);
    await expect(answer).toBeVisible({ timeout: FIRST_ANSWER_MS });
    await expect(page.getByRole('rowheader').getByRole('link', { name: '127.0.0.1' })).toBeVisible();
  });

  await test.step('a place', async () => {
    await expectUsable(page);
    await form(page).getByLabel('Name').fill('Canton');
    await form(page).getByLabel('Region').fill('CN-GD');
    await form(page).getByLabel('Carrier').fill('telecom');
    await form(page).getByRole('button', { name: 'Create the command' }).click();
    await expect(form(page).getByText('Waiting for the prober of “Canton”…')).toBeVisible();
    const command = (await form(page).getByText('npx roundtrip prober').textContent()) ?? '';
    const prober = spawnRoundtrip(command.split(' ').slice(2), { ROUNDTRIP_DATA: folder });
    try {
      await expect(step(page, 'Add a place').getByText('The prober is here: Canton')).toBeVisible();
    } finally {
      await stop(prober);
    }
  });

  await test.step('an alert', async () => {
    await expectUsable(page);
    await expect(form(page).getByRole('figure')).toContainText('[Roundtrip]');
    const url = form(page).getByLabel('URL');
    await url.fill(receiver.url);
    const send = form(page).getByRole('button', { name: 'Send a test' });
    await send.click();
    await expect(form(page).getByRole('alert')).toContainText('19021');
    await expect(url).toHaveValue(receiver.url);
    await send.click();
    await expect(form(page).getByText('The test was accepted')).toBeVisible();
    expect(receiver.received).toHaveLength(2);
    expect(JSON.parse(receiver.received[1]?.body ?? '')).toMatchObject({ msg_type: 'interactive' });
    expect((await (await page.request.get('/api/v1/webhooks')).json()).data).toEqual([]);
    await form(page).getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('heading', { name: 'First steps' })).toHaveCount(0);
    await expect(page.getByRole('rowheader').getByRole('link', { name: '127.0.0.1' })).toBeVisible();
    const { data } = await (await page.request.get('/api/v1/webhooks')).json();
    expect(data).toMatchObject([{ format: 'feishu', enabled: true, events: [] }]);
  });

  await receiver.stop();
  await target.close();
  rmSync(folder, { recursive: true, force: true });
});

test('I cancel a probe of a server that does not answer', async ({ admin: page }) => {
  const silent = await rawServer(() => {});
  await page.goto('/probe');
  await page.getByLabel('URL').fill(`127.0.0.1:${silent.port}`);
  await page.getByRole('button', { name: 'Probe', exact: true }).click();
  await expect(page.getByRole('status').getByText('probing')).toBeVisible();
  await page.getByRole('button', { name: 'Cancel probes' }).first().click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel probes' }).click();
  await expect(page.getByRole('status').getByText('cancelled')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Cancel probes' })).toHaveCount(0);
  await silent.close();
});

test('I skip what I do not need, and it stays skipped', async ({ admin: page }) => {
  await product.query('update webhook set deleted_at = now()');
  await page.goto('/');
  await expect(form(page)).toContainText('Send alerts');
  await form(page).getByRole('button', { name: 'Skip this step' }).press('Enter');
  await expect(page.getByRole('heading', { name: 'First steps' })).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'First steps' })).toHaveCount(0);
});
