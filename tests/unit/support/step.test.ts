import { describe, expect, it, vi } from 'vitest';
import type { Outcome } from '../../support/reports.ts';
import { hasFailed, type Row, runSteps, type Step, summary } from '../../support/step.ts';

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
async function quietly(steps: Step[], mostMs?: number): Promise<{ rows: Row[]; printed: string }> {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    const rows = await runSteps(steps, mostMs);
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

  it('begins no step after its time, which is no failure', async () => {
    const { rows } = await quietly([step('unit', outcome(3))], -1);
    expect(rows.map(({ result }) => result)).toEqual(['out of time']);
    expect(hasFailed(rows)).toBe(false);
  });

  it('prints the slowest ten of a suite, the slowest first', async () => {
    const tests = Array.from({ length: 12 }, (_, index) => ({ name: `test ${index}`, ms: index * 1_000 }));
    const { printed } = await quietly([step('unit', { ...outcome(12), tests })]);
    expect(printed.match(/test \d+/g)).toEqual(Array.from({ length: 10 }, (_, index) => `test ${11 - index}`));
    expect(printed).toContain('  11.0 s  test 11');
  });
});

it('the summary is a table of all steps with its sum, and what failed by name', () => {
  const row = (name: string, ms: number, each: Outcome): Row => ({
    name,
    ms,
    result: each.failed.length > 0 ? 'failed' : 'passed',
    outcome: each,
  });
  expect(
    summary([row('lint', 1_900, outcome(0)), row('unit tests', 20_040, outcome(700, ['a.test.ts: a door']))]),
  ).toBe(
    [
      'step        seconds  passed  failed  skipped',
      'lint            1.9       0       0        0  passed',
      'unit tests     20.0     700       1        0  failed',
      'all            21.9     700       1        0  failed',
      'FAILED unit tests: a.test.ts: a door',
    ].join('\n'),
  );
});
