import { expect, type Page } from './fixtures.ts';

/** The detector goes over the demo's past after the dashboard is there: longest wait for what it finds. */
export const DETECTED_MS = 300_000;

/** Waits until this list (a path) has so many rows, loading it again and again. */
export async function waitForRows(page: Page, path: string, atLeast: number): Promise<void> {
  await expect(async () => {
    await page.goto(path);
    expect(await page.getByRole('rowheader').count()).toBeGreaterThanOrEqual(atLeast);
  }).toPass({ timeout: DETECTED_MS });
}
