import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { PRODUCTS, ROOT } from '#cli/dist.mjs';
import manifest from '../../package.json' with { type: 'json' };
import { collect } from '../support/process.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'roundtrip-build-'));
  for (const each of [...PRODUCTS.program.sources, 'prisma/generated'])
    cpSync(path.join(ROOT, each), path.join(folder, each), { recursive: true });
  // The checkout's packages (what npm wrote of them is among the sources), and a cache of its own, which holds the lock.
  const packages = path.join(folder, 'node_modules');
  mkdirSync(path.join(packages, '.cache'), { recursive: true });
  for (const each of readdirSync(path.join(ROOT, 'node_modules')))
    if (each !== '.cache' && each !== '.package-lock.json')
      symlinkSync(path.join(ROOT, 'node_modules', each), path.join(packages, each));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('builds once where two want it at once, each of which then runs it', async () => {
  const run = (args: string[]) => {
    const child = spawn(process.execPath, [path.join(folder, 'cli/roundtrip.mjs'), ...args], { cwd: folder });
    const all = collect(child);
    return once(child, 'close').then(([status]) => ({ status, all: all() }));
  };
  const ran = await Promise.all([run(['--version']), run(['--version'])]);
  const said = ran.map(({ all }) => all).join('');
  expect(said.match(/^ {2}Build +program, since there is none: [\d.]+ s$/gm)).toHaveLength(1);
  expect(said.match(new RegExp(`^${manifest.version}$`, 'gm'))).toHaveLength(2);
  expect(ran.map(({ status }) => status)).toEqual([0, 0]);
  // What a prober's image holds runs by itself.
  const env = { PATH: process.env.PATH } as unknown as NodeJS.ProcessEnv;
  const prober = spawnSync(process.execPath, [path.join(folder, 'dist/prober/main.mjs')], { encoding: 'utf8', env });
  expect([prober.stderr, prober.status]).toEqual([expect.stringMatching(/^roundtrip: .*--server/), 2]);
});

it('says in one sentence why it cannot build, and does not run', () => {
  rmSync(path.join(folder, 'node_modules/.cache'), { recursive: true });
  writeFileSync(path.join(folder, 'node_modules/.cache'), '');
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [path.join(folder, 'cli/roundtrip.mjs'), '--version'],
    {
      encoding: 'utf8',
      env: { ...process.env, NODE_COMPILE_CACHE: path.join(folder, 'compiled') },
    },
  );
  expect(stdout).toBe('');
  expect(stderr).toMatch(
    /^roundtrip: The checkout \S+ cannot be written to \(E\w+\), which a build requires: [^\n]+\n$/,
  );
  expect(status).toBe(2);
});
