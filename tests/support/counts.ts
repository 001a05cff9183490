import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Counts } from './step.ts';

const VitestReport = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numFailedTestSuites: z.number(),
});
const PlaywrightReport = z.object({
  stats: z.object({ expected: z.number(), unexpected: z.number(), flaky: z.number() }),
});

/** Reads vitest's JSON report. A run that ended badly without a failed test still counts as one failure. */
export function vitestCounts(file: string, status: number): Counts {
  if (!existsSync(file)) return { passed: 0, failed: 1 };
  const { numPassedTests, numFailedTests } = VitestReport.parse(JSON.parse(readFileSync(file, 'utf8')));
  return { passed: numPassedTests, failed: atLeastOneIf(status, numFailedTests) };
}

/** Reads Playwright's JSON report; a test that passed only when repeated is a failure. */
export function playwrightCounts(file: string, status: number): Counts {
  if (!existsSync(file)) return { passed: 0, failed: 1 };
  const { stats } = PlaywrightReport.parse(JSON.parse(readFileSync(file, 'utf8')));
  return { passed: stats.expected, failed: atLeastOneIf(status, stats.unexpected + stats.flaky) };
}

const atLeastOneIf = (status: number, failed: number) => (status === 0 ? failed : Math.max(1, failed));
