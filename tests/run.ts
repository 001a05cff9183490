// `npm test` runs everything to a bounded extent; `npm run verify` (--verify) what needs no database and no browser;
// `npm run test:long` (--long) the tests that have a full extent to that, and the fault bench. Every step is run, whatever the
// ones before it said; a table at the end sums them up. With CI=true a failed test that needs a database or a browser is run once
// more, alone: one that passes then is named on a line that begins with `flaky`, and fails the run only if there are more than three.
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from '#cli/build.ts';
import { ROOT } from '#cli/dist.mjs';
import manifest from '../package.json' with { type: 'json' };
import { findOrInstallBrowser } from './support/browser.ts';
import { citusFiles } from './support/citus/files.ts';
import { playwrightOutcome, vitestOutcome } from './support/reports.ts';
import {
  costliestFiles,
  hasFailed,
  overBudget,
  runFailedAgain,
  runNode,
  runSteps,
  runTool,
  type Step,
  say,
  summary,
} from './support/step.ts';

// What was compiled of Node's own and others' packages is kept for all the processes of a run.
process.env.NODE_COMPILE_CACHE ??= path.join(ROOT, 'node_modules/.cache/node-compile');

const { values } = parseArgs({
  options: {
    verify: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
  },
});
const reports = path.join(ROOT, 'test-results');
const report = (name: string) => path.join(reports, `${name}.json`);
process.env.TEST_CPU_FILE = path.join(reports, 'cpu.jsonl');

const GENERATED: Step = {
  name: 'generated code',
  run: async () => {
    await build('database client');
    await runTool('next/dist/bin/next', ['typegen']);
    const status = await runNode(path.join(ROOT, 'scripts/client-types.ts'), []);
    if (status !== 0) throw new Error(`the types of the client were not written: exit status ${status}`);
    return null;
  },
};

const WEB_BUILD: Step = {
  name: 'web build',
  needs: [GENERATED.name],
  run: async () => {
    await build('program');
    await build('web application');
    return null;
  },
};

const tool = (name: string, file: string, args: string[], needs: string[] = []): Step => ({
  name,
  needs,
  run: async (print) => {
    await runTool(file, args, { print });
    return null;
  },
});

