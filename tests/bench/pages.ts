import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test';
import { getPool } from '#server/database/database.ts';
import { findOrInstallBrowser } from '../support/browser.ts';
import { assignAll } from '../support/places.ts';
import { scriptKilobytes } from '../support/script-weight.ts';
import { startTestServer } from '../support/server.ts';
import { mainlandVantages } from '../support/vantages.ts';
import { onFreshDatabase } from './database.ts';
import { fillFleet } from './figures.ts';

const TARGETS = 50;
const DAYS = 30;
const ROUNDS = 9;
/** A phone's processor and a line of a train: times as slow, ms a way there and back, bytes a second. */
const SLOW = { cpu: 4, latencyMs: 40, bytesPerSecond: 10_000_000 / 8 };
/** PostgreSQL counts what an idle connection did within this time, ms (pgstat.c, PGSTAT_IDLE_INTERVAL). */
const COUNTED_MS = 11_000;

type Load = { drawnMs: number; quietMs: number; shift: number };
type Mode = 'cold' | 'warm' | 'slow';

/**
 * Medians of how pages load in Chromium, with 50 targets, 93 vantages and a month of rollups, production build, database as shipped:
 *
 * - drawn: largest contentful paint, ms from the navigation; quiet: the end of its last request or long task.
 * - cold: an empty cache; warm: the page again; slow: an empty cache, a processor four times as slow, 40 ms and 10 Mbit/s.
 * - transactions that it asks the database (a statement by itself is one), kilobytes of script as sent, layout shift.
 * - of the trend also how long it takes from a key or a click to the next picture (the worst of 40, as INP is counted), and what its
 *   memory grows by over 200 refreshes.
 */
export async function benchPages(): Promise<void> {
  const executablePath = await findOrInstallBrowser(console.error);
  await onFreshDatabase(async () => {
    const vantages = mainlandVantages();
    const [target = ''] = await fillFleet(TARGETS, DAYS, vantages);
    await assignAll(vantages);
    await getPool().query('vacuum analyze');
    const env = { ROUNDTRIP_PUBLIC_DASHBOARD: '1', ROUNDTRIP_RATE_LIMIT: '9999999' };
    const server = await startTestServer({ databaseUrl: process.env.DATABASE_URL ?? '', env });
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
    try {
      const pages = { overview: '/', target: `/targets/${target}`, trend: `/targets/${target}/trend?range=30d` };
      for (const [name, path] of Object.entries(pages)) await report(browser, name, server.baseUrl + path);
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
      await page.goto(server.baseUrl + pages.trend, { waitUntil: 'networkidle' });
      print('trend', `${await interactionMs(page)} ms from a key or a click to the next picture`);
      const [before, after] = [await heapAfter(page, 20), await heapAfter(page, 200)];
      print('trend', `heap ${before.toFixed(1)} MB after 20 refreshes, ${after.toFixed(1)} MB after 200 more`);
    } finally {
      await browser.close();
      await server.stop();
    }
  });
}

async function report(browser: Browser, name: string, url: string): Promise<void> {
  const loads: Record<Mode, Load[]> = { cold: [], warm: [], slow: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const cold = await loadOnce(context, url, false);
    const warm = await loadOnce(context, url, false);
    await context.close();
    const distant = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const slow = await loadOnce(distant, url, true);
    await distant.close();
    // The first round is the server's: what it loads and keeps is there from then on.
    if (round > 0) for (const [mode, load] of Object.entries({ cold, warm, slow })) loads[mode as Mode].push(load);
  }
  for (const [mode, all] of Object.entries(loads)) {
    const of = (field: keyof Load) => median(all.map((load) => load[field]));
    print(
      name,
      mode,
      `drawn ${of('drawnMs').toFixed(0)} ms`,
      `quiet ${of('quietMs').toFixed(0)} ms`,
      `shift ${of('shift').toFixed(3)}`,
    );
  }
  const context = await browser.newContext();
  const page = await context.newPage();
  print(name, `${(await scriptKilobytes(page, url)).toFixed(0)} kB of script`);
  await context.close();
  print(name, `${await transactionsOf(() => fetch(url).then((answer) => answer.text()))} transactions`);
}

