import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ENTRIES, PRODUCTS, ROOT } from '#cli/dist.mjs';

// A checkout of what runs before the bundles, with sources and bundles of one line each.
let folder = '';
const at = (file: string) => path.join(folder, file);
function write(file: string, text: string, seconds = 2_000): void {
  mkdirSync(path.dirname(at(file)), { recursive: true });
  writeFileSync(at(file), text);
  utimesSync(at(file), seconds, seconds);
}
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'roundtrip-dist-'));
  for (const file of ['cli/roundtrip.mjs', 'cli/node24.mjs', 'cli/dist.mjs']) {
    write(file, '');
    copyFileSync(path.join(ROOT, file), at(file));
    utimesSync(at(file), 1_000, 1_000);
  }
  // Builds whatever it is told to; a line of `server/refused.ts` makes it fail.
  write(
    'cli/build.ts',
    `import { existsSync, utimesSync, writeFileSync } from 'node:fs';
     if (existsSync('server/refused.ts')) process.exit(2);
     process.stdout.write(\`built \${process.argv.slice(2)}\\n\`);
     writeFileSync('dist/main.mjs', \`process.stdout.write('new ' + process.argv[2])\`);`,
    1_000,
  );
  write('dist/main.mjs', `process.stdout.write('old ' + process.argv[2]);`);
  write('dist/.built', '');
  write('dist/web/.built', '');
  write('server/a.ts', '', 1_000);
  write('app/page.tsx', '', 1_000);
  for (const each of ['server', 'app', 'cli']) utimesSync(at(each), 1_000, 1_000);
});
afterEach(() => rmSync(folder, { recursive: true }));

function run(...args: string[]) {
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: at('cache') };
  const { stdout, status } = spawnSync(process.execPath, [at('cli/roundtrip.mjs'), ...args], {
    cwd: folder,
    env: env as unknown as NodeJS.ProcessEnv,
    encoding: 'utf8',
  });
  return [stdout, status];
}

describe('roundtrip', () => {
  it('takes what is built as it is where there are no sources', () => {
    rmSync(at('server'), { recursive: true });
    write('cli/dist.mjs', readFileSync(at('cli/dist.mjs'), 'utf8'), 3_000);
    expect(run('key')).toEqual(['old key', 0]);
  });

  it.each([
    ['nothing changed', () => {}, 'old key'],
    ['a file changed', () => write('server/a.ts', 'changed', 3_000), 'built program\nnew key'],
    ['a file is new', () => write('server/deep/b.ts', '', 3_000), 'built program\nnew key'],
    ['a file is gone', () => rmSync(at('server/a.ts')), 'built program\nnew key'],
    ['nothing is built', () => rmSync(at('dist/.built')), 'built program\nnew key'],
    ['packages are installed', () => write('node_modules/.package-lock.json', '', 3_000), 'built program\nnew key'],
    ['a page alone changed', () => write('app/page.tsx', 'changed', 3_000), 'old key'],
  ])('builds where it must: %s', (_, change, said) => {
    change();
    expect(run('key')).toEqual([said, 0]);
  });

  it('builds the pages for what serves them', () => {
    write('app/page.tsx', 'changed', 3_000);
    expect(run('web', '--help')).toEqual(['old web', 0]);
    expect(run('web')).toEqual(['built program,web application\nnew web', 0]);
    expect(run('build', '--no-web')).toEqual(['new build', 0]);
  });

  it('runs nothing where the build fails', () => {
    write('server/refused.ts', '', 3_000);
    expect(run('start')).toEqual(['', 2]);
  });
});

it('has entries that exist, each among the sources of the program', () => {
  for (const source of Object.values(ENTRIES)) {
    expect(existsSync(path.join(ROOT, source)), source).toBe(true);
    expect(PRODUCTS.program.sources, source).toContain(source.split('/')[0]);
  }
});
