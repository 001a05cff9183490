import { availableParallelism } from 'node:os';
import path from 'node:path';
import { defineConfig } from 'vitest/config';

/** What is polled for may take this long on a busy machine, ms. */
const POLLED = { poll: { timeout: 10_000 } };

// `unit` needs nothing but Node; `integration` starts one PostgreSQL for the run and clones it for each file. `lab` measures
// round trips against captured packets, so nothing else may run beside it.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          sequence: { groupOrder: 0 },
          include: ['tests/unit/**/*.test.ts', 'tests/unit/**/*.test.tsx'],
          testTimeout: 30_000,
          expect: POLLED,
          maxWorkers: availableParallelism(),
        },
      },
      {
        test: {
          name: 'integration',
          sequence: { groupOrder: 1 },
          include: ['tests/integration/**/*.test.ts'],
          exclude: ['tests/integration/lab*.test.ts'],
          globalSetup: [path.join(import.meta.dirname, 'tests/support/global-setup.ts')],
          setupFiles: [path.join(import.meta.dirname, 'tests/support/citus/statements.ts')],
          pool: 'forks',
          // Most files wait more than they compute.
          maxWorkers: 2 * availableParallelism(),
          testTimeout: 30_000,
          hookTimeout: 60_000,
          expect: POLLED,
        },
      },
      {
        test: {
          name: 'lab',
          sequence: { groupOrder: 2 },
          include: ['tests/integration/lab*.test.ts'],
          maxWorkers: 1,
          testTimeout: 30_000,
          hookTimeout: 60_000,
          expect: POLLED,
        },
      },
    ],
  },
});
