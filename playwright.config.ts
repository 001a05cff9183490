import path from 'node:path';
import { defineConfig } from '@playwright/test';
import { findBrowser } from './tests/support/browser.ts';

/** Files of one project tell one story after another; the projects run side by side. */
const story = (name: string, testMatch: string | string[], dependencies: string[] = []) => ({
  name,
  testMatch,
  dependencies,
  workers: 1,
});

export default defineConfig({
  testDir: 'tests/e2e',
  // One product with the demo for the whole run (tests/e2e/product.ts): its pages are read while others change it. When all
  // have ended, whatever they said, the demo is removed. Tests that stop a product or end sessions start one of their own.
  projects: [
    { ...story('start', 'start.test.ts'), teardown: 'end' },
    story('demo', ['demo-*.test.ts', 'screenshots.test.ts'], ['start']),
    story('pages', 'pages-*.test.ts', ['start']),
    story('own', ['own-access.test.ts', 'own-comparison.test.ts', 'own-first-steps.test.ts'], ['start']),
    story('away', ['own-away.test.ts', 'own-incidents.test.ts'], ['start']),
    story('end', 'end.test.ts'),
  ],
  outputDir: 'test-results/e2e',
  globalSetup: path.join(import.meta.dirname, 'tests/e2e/product.ts'),
  workers: 2,
  fullyParallel: false,
  // As in vitest.config.ts: no test is quicker for a shorter wait.
  timeout: 360_000,
  expect: { timeout: 60_000 },
  reporter: 'list',
  use: {
    locale: 'en-GB',
    timezoneId: 'Asia/Shanghai',
    viewport: { width: 1360, height: 900 },
    // A trace takes snapshots at every step: a whole run does without, and has it of what failed, run again.
    trace: process.env.E2E_TRACE === 'off' ? 'off' : 'retain-on-failure',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: findBrowser() ?? undefined,
      args: [
        ...['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking'],
        ...['--disable-component-update', '--disable-sync', '--no-first-run', '--disable-quic'],
      ],
    },
  },
});
