import { availableParallelism } from 'node:os';
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { isLong } from './tests/support/extent.ts';

/**
 * What is waited for may take this long where a machine is slow and busy, ms: no test is quicker for a shorter wait. What has to
 * be quick says so with a limit of its own.
 */
const PATIENT = { testTimeout: 120_000, hookTimeout: 180_000, expect: { poll: { timeout: 60_000 } } };

const ALONE = 'tests/unit/**/*.alone.test.ts';
const CPU = path.join(import.meta.dirname, 'tests/support/cpu-by-file.ts');

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
          exclude: [ALONE],
          setupFiles: [CPU],
          // What a file leaves in the modules or in the process the next ones find: it leaves nothing, or is `.alone.test.ts`.
          isolate: false,
          ...PATIENT,
          maxWorkers: availableParallelism(),
        },
      },
      { test: { name: 'unit-alone', sequence: { groupOrder: 0 }, include: [ALONE], setupFiles: [CPU], ...PATIENT } },
      {
        test: {
          name: 'integration',
          sequence: { groupOrder: 1 },
          include: ['tests/integration/**/*.test.ts'],
          exclude: ['tests/integration/lab*.test.ts', ...(isLong ? [] : ['**/*.long.test.ts'])],
          globalSetup: [path.join(import.meta.dirname, 'tests/support/global-setup.ts')],
          setupFiles: [path.join(import.meta.dirname, 'tests/support/citus/statements.ts'), CPU],
          pool: 'forks',
          // Most files wait more than they compute.
          maxWorkers: 2 * availableParallelism(),
          ...PATIENT,
        },
      },
      {
        test: {
          name: 'lab',
          sequence: { groupOrder: 2 },
          include: ['tests/integration/lab*.test.ts'],
          setupFiles: [CPU],
          maxWorkers: 1,
          ...PATIENT,
        },
      },
    ],
  },
});