async function runVitest(project: string, output: string, args: string[], env: Record<string, string>) {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${output}`];
  const status = await runTool('vitest/vitest.mjs', ['run', '--project', `${project}*`, ...reporters, ...args], {
    mayFail: true,
    env,
  });
  return vitestOutcome(output, status);
}

/** The tests of a vitest project, of these files alone where some are named. Unit tests never depend on the moment. */
const vitest = (project: string, files: string[] = [], env: Record<string, string> = {}): Step => ({
  name: `${project} tests`,
  needs: [GENERATED.name],
  run: () => runVitest(project, report(project), files, env),
  ...(project === 'unit'
    ? {}
    : { again: (file) => runVitest(project, report(`${project}-again`), ['--maxWorkers=1', file], env) }),
});

async function runPlaywright(name: string, args: string[], more: Record<string, string>) {
  const env = { ...more, CHROMIUM: await findOrInstallBrowser(say), PLAYWRIGHT_JSON_OUTPUT_NAME: report(name) };
  const status = await runTool('@playwright/test/cli.js', ['test', '--reporter=list,json', ...args], {
    mayFail: true,
    env,
  });
  return playwrightOutcome(report(name), status);
}

/** The tests in a browser. */
const endToEnd = (env: Record<string, string> = {}): Step => ({
  name: 'end-to-end tests (Chromium)',
  needs: [WEB_BUILD.name],
  run: () => runPlaywright('e2e', [], { ...env, E2E_TRACE: 'off' }),
  again: (file) => runPlaywright('e2e-again', ['--workers=1', file], env),
});

const FAULTS: Step = {
  name: 'fault bench',
  needs: [WEB_BUILD.name],
  run: async () => {
    const status = await runNode(path.join(ROOT, 'tests/faults/run.ts'), []);
    if (status !== 0) throw new Error(`the fault bench ended with exit status ${status}`);
    return null;
  },
};

/** What `npm run imports` gives to dependency-cruiser. */
const IMPORTS = manifest.scripts.imports.split(' ').slice(1);

/** Each on a processor of its own: they run side by side. */
const LINTERS: Step[] = [
  tool('format and lint (Biome)', '@biomejs/biome/bin/biome', ['check', '.']),
  tool('import rules (dependency-cruiser)', 'dependency-cruiser/bin/dependency-cruise.mjs', IMPORTS),
  tool('unused files and exports (knip)', 'knip/bin/knip.js', ['--no-progress'], [GENERATED.name]),
  tool('used by tests alone (knip)', 'knip/bin/knip.js', ['--production', '--no-progress'], [GENERATED.name]),
];
const TYPES = tool('types (tsc)', 'typescript/bin/tsc', ['--noEmit', '-p', '.'], [GENERATED.name]);

const VERIFY: (Step | Step[])[] = [GENERATED, LINTERS, TYPES, vitest('unit')];

/** How many statements a cluster carried out in one task, and how many in one a shard (tests/support/citus/tasks.ts). */
function saySharding(): void {
  const lines = readFileSync(path.join(reports, 'citus-statements.jsonl'), 'utf8').trim().split('\n');
  const tasks = new Map(lines.map((line) => JSON.parse(line)).map(({ text, tasks }) => [text, tasks as number | null]));
  const counts = Map.groupBy(tasks.values(), (each) => (each === null ? 'not explained' : `${each}`));
  const parts = [...counts].sort().map(([count, each]) => `${each.length} in ${count} tasks`);
  say(`Statements that ask shards: ${parts.join(', ')}; each with its text in test-results/citus-statements.jsonl`);
}

/** All that uses a database once more on a cluster, where there is one. */
function onCitus(coordinator: string): Step {
  const step = vitest('integration', citusFiles(), { TEST_DATABASE_URL: coordinator });
  return {
    ...step,
    name: 'Citus',
    run: async (print) => {
      const outcome = await step.run(print);
      saySharding();
      return outcome;
    },
  };
}
const ON_CITUS: Step[] = process.env.DATABASE_URL_CITUS ? [onCitus(process.env.DATABASE_URL_CITUS)] : [];

const ALL: (Step | Step[])[] = [
  ...[GENERATED, [...LINTERS, WEB_BUILD], TYPES, vitest('unit')],
  ...[vitest('integration'), ...ON_CITUS, vitest('lab'), endToEnd()],
];

const LONG = { TEST_LONG: '1' };

/** Test files that `npm test` leaves out (`.long.test.ts`), or runs to a bounded extent: those ask tests/support/extent.ts. */
function filesWithExtent(project: string): string[] {
  const files = globSync(`tests/${project}/**/*.test.{ts,tsx}`, { cwd: ROOT });
  const asks = (file: string) => readFileSync(path.join(ROOT, file), 'utf8').includes('support/extent.ts');
  return files.filter((file) => file.endsWith('.long.test.ts') || asks(file)).sort();
}

function longSteps(): Step[] {
  const isOfLab = (file: string) => path.basename(file).startsWith('lab-');
  const integration = filesWithExtent('integration');
  const suites = [
    vitest('unit', filesWithExtent('unit'), LONG),
    vitest(
      'integration',
      integration.filter((file) => !isOfLab(file)),
      LONG,
    ),
    vitest('lab', integration.filter(isOfLab), LONG),
  ];
  return [GENERATED, WEB_BUILD, FAULTS, ...suites, endToEnd(LONG)];
}

/** Seconds that the suites of `npm test` take on two quiet cores. */
const BUDGETS = { 'unit tests': 70, 'integration tests': 280, 'lab tests': 48, 'end-to-end tests (Chromium)': 280 };
const [loadBefore = 0] = loadavg();
const startedAt = performance.now();

rmSync(reports, { recursive: true, force: true });
mkdirSync(reports, { recursive: true });
const steps = values.long ? longSteps() : values.verify ? VERIFY : ALL;
const rows = await runSteps(steps);
const flaky = process.env.CI === 'true' ? await runFailedAgain(steps.flat(), rows) : [];
say(costliestFiles(process.env.TEST_CPU_FILE));
say(`\n${summary(rows, performance.now() - startedAt)}`);
for (const each of flaky) say(`flaky ${each}`);
const slow = values.long ? [] : overBudget(rows, BUDGETS, loadBefore, availableParallelism());
for (const each of slow) say(`FAILED ${each}`);
writeFileSync(path.join(reports, 'flaky.txt'), flaky.map((each) => `flaky ${each}\n`).join(''));
process.exitCode = hasFailed(rows) || slow.length > 0 ? 1 : 0;
