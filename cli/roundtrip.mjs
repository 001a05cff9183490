#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runOnNode24 } from './node24.mjs';

const self = fileURLToPath(import.meta.url);
const source = path.join(path.dirname(self), 'main.ts');
const starts = process.argv[2] === 'start';

/** The bundle where it is fresh, else the source. `start`, which runs for long, makes the bundle first where it can. */
async function newest() {
  const { BUNDLES, bundlesAreFresh } = await import('./bundles.mjs');
  if (!bundlesAreFresh() && !(starts && (await makeBundles()))) return source;
  const bundle = path.join(BUNDLES, 'main.mjs');
  if (starts) becomeSupervisor(bundle);
  return bundle;
}

/** In a process of its own: what it loads for this is not needed afterwards. It says itself why it failed. */
async function makeBundles() {
  const child = spawn(process.execPath, [source, 'build', '--bundles-only'], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  return code === 0;
}

/**
 * Puts the supervisor in the place of this process, with a small heap: it runs for as long as all the rest and does little. Where the
 * system can't, it goes on in here.
 * @param {string} bundle
 */
function becomeSupervisor(bundle) {
  if (process.platform === 'win32' || process.execve === undefined) return;
  const options = ['--max-semi-space-size=1', '--max-old-space-size=64', ...process.execArgv];
  const env = Object.entries({ MALLOC_ARENA_MAX: '1', ...process.env }).map(([name, value]) => [name, value ?? '']);
  process.execve(process.execPath, ['node', ...options, bundle, ...process.argv.slice(2)], Object.fromEntries(env));
}

await runOnNode24(newest, self);
