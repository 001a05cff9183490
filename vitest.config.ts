import path from 'node:path';
import { defineConfig } from 'vitest/config';

// `unit` needs nothing but Node; `integration` starts one PostgreSQL for the run and clones it for each file.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['tests/unit/**/*.test.ts', 'tests/unit/**/*.test.tsx'],
          testTimeout: 10_000,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['tests/integration/**/*.test.ts'],
          globalSetup: [path.join(import.meta.dirname, 'tests/support/global-setup.ts')],
          pool: 'forks',
          maxWorkers: 2,
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
