import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { Outcome } from '../../support/reports.ts';
import {
  costliestFiles,
  hasFailed,
  overBudget,
  type Row,
  runFailedAgain,
  runNode,
  runSteps,
  type Step,
  summary,
} from '../../support/step.ts';

const outcome = (passed: number, failed: string[] = []): Outcome => ({ passed, failed, skipped: 0, tests: [] });
const step = (name: string, result: Outcome | null | Error, needs: string[] = []): Step => ({
  name,
  needs,
  run: async () => {
    if (result instanceof Error) throw result;
    return result;
  },
});

/** Runs the steps; what they printed comes with the rows. */
async function quietly(steps: (Step | Step[])[]): Promise<{ rows: Row[]; printed: string }> {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    const rows = await runSteps(steps);
    return { rows, printed: write.mock.calls.map(([text]) => text).join('') };
  } finally {
    write.mockRestore();
  }
}

describe('a run of several steps', () => {
  it('goes on after a step that failed', async () => {
    const { rows } = await quietly([
      step('lint', new Error('lint ended with exit status 1')),
      step('unit', outcome(3)),
    ]);
    expect(rows.map(({ result }) => result)).toEqual(['failed', 'passed']);
    expect(rows[0]?.outcome.failed).toEqual(['lint ended with exit status 1']);
    expect(hasFailed(rows)).toBe(true);
  });

  it('skips a step whose prerequisite failed or was skipped itself, says so, and counts it as failed', async () => {
    const { rows, printed } = await quietly([
      step('build', new Error('it does not compile')),
      step('pages', outcome(9), ['build']),
      step('pictures', outcome(9), ['pages']),
      step('unit', outcome(3)),
    ]);
    expect(rows.map(({ result }) => result)).toEqual(['failed', 'skipped', 'skipped', 'passed']);
    expect(rows.map(({ outcome: { failed } }) => failed.length)).toEqual([1, 1, 1, 0]);
    expect(printed).toContain('skipped: it needs the step “build”, which failed');
  });

  it('runs those of a list side by side, and shows what each prints in one piece', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'roundtrip-steps-'));
    const [file, other] = [path.join(folder, 'a'), path.join(folder, 'b')];
    // Each waits until the other has begun.
    const script = path.join(folder, 'script.mjs');
    writeFileSync(
      script,
      `import { existsSync, writeFileSync } from 'node:fs';
       const [own, other] = process.argv.slice(2);
       console.log('begins ' + own);
       writeFileSync(own, '');
       while (!existsSync(other)) await new Promise((next) => setTimeout(next, 5));
       console.error('ends ' + own);
       process.exitCode = own.endsWith('a') ? 3 : 0;`,
    );
    const running = (name: string, args: string[]): Step => ({
      name,
      run: async (print) => outcome(1, (await runNode(script, args, { print })) === 0 ? [] : [`${name} failed`]),
    });
    const { rows, printed } = await quietly([
      [running('lint', [file, other]), running('imports', [other, file])],
      step('pages', outcome(9), ['lint']),
      step('unit', outcome(3), ['imports']),
    ]);
    rmSync(folder, { recursive: true });
    expect(rows.map(({ name, result }) => [name, result])).toEqual([
      ['lint', 'failed'],
      ['imports', 'passed'],
      ['pages', 'skipped'],
      ['unit', 'passed'],
    ]);
    expect(printed).toContain(`\n== lint\nbegins ${file}\nends ${file}\n   `);
    expect(printed).toContain(`\n== imports\nbegins ${other}\nends ${other}\n   `);
  });

  it('prints the slowest ten of a suite, the slowest first', async () => {
    const tests = Array.from({ length: 12 }, (_, index) => ({ name: `test ${index}`, ms: index * 1_000 }));
    const { printed } = await quietly([step('unit', { ...outcome(12), tests })]);
    expect(printed.match(/test \d+/g)).toEqual(Array.from({ length: 10 }, (_, index) => `test ${11 - index}`));
    expect(printed).toContain('  11.0 s  test 11');
  });
});

