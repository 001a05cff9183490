import { expect, longTest } from './fixtures.ts';
import { DETECTED_MS } from './incidents.ts';

longTest(
  'a carrier of the demo is congested: the incident says network, and the demo’s receiver has the message',
  async ({ admin: page }) => {
    await expect(async () => {
      await page.goto('/incidents?state=all&kind=spike');
      const congested = page.getByRole('row').filter({ hasText: 'network' }).filter({ hasText: 'demo' });
      await expect(congested.first()).toBeVisible({ timeout: 1_000 });
    }).toPass({ timeout: DETECTED_MS });
    await page.goto('/webhooks');
    await page.getByRole('link', { name: 'demo-receiver' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'demo-receiver' })).toBeVisible();
    await expect(async () => {
      await page.reload();
      const message = page.getByRole('row').filter({ hasText: 'tls.spike.opened' }).filter({ hasText: 'delivered' });
      await expect(message.first()).toBeVisible({ timeout: 1_000 });
    }).toPass({ timeout: DETECTED_MS });
  },
);
