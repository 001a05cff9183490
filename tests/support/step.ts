import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from '#cli/dist.mjs';
import type { Outcome } from './reports.ts';

/** Takes a line of output, or several. */
export type Print = (text: string) => void;

/**
 * A part of a run. It returns what its tests came to, or null where it has none, and throws when it fails as a whole; what it has to
 * say it prints.
 * `needs` names earlier steps without which it says nothing: it is skipped when one of them failed, and counts as failed.
 * `again` runs one test file alone.
 */
export type Step = {
  name: string;
  needs?: string[];
  run: (print: Print) => Promise<Outcome | null>;
  again?: (file: string) => Promise<Outcome>;
};

/** A step that was run or skipped. */
export type Row = {
  name: string;
  ms: number;
  result: 'passed' | 'failed' | 'skipped';
  outcome: Outcome;
};

const SLOWEST = 10;
const NOTHING: Outcome = { passed: 0, failed: [], skipped: 0, tests: [] };

/**
 * Runs all steps, one after another, whatever the earlier ones said. Those of a list run side by side; what each prints is shown when
 * it is done, in one piece.
 */
export async function runSteps(steps: (Step | Step[])[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const step of steps) {
    if (Array.isArray(step)) rows.push(...(await Promise.all(step.map((each) => runApart(each, rows)))));
    else rows.push(await runTold(step, rows, say));
  }
  return rows;
}

async function runApart(step: Step, earlier: Row[]): Promise<Row> {
  const printed: string[] = [];
  const row = await runTold(step, earlier, (text) => void printed.push(text));
  say(printed.join('\n'));
  return row;
}

async function runTold(step: Step, earlier: Row[], print: Print): Promise<Row> {
  const done = headline(step.name, print);
  const row = await runStep(step, earlier, print);
  if (row.result === 'skipped') print(`   ${row.outcome.failed[0]}`);
  for (const { name, ms } of slowest(row.outcome)) print(`   ${seconds(ms).padStart(6)} s  ${name}`);
  done();
  return row;
}

/** More tests than these that fail once and pass then, alone, are no chance. */
const MOST_FLAKY = 3;

/**
 * Runs the files of failed tests once more, each alone, and takes what passes then out of its row's failures. Returns these, a line
 * each: they are named at the end, and mended at their cause. Where more failed than may be, or something else than a test, nothing
 * is run again.
 */
export async function runFailedAgain(steps: Step[], rows: Row[]): Promise<string[]> {
  const failed = rows.flatMap(({ outcome }) => outcome.failed);
  if (failed.length > MOST_FLAKY) return [];
  const flaky: string[] = [];
  for (const row of rows) {
    const again = steps.find(({ name }) => name === row.name)?.again;
    for (const file of again ? new Set(row.outcome.failed.flatMap((failure) => fileOf(failure) ?? [])) : []) {
      const done = headline(`${row.name}, once more: ${file} alone`);
      const outcome = await again?.(file).catch(() => NOTHING);
      done();
      if (!outcome || outcome.passed === 0 || outcome.failed.length > 0) continue;
      flaky.push(...row.outcome.failed.filter((failure) => fileOf(failure) === file));
      const failures = row.outcome.failed.filter((failure) => fileOf(failure) !== file);
      row.outcome = { ...row.outcome, failed: failures };
      if (failures.length === 0) row.result = 'passed';
    }
  }
  return flaky;
}

/** The file that a failure is of: `FILE: TEST: WHY`. */
const fileOf = (failure: string): string | undefined => /^\S+\.test\.tsx?(?=: )/.exec(failure)?.[0];

async function runStep({ name, needs = [], run }: Step, earlier: Row[], print: Print): Promise<Row> {
  const missing = earlier.find((row) => needs.includes(row.name) && row.result !== 'passed');
  if (missing) {
    const outcome = { ...NOTHING, failed: [`skipped: it needs the step “${missing.name}”, which failed`] };
    return { name, ms: 0, result: 'skipped', outcome };
  }
  const startedAt = performance.now();
  const outcome = await run(print).catch((error: Error) => ({ ...NOTHING, failed: [error.message] }));
  const result = (outcome?.failed.length ?? 0) > 0 ? 'failed' : 'passed';
  return { name, ms: performance.now() - startedAt, result, outcome: outcome ?? NOTHING };
}

const slowest = ({ tests }: Outcome) => tests.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST);
const seconds = (ms: number) => (ms / 1_000).toFixed(1);

/**
 * The table of all steps with its sum, the name of everything that failed, and one line that says how many did. The whole took so many
 * ms: less than all steps together, where some ran side by side.
 */
