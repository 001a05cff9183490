// `npm test` runs everything; `npm run verify` (--verify) what needs no database and no browser.
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { prepareClient, prepareWeb, ROOT } from '#cli/prepare.ts';
import manifest from '../package.json' with { type: 'json' };
import { findOrInstallBrowser } from './support/browser.ts';
import { playwrightCounts, vitestCounts } from './support/counts.ts';
import { type Counts, headline, runTool, say } from './support/step.ts';

const verifyOnly = process.argv.includes('--verify');
const reports = path.join(ROOT, 'test-results');
const report = (name: string) => path.join(reports, `${name}.json`);

/** A step returns what it counted, or null where it counts nothing. It throws when it fails. */
type Step = { name: string; run: () => Promise<Counts | null> };

const tool = (name: string, file: string, args: string[]): Step => ({
  name,
  run: async () => {
    await runTool(file, args);
    return null;
  },
});

const vitest = (project: string): Step => ({
  name: `${project} tests`,
  run: async () => {
    const output = report(project);
    const args = ['run', '--project', project, '--reporter=default', '--reporter=json', `--outputFile.json=${output}`];
    const status = await runTool('vitest/vitest.mjs', args, { mayFail: true });
    return vitestCounts(output, status);
  },
});

/** What `npm run imports` gives to dependency-cruiser. */
const IMPORTS = manifest.scripts.imports.split(' ').slice(1);

const VERIFY: Step[] = [
  {
    name: 'generated code',
    run: async () => {
      await prepareClient(say);
      await runTool('next/dist/bin/next', ['typegen']);
      return null;
    },
  },
  tool('format and lint (Biome)', '@biomejs/biome/bin/biome', ['check', '.']),
  tool('types (tsc)', 'typescript/bin/tsc', ['--noEmit', '-p', '.']),
  tool('import rules (dependency-cruiser)', 'dependency-cruiser/bin/dependency-cruise.mjs', IMPORTS),
  tool('unused files and exports (knip)', 'knip/bin/knip.js', ['--no-progress']),
  vitest('unit'),
];

const REST: Step[] = [
  {
    name: 'web build',
    run: async () => {
      await prepareWeb(say);
      return null;
    },
  },
  vitest('integration'),
  vitest('lab'),
  {
    name: 'end-to-end tests (Chromium)',
    run: async () => {
      const env = { CHROMIUM: await findOrInstallBrowser(say), PLAYWRIGHT_JSON_OUTPUT_NAME: report('e2e') };
      const args = ['test', '--reporter=list,json'];
      const status = await runTool('@playwright/test/cli.js', args, { mayFail: true, env });
      return playwrightCounts(report('e2e'), status);
    },
  },
];

rmSync(reports, { recursive: true, force: true });
mkdirSync(reports, { recursive: true });
const total: Counts = { passed: 0, failed: 0 };
for (const step of verifyOnly ? VERIFY : [...VERIFY, ...REST]) {
  const done = headline(step.name);
  const counts = await step.run().catch((error: Error) => {
    say(error.message);
    return { passed: 0, failed: 1 };
  });
  done();
  total.passed += counts?.passed ?? 0;
  total.failed += counts?.failed ?? 0;
  // What a later step says is worth little when an earlier one failed.
  if (total.failed > 0) break;
}
say(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;
