import { globSync, readFileSync } from 'node:fs';
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

const INTEGRATION = globSync('tests/integration/**/*.test.ts', { cwd: import.meta.dirname })
  .filter((file) => !path.basename(file).startsWith('lab') && (isLong || !file.endsWith('.long.test.ts')))
  .map((file) => ({ file, source: readFileSync(path.join(import.meta.dirname, file), 'utf8') }));
/** A file that changes what a process reads once, or a clock, has a process of its own. */
const CHANGES_PROCESS =
  /process\.env(\.\w+|\[[^\]]+\]) (\?\?|\|\|)?= |Object\.assign\(process\.env|delete process\.env|\b(prepareRoutes|limitDatabase|useFakeTimers|setSystemTime|resetModules|stubEnv)\(/;
/** The others share theirs, in which all is loaded and compiled already: those with receivers on loopback have one environment. */
const ALLOWS_PRIVATE = /\ballowLoopback\(|support\/outbox\.ts/;
const kindOf = ({ source }: { source: string }) =>
  CHANGES_PROCESS.test(source) ? 'alone' : ALLOWS_PRIVATE.test(source) ? 'allowPrivate' : 'shared';
const BY_KIND = Map.groupBy(INTEGRATION, kindOf);

/** A project of integration tests: PostgreSQL for the run, a database for each file. */
const integration = (name: string, kind: ReturnType<typeof kindOf>) => ({
  test: {
    name,
    include: (BY_KIND.get(kind) ?? []).map(({ file }) => file),
    isolate: kind === 'alone',
    sequence: { groupOrder: 1 },
    globalSetup: [path.join(import.meta.dirname, 'tests/support/global-setup.ts')],
    setupFiles: [path.join(import.meta.dirname, 'tests/support/citus/judge.ts'), CPU],
    pool: 'forks' as const,
    // Most files wait more than they compute.
    maxWorkers: 2 * availableParallelism(),
    ...PATIENT,
  },
});

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
      // They run in the order of their names.
      integration('integration', 'shared'),
      integration('integration-allow-private', 'allowPrivate'),
      integration('integration-alone', 'alone'),
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
