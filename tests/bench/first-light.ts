import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { findEmbeddedPostgres } from '#cli/database/embedded-postgres.ts';
import { ROOT } from '#cli/dist.mjs';
import { collect, freePort } from '../support/process.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { benchHttpIngest } from './ingest.ts';
import { benchMatrix } from './matrix.ts';
import { measureScripts } from './scripts.ts';

/**
 * Prints how long a newcomer waits, what ingest and matrix do, and how much JavaScript a page loads, as a Markdown table.
 * Of `parts` (clone, running, matrix) only those that are named, else all.
 */
export async function benchFirstLight(parts: string[] = []): Promise<void> {
  const wanted = (part: string) => parts.length === 0 || parts.includes(part);
  const folder = mkdtempSync(path.join(tmpdir(), 'roundtrip-bench-'));
  // PostgreSQL's user passes through on its way to the data, as in any checkout that is not root's alone.
  chmodSync(folder, 0o711);
  try {
    console.log(`\`npm run bench -- ${['first-light', ...parts].join(' ')}\` on ${machine()}:\n`);
    console.log('| what | measured | aim |\n| --- | --- | --- |');
    if (wanted('clone')) await benchFreshClone(folder);
    if (wanted('running')) await benchRunning(path.join(folder, 'data'));
    if (wanted('matrix')) await benchMatrix(([what, figure]) => row(what, figure, MATRIX_AIMS[what]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const MATRIX_AIMS: Record<string, string> = { 'matrix p50, 24 h': 'under 50 ms' };

const machine = () => `${cpus().length} cores, ${cpus()[0]?.model ?? 'unknown processor'}, Node ${process.version}`;
const row = (what: string, figure: string, aim = '') => console.log(`| ${what} | ${figure} | ${aim} |`);
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

/** `npm ci && npm start` of what is committed, in a new checkout and an empty home. */
async function benchFreshClone(folder: string): Promise<void> {
  const checkout = path.join(folder, 'checkout');
  const home = path.join(folder, 'home');
  mkdirSync(home);
  await run('git', ['clone', '--quiet', '--no-hardlinks', ROOT, checkout], folder, home);
  const startedAt = performance.now();
  await run('npm', ['ci'], checkout, home);
  const installedAt = performance.now();
  row('`npm ci` in a fresh clone, empty home', seconds(installedAt - startedAt));
  const child = spawn('npm', ['start', '--', '--port', String(await freePort())], {
    cwd: checkout,
    env: bareEnv(home),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = collect(child);
  while (!output().includes('Ctrl-C stops')) {
    if (child.stdout === null || child.exitCode !== null) throw new Error(output());
    await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  }
  row('first `npm start` to the address, web build included', seconds(performance.now() - installedAt));
  row('both together', seconds(performance.now() - startedAt), 'under 90 s');
  child.kill('SIGTERM');
  await once(child, 'close');
}

/** Only what a new machine has: no settings of this checkout, nor of whoever runs the bench. */
function bareEnv(home: string): NodeJS.ProcessEnv {
  const path = (process.env.PATH ?? '').split(':').filter((entry) => !entry.includes('node_modules'));
  const kept = Object.entries(process.env).filter(([name]) =>
    /^(https?_proxy|no_proxy|npm_config_registry|NODE_EXTRA_CA_CERTS)$/i.test(name),
  );
  // Next's types demand NODE_ENV, with which npm would leave the development packages out.
  return { ...Object.fromEntries(kept), PATH: path.join(':'), HOME: home } as unknown as NodeJS.ProcessEnv;
}

async function run(command: string, args: string[], cwd: string, home: string): Promise<void> {
  const child = spawn(command, args, { cwd, env: bareEnv(home), stdio: ['ignore', 'pipe', 'pipe'] });
  const output = collect(child);
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${output()}`);
}

/** The second start, the scripts of its pages, and ingest through its HTTP. */
async function benchRunning(dataDir: string): Promise<void> {
  const first = await startStack({ dataDir });
  await first.stop();
  const second = await startStack({ dataDir });
  row('second start to the address', seconds(second.addressMs), 'under 3 s');
  await second.stop();
  const measured = await startStack({ dataDir, env: { ROUNDTRIP_PUBLIC_DASHBOARD: '1' } });
  for (const { page, kilobytes, aim } of await measureScripts(measured.url)) {
    row(`JavaScript of ${page}, gzipped`, `${kilobytes.toFixed(0)} kB`, `at most ${aim} kB`);
  }
  await measured.stop();
  await benchIngestOf(await startStack({ dataDir, args: ['--no-demo'] }), dataDir);
}

async function benchIngestOf(stack: Stack, dataDir: string): Promise<void> {
  process.env.DATABASE_URL = (await findEmbeddedPostgres(dataDir)) ?? '';
  const perSecond = await benchHttpIngest(stack.url);
  row('ingest through HTTP into embedded PostgreSQL', `${perSecond} results/s`, 'at least 20000');
  delete process.env.DATABASE_URL;
  await stack.stop();
}