async function loadOnce(context: BrowserContext, url: string, isSlow: boolean): Promise<Load> {
  const page = await context.newPage();
  await page.addInitScript(observe);
  if (isSlow) {
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOW.cpu });
    const { latencyMs: latency, bytesPerSecond } = SLOW;
    const bytes = { downloadThroughput: bytesPerSecond, uploadThroughput: bytesPerSecond };
    await session.send('Network.emulateNetworkConditions', { offline: false, latency, ...bytes });
  }
  await page.goto(url, { waitUntil: 'networkidle' });
  const load = await seen(page);
  await page.close();
  return load;
}

/** Runs in the page, before anything of it. */
function observe(): void {
  const seen = { drawnMs: 0, taskMs: 0, shift: 0 };
  Object.assign(window, { seen });
  const on = (type: string, note: (entry: PerformanceEntry) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
  on('largest-contentful-paint', (entry) => {
    seen.drawnMs = entry.startTime;
  });
  on('longtask', (entry) => {
    seen.taskMs = entry.startTime + entry.duration;
  });
  on('layout-shift', (entry) => {
    seen.shift += (entry as PerformanceEntry & { value: number }).value;
  });
}

const seen = (page: Page): Promise<Load> =>
  page.evaluate(() => {
    const { drawnMs, taskMs, shift } = (
      window as unknown as { seen: { drawnMs: number; taskMs: number; shift: number } }
    ).seen;
    const ends = performance
      .getEntriesByType('resource')
      .map((entry) => (entry as PerformanceResourceTiming).responseEnd);
    return { drawnMs, quietMs: Math.max(drawnMs, taskMs, ...ends), shift };
  });

/** The longest of 40 keys and clicks in a chart, ms, as Chromium counts them: in eights. */
async function interactionMs(page: Page): Promise<number> {
  await page.evaluate(() => {
    Object.assign(window, { longestMs: 0 });
    const note = (list: PerformanceObserverEntryList) => {
      for (const { duration } of list.getEntries())
        Object.assign(window, {
          longestMs: Math.max((window as unknown as { longestMs: number }).longestMs, duration),
        });
    };
    new PerformanceObserver(note).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
  });
  const panel = page.getByRole('region', { name: /^TLS P50 by location/ });
  const chart = panel.getByRole('application');
  const carrier = panel.getByRole('button', { pressed: true }).first();
  await chart.press('End');
  for (let n = 0; n < 36; n++) await chart.press('ArrowLeft');
  for (let n = 0; n < 4; n++) await carrier.click();
  // Entries come once the picture is there.
  return await page.evaluate(async () => {
    for (let frame = 0; frame < 4; frame++) await new Promise(requestAnimationFrame);
    return (window as unknown as { longestMs: number }).longestMs;
  });
}

/** Megabytes of objects after so many refreshes, as a page that is looked at again makes them, without what is garbage. */
async function heapAfter(page: Page, refreshes: number): Promise<number> {
  for (let n = 0; n < refreshes; n++) {
    const answered = page.waitForResponse((response) => response.request().headers().rsc !== undefined);
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await (await answered).finished();
  }
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / 1e6;
}

/** Transactions that others commit at this database meanwhile. */
async function transactionsOf(work: () => Promise<unknown>): Promise<number> {
  const count = async () => {
    await sleep(COUNTED_MS);
    const { rows } = await getPool().query<{ count: number }>(
      'select xact_commit::int as count from pg_stat_database where datname = current_database()',
    );
    return rows[0]?.count ?? 0;
  };
  const before = await count();
  const nothing = (await count()) - before;
  const from = before + nothing;
  await work();
  return (await count()) - from - nothing;
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const print = (...cells: string[]) => console.log(`| ${cells.join(' | ')} |`);