describe('what failed', () => {
  const failures = (count: number) =>
    Array.from({ length: count }, (_, n) => `tests/i/${n}.test.ts: a door shuts: late`);
  const of = async (first: string[], then: Outcome | Error) => {
    const ran: string[] = [];
    const again = async (file: string) => {
      ran.push(file);
      if (then instanceof Error) throw then;
      return then;
    };
    const steps = [{ ...step('integration tests', outcome(9, first)), again }, step('unit tests', outcome(3))];
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const rows = await runSteps(steps);
    const flaky = await runFailedAgain(steps, rows);
    write.mockRestore();
    return { ran, flaky, left: rows[0]?.outcome.failed, isRed: hasFailed(rows), result: rows[0]?.result };
  };

  it('is run once more, a file at a time; what passes then is named and no failure', async () => {
    expect(await of([...failures(2), 'tests/i/1.test.ts: a window'], outcome(2))).toEqual({
      ran: ['tests/i/0.test.ts', 'tests/i/1.test.ts'],
      flaky: [...failures(2), 'tests/i/1.test.ts: a window'],
      left: [],
      isRed: false,
      result: 'passed',
    });
  });

  it('is still a failure where it fails again, where no test was run, and where it cannot be run', async () => {
    for (const then of [outcome(1, failures(1)), outcome(0), new Error('no browser')])
      expect(await of(failures(1), then)).toMatchObject({
        flaky: [],
        left: failures(1),
        isRed: true,
        result: 'failed',
      });
  });

  it('is not run again where more than three tests did, nor where it is no test that failed', async () => {
    expect(await of(failures(4), outcome(2))).toMatchObject({ ran: [], isRed: true });
    expect(await of(failures(3), outcome(2))).toMatchObject({ isRed: false });
    expect(await of(['the run itself (exit status 1)'], outcome(2))).toMatchObject({ ran: [], isRed: true });
    expect(await of([...failures(1), 'the run itself (exit status 1)'], outcome(2))).toMatchObject({
      ...{ flaky: failures(1), left: ['the run itself (exit status 1)'], isRed: true, result: 'failed' },
    });
  });
});

it('a part that takes more than twice its budget is named, on a machine that was quiet before', () => {
  const rows: Row[] = ['unit tests', 'lab tests', 'web build'].map((name) => ({
    ...{ name, ms: 61_000, result: 'passed', outcome: outcome(1) },
  }));
  const budgets = { 'unit tests': 30, 'lab tests': 31 };
  expect(overBudget(rows, budgets, 0.2, 2)).toEqual([
    'unit tests took 61.0 s, more than twice their 30 s, on a machine that was quiet before (load 0.20)',
  ]);
  expect(overBudget(rows, budgets, 1, 2)).toEqual([]);
  expect(overBudget(rows, budgets, 0.2, 1)).toEqual([]);
});

it('the files that took the most processor time are named, the costliest first', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'roundtrip-cpu-'));
  const notes = path.join(folder, 'cpu.jsonl');
  expect(costliestFiles(notes)).toBe('');
  const lines = Array.from({ length: 12 }, (_, n) => JSON.stringify({ file: `${n}.test.ts`, ms: 1_000 * n }));
  writeFileSync(notes, lines.join('\n'));
  const said = costliestFiles(notes).split('\n');
  rmSync(folder, { recursive: true });
  expect(said.slice(1, 3)).toEqual([
    '== processor time of test files: 66.0 s, of which the most',
    '     11.0 s  11.test.ts',
  ]);
  expect(said).toHaveLength(12);
});

it('the summary is a table of all steps with its sum, and what failed by name', () => {
  const row = (name: string, ms: number, each: Outcome): Row => ({
    name,
    ms,
    result: each.failed.length > 0 ? 'failed' : 'passed',
    outcome: each,
  });
  expect(
    summary([row('lint', 1_900, outcome(0)), row('unit tests', 20_040, outcome(700, ['a.test.ts: a door']))], 21_900),
  ).toBe(
    [
      'step        seconds  passed  failed  skipped',
      'lint            1.9       0       0        0  passed',
      'unit tests     20.0     700       1        0  failed',
      'all            21.9     700       1        0  failed',
      'FAILED unit tests: a.test.ts: a door',
      '700 passed, 1 failed',
    ].join('\n'),
  );
});
