import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ROOT } from '#cli/dist.mjs';
import { playwrightOutcome, vitestOutcome } from '../../support/reports.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'roundtrip-reports-'));
afterAll(() => rmSync(folder, { recursive: true }));

function written(report: unknown): string {
  const file = path.join(folder, 'report.json');
  writeFileSync(file, JSON.stringify(report));
  return file;
}

const test = (status: string, fullName: string, duration: number | null = 5, ...failureMessages: string[]) => ({
  status,
  fullName,
  duration,
  failureMessages,
});
const file = (assertionResults: object[], status = 'passed', message = '') => ({
  name: path.join(ROOT, 'tests/unit/some.test.ts'),
  status,
  message,
  assertionResults,
});

describe("what is read from vitest's report", () => {
  it('is how many passed and were skipped, who failed, and how long each took', () => {
    const tests = [
      test('passed', 'a room is warm', 120),
      test(
        'failed',
        'a door shuts',
        5,
        '\u001b[31mAssertionError: it is open\u001b[39m\n\n- shut\n+ open\n    at a.ts:1',
      ),
      test('skipped', 'a roof', null),
    ];
    expect(vitestOutcome(written({ testResults: [file(tests, 'failed')] }), 1)).toEqual({
      passed: 1,
      failed: ['tests/unit/some.test.ts: a door shuts: AssertionError: it is open - shut + open'],
      skipped: 1,
      tests: [
        { name: 'tests/unit/some.test.ts: a room is warm', ms: 120 },
        { name: 'tests/unit/some.test.ts: a door shuts', ms: 5 },
      ],
    });
  });

  it('names a file that failed before any of its tests, and why', () => {
    const broken = file([test('skipped', 'never reached')], 'failed', '\u001b[31mError: no database\u001b[39m\nat x');
    expect(vitestOutcome(written({ testResults: [broken] }), 1).failed).toEqual([
      'tests/unit/some.test.ts: Error: no database',
    ]);
  });

  it('is a failure where the run ended badly although every test passed, and where there is no report', () => {
    const report = written({ testResults: [file([test('passed', 'a room is warm')])] });
    expect(vitestOutcome(report, 0).failed).toEqual([]);
    expect(vitestOutcome(report, 1).failed).toEqual(['the run itself (exit status 1)']);
    expect(vitestOutcome(path.join(folder, 'none.json'), 0).failed).toHaveLength(1);
  });
});

describe("what is read from Playwright's report", () => {
  const spec = (title: string, status: string, ...durations: number[]) => ({
    title,
    file: 'a.test.ts',
    tests: [
      {
        status,
        results: durations.map((duration) => ({
          duration,
          errors: status === 'unexpected' ? [{ message: 'Error: late\nmore' }] : [],
        })),
      },
    ],
  });

  it('is counted through every depth, and a test that passed only when repeated has failed', () => {
    const inner = { specs: [spec('I sign out', 'flaky', 40, 60)] };
    const specs = [spec('I sign in', 'expected', 900), spec('I print', 'skipped', 0), spec('I wait', 'unexpected', 7)];
    expect(playwrightOutcome(written({ suites: [{ specs, suites: [inner] }], errors: [] }), 1)).toEqual({
      passed: 1,
      failed: ['a.test.ts: I wait: Error: late more', 'a.test.ts: I sign out'],
      skipped: 1,
      tests: [
        { name: 'a.test.ts: I sign in', ms: 900 },
        { name: 'a.test.ts: I wait', ms: 7 },
        { name: 'a.test.ts: I sign out', ms: 100 },
      ],
    });
  });

  it('counts a test that was not begun as failed: another that it needs did', () => {
    const report = written({ suites: [{ specs: [spec('I sign in', 'skipped')] }], errors: [] });
    expect(playwrightOutcome(report, 1).failed).toEqual(['a.test.ts: I sign in: it was not begun']);
  });

  it('holds errors outside of the tests, as of a product that did not start', () => {
    const report = written({ suites: [], errors: [{ message: 'Error: roundtrip start ended with 2:\nmore' }] });
    expect(playwrightOutcome(report, 1).failed).toEqual(['Error: roundtrip start ended with 2: more']);
  });

  it('holds no more of a long message than a line can', () => {
    const report = written({ suites: [], errors: [{ message: 'x'.repeat(501) }] });
    expect(playwrightOutcome(report, 1).failed).toEqual([`${'x'.repeat(500)} ...`]);
  });
});
