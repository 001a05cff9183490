import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { ROOT } from '#cli/dist.mjs';

/** One test as a report names it, and how long it took. */
export type Timed = { name: string; ms: number };
/** What a suite came to: tests that passed, those that failed, each with why, tests left out, and every test's duration. */
export type Outcome = { passed: number; failed: string[]; skipped: number; tests: Timed[] };

const VitestReport = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().default(''),
      assertionResults: z.array(
        z.object({
          status: z.string(),
          fullName: z.string(),
          duration: z.number().nullish(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
});

/** Reads vitest's JSON report. A file or a run that failed without a failed test still counts as one failure. */
export function vitestOutcome(file: string, status: number): Outcome {
  if (!existsSync(file)) return noReport(status);
  const outcome: Outcome = { passed: 0, failed: [], skipped: 0, tests: [] };
  for (const each of VitestReport.parse(readJson(file)).testResults) {
    const testFile = path.relative(ROOT, each.name);
    const failedBefore = outcome.failed.length;
    for (const { status: result, fullName, duration, failureMessages } of each.assertionResults) {
      count(outcome, result, { name: `${testFile}: ${fullName}`, ms: duration ?? 0 }, failureMessages?.[0]);
    }
    if (each.status === 'failed' && outcome.failed.length === failedBefore) {
      outcome.failed.push(`${testFile}: ${inOneLine(each.message) || 'the file itself'}`);
    }
  }
  return withStatus(outcome, status);
}

const PlaywrightResult = z.object({
  duration: z.number(),
  errors: z.array(z.object({ message: z.string().default('') })).default([]),
});
const PlaywrightTest = z.object({ status: z.string(), results: z.array(PlaywrightResult) });
const PlaywrightSpec = z.object({ file: z.string(), title: z.string(), tests: z.array(PlaywrightTest) });
const PlaywrightSuite = z.object({
  specs: z.array(PlaywrightSpec).default([]),
  get suites(): z.ZodDefault<z.ZodArray<typeof PlaywrightSuite>> {
    return z.array(PlaywrightSuite).default([]);
  },
});
const PlaywrightReport = z.object({
  suites: z.array(PlaywrightSuite),
  errors: z.array(z.object({ message: z.string().default('') })).default([]),
});

/**
 * Reads Playwright's JSON report; a test that passed only when repeated is a failure, and so is one that was never begun, since what
 * it depends on failed.
 */
export function playwrightOutcome(file: string, status: number): Outcome {
  if (!existsSync(file)) return noReport(status);
  const report = PlaywrightReport.parse(readJson(file));
  const outcome: Outcome = { passed: 0, failed: [], skipped: 0, tests: [] };
  for (const { file: testFile, title, tests } of report.suites.flatMap(specsOf)) {
    for (const { status: result, results } of tests) {
      const ms = results.reduce((sum, { duration }) => sum + duration, 0);
      const [why = { message: '' }] = results.flatMap(({ errors }) => errors);
      const test = { name: `${testFile}: ${title}`, ms };
      if (results.length === 0) count(outcome, 'failed', test, 'it was not begun');
      else count(outcome, PLAYWRIGHT[result] ?? 'failed', test, why.message);
    }
  }
  outcome.failed.push(...report.errors.map(({ message }) => inOneLine(message) || 'an error outside of the tests'));
  return withStatus(outcome, status);
}

const PLAYWRIGHT: Record<string, string> = { expected: 'passed', skipped: 'skipped' };

const specsOf = (suite: z.infer<typeof PlaywrightSuite>): z.infer<typeof PlaywrightSpec>[] => [
  ...suite.specs,
  ...suite.suites.flatMap(specsOf),
];

function count(outcome: Outcome, result: string, test: Timed, why = ''): void {
  if (result === 'passed') outcome.passed += 1;
  else if (result === 'failed') outcome.failed.push(why ? `${test.name}: ${inOneLine(why)}` : test.name);
  else outcome.skipped += 1;
  if (result === 'passed' || result === 'failed') outcome.tests.push(test);
}

const noReport = (status: number): Outcome => ({
  passed: 0,
  failed: [`no report was written (exit status ${status})`],
  skipped: 0,
  tests: [],
});

const withStatus = (outcome: Outcome, status: number): Outcome =>
  status === 0 || outcome.failed.length > 0
    ? outcome
    : { ...outcome, failed: [`the run itself (exit status ${status})`] };

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
/** So much of why a test failed fits a summary: what differed comes within the first lines. */
const WHY_CHARS = 500;

/** What a failure says in a line: no colours, no blank lines, no place in the code. */
function inOneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: reporters colour what they say
  const plain = text.replace(/\u001b\[[\d;]*m/g, '').split(/\n\s*at /)[0] ?? '';
  const line = plain.replace(/\s+/g, ' ').trim();
  return line.length > WHY_CHARS ? `${line.slice(0, WHY_CHARS)} ...` : line;
}