export function summary(rows: Row[], wholeMs: number): string {
  const head = ['step', 'seconds', 'passed', 'failed', 'skipped', ''];
  const lines = rows.map(({ name, ms, result, outcome }) => [name, ...figures(ms, outcome), result]);
  const all = rows.map(({ outcome }) => outcome);
  const sum = {
    passed: all.reduce((n, { passed }) => n + passed, 0),
    failed: all.flatMap(({ failed }) => failed),
    skipped: all.reduce((n, { skipped }) => n + skipped, 0),
  };
  const table = [head, ...lines, ['all', ...figures(wholeMs, sum), hasFailed(rows) ? 'failed' : 'passed']];
  const widths = head.map((_, column) => Math.max(...table.map((cells) => cells[column]?.length ?? 0)));
  const print = (cells: string[]) =>
    cells
      .map((cell, column) =>
        column === 0 || column === 5 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  const failures = rows.flatMap(({ name, outcome }) => outcome.failed.map((what) => `FAILED ${name}: ${what}`));
  const verdict = `${sum.passed} passed, ${sum.failed.length} failed`;
  return [...table.map(print), ...failures, verdict].join('\n');
}

/** A machine is quiet where fewer processes than this, a core, wanted to run in the minute before. */
const QUIET_LOAD = 0.5;

/**
 * A sentence for each part that took more than twice its budget (seconds on two quiet cores) on a machine that was quiet before: then
 * the tests have grown, or the product has become slow. `load` is that of the minute before, `cores` how many there are.
 */
export function overBudget(rows: Row[], budgets: Record<string, number>, load: number, cores: number): string[] {
  if (cores < 2 || load >= QUIET_LOAD * cores) return [];
  return rows.flatMap(({ name, ms }) => {
    const most = (budgets[name] ?? Number.POSITIVE_INFINITY) * 2;
    const took = `${name} took ${seconds(ms)} s, more than twice their ${budgets[name]} s`;
    return ms > most * 1_000 ? [`${took}, on a machine that was quiet before (load ${load.toFixed(2)})`] : [];
  });
}

/** The test files that took the most processor time, by what each noted of itself (tests/support/cpu-by-file.ts). */
export function costliestFiles(notes: string): string {
  if (!existsSync(notes)) return '';
  const lines = readFileSync(notes, 'utf8').trim().split('\n');
  const files = lines.map((line) => JSON.parse(line) as { file: string; ms: number });
  const most = files.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST);
  const sum = files.reduce((total, { ms }) => total + ms, 0);
  const list = most.map(({ file, ms }) => `   ${seconds(ms).padStart(6)} s  ${file}`);
  return [`\n== processor time of test files: ${seconds(sum)} s, of which the most`, ...list].join('\n');
}

const figures = (ms: number, { passed, failed, skipped }: Pick<Outcome, 'passed' | 'failed' | 'skipped'>) => [
  seconds(ms),
  String(passed),
  String(failed.length),
  String(skipped),
];

/** Whether any step failed, or was skipped for another's failure. */
export const hasFailed = (rows: Row[]) => rows.some(({ outcome }) => outcome.failed.length > 0);

export const say: Print = (text) => void process.stdout.write(`${text}\n`);

/** Prints a step's headline and returns what prints its duration. */
export function headline(name: string, print: Print = say): () => void {
  const startedAt = performance.now();
  print(`\n== ${name}`);
  return () => print(`   ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
}

type Running = { env?: Record<string, string>; print?: Print };

/**
 * Runs a package's command, a file below node_modules, under this very Node. Its output is shown, or given to `print`, a line at a
 * time. Returns its exit status; throws on one that is not 0 unless it `mayFail`.
 */
export async function runTool(
  file: string,
  args: string[],
  { mayFail = false, ...running }: { mayFail?: boolean } & Running = {},
): Promise<number> {
  const status = await runNode(path.join(ROOT, 'node_modules', file), args, running);
  if (status !== 0 && !mayFail) throw new Error(`${path.basename(file)} ended with exit status ${status}`);
  return status;
}

/** Runs a script under this very Node, its output shown or given to `print`; its exit status. */
export async function runNode(script: string, args: string[], { env = {}, print }: Running = {}): Promise<number> {
  const output = print ? 'pipe' : 'inherit';
  const child = spawn(process.execPath, [script, ...args], {
    cwd: ROOT,
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', ...env },
    stdio: ['ignore', output, output],
  });
  for (const stream of [child.stdout, child.stderr])
    if (print && stream) createInterface({ input: stream }).on('line', print);
  return await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}
