import path from 'node:path';
import { defineConfig } from '@playwright/test';
import { findBrowser } from './tests/support/browser.ts';

// One product for the whole run (tests/e2e/product.ts): the tests tell one story after another on it.
export default defineConfig({
  testDir: 'tests/e2e',
  testMatch: '*.test.ts',
  outputDir: 'test-results/e2e',
  globalSetup: path.join(import.meta.dirname, 'tests/e2e/product.ts'),
  workers: 1,
  fullyParallel: false,
  timeout: 45_000,
  expect: { timeout: 15_000 },
  reporter: 'list',
  use: {
    locale: 'en-GB',
    timezoneId: 'Asia/Shanghai',
    viewport: { width: 1360, height: 900 },
    trace: 'retain-on-failure',
    launchOptions: {
      executablePath: findBrowser() ?? undefined,
      args: [
        ...['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking'],
        ...['--disable-component-update', '--disable-sync', '--no-first-run', '--disable-quic'],
      ],
    },
  },
});
