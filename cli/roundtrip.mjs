#!/usr/bin/env node
// Runs what is in `dist/` (dist.mjs), which is built first where it is missing or its sources have changed.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runOnNode24, runToEnd } from './node24.mjs';

const self = fileURLToPath(import.meta.url);

async function built() {
  const { bundleOf, ROOT, whyBuild } = await import('./dist.mjs');
  const [, , name, ...options] = process.argv;
  const isAsked = ['build', 'start', 'web'].includes(name ?? '');
  const isWebWanted = isAsked && !options.some((option) => ['--no-web', '--help', '-h'].includes(option));
  const wanted = isWebWanted ? ['program', 'web application'] : ['program'];
  if (wanted.some((product) => whyBuild(product) !== null)) {
    const status = await runToEnd(process.execPath, [path.join(ROOT, 'cli/build.ts'), ...wanted]);
    if (status !== 0) process.exit(status);
  }
  const main = path.join(ROOT, bundleOf('main'));
  if (name === 'start') becomeSupervisor(main);
  return main;
}

/**
 * Puts the supervisor in the place of this process, with a heap and memory pools that are small (10 MB): it runs for as long as all
 * the rest and does little. Where the system can't, it goes on in here.
 * @param {string} main
 */
function becomeSupervisor(main) {
  if (process.platform === 'win32' || process.execve === undefined) return;
  const options = ['--max-semi-space-size=1', '--max-old-space-size=64', ...process.execArgv];
  const env = { MALLOC_ARENA_MAX: '1', ...process.env };
  process.execve(process.execPath, ['node', ...options, main, ...process.argv.slice(2)], env);
}

await runOnNode24(built, self);
