import { type Browser, chromium } from '@playwright/test';
import { findOrInstallBrowser } from '../support/browser.ts';
import { scriptKilobytes } from '../support/script-weight.ts';

/** Kilobytes (1,000 bytes) of script that came over the wire for one page. */
export type PageScripts = { page: string; kilobytes: number; aim: number };

/** Loads pages of a public dashboard in a real browser with an empty cache, and adds up their scripts as sent. */
export async function measureScripts(url: string): Promise<PageScripts[]> {
  const executablePath = await findOrInstallBrowser(console.error);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const target = await firstTarget(browser, url);
    const pages: [page: string, path: string, aim: number][] = [
      ['the overview of all targets', '/', 150],
      ['a target (chart page: its map)', target, 210],
      ['its trend (chart page)', `${target}/trend`, 210],
    ];
    const figures: PageScripts[] = [];
    for (const [page, path, aim] of pages) {
      figures.push({ page, kilobytes: await scriptsOf(browser, `${url}${path}`), aim });
    }
    return figures;
  } finally {
    await browser.close();
  }
}

async function firstTarget(browser: Browser, url: string): Promise<string> {
  const page = await browser.newPage();
  await page.goto(url);
  const href = await page.locator('a[href^="/targets/"]').first().getAttribute('href');
  await page.close();
  return new URL(href ?? '/', url).pathname;
}

async function scriptsOf(browser: Browser, url: string): Promise<number> {
  const page = await browser.newPage();
  const kilobytes = await scriptKilobytes(page, url);
  await page.close();
  return kilobytes;
}
