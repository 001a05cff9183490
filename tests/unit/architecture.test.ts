import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { ENTRIES } from '#cli/dist.mjs';
import manifest from '../../package.json' with { type: 'json' };
import { PAGES, printed } from '../../scripts/docs.ts';
import { WALKS } from '../../scripts/walks.ts';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** The files that a file imports, or runs as a thread. */
const importsOf = (file: string) =>
  [...read(file).matchAll(/(?:from |import\(|new URL\()'([#.][^']+)'/g)].map(([, name = '']) =>
    name.startsWith('#') ? name.slice(1) : path.join(path.dirname(file), name),
  );

describe('what is printed of the code', () => {
  test.each(PAGES)('%s is as the code is', (page) => {
    const isStale = `${page} says what is no longer so: run \`npm run docs\``;
    expect(read(page), isStale).toBe(printed(page));
  });

  test('is all of it: two walks, the rooms of server/, the folders, the decisions, the client’s examples', () => {
    const marks = PAGES.flatMap((page) =>
      [...read(page).matchAll(/^<!-- printed: (.+) -->$/gm)].map(([, name]) => name),
    );
    expect(marks).toEqual([
      ...Object.keys(WALKS),
      'rooms of server/',
      'who may import whom',
      'decisions',
      'examples of the client',
    ]);
  });

  test.each(Object.entries(WALKS))(
    '%s: no file stands apart from those before it, but where a stage begins',
    (_, stages) => {
      const seen: string[] = [];
      const apart: string[] = [];
      for (const files of Object.values(stages)) {
        for (const [index, each] of files.entries()) {
          const file = each.split(' ')[0] ?? '';
          const isTied = seen.some((other) => importsOf(other).includes(file) || importsOf(file).includes(other));
          if (index > 0 && !isTied) apart.push(file);
          seen.push(file);
        }
      }
      expect(seen.length).toBeGreaterThan(30);
      expect(apart).toEqual([]);
    },
  );

  test('has a row for each folder of code', () => {
    const rows = [...read('CONTRIBUTING.md').matchAll(/^\| `([a-z0-9]+)\/[a-z]*\/?` \|/gm)].map(([, folder]) => folder);
    expect(PRODUCT.filter((folder) => !rows.includes(folder))).toEqual([]);
  });

  test('names every process and thread that is built', () => {
    const processes = read('docs/architecture.md').split('\n## ')[1] ?? '';
    expect(Object.keys(ENTRIES).filter((name) => !processes.includes(`\`${name}\``))).toEqual([]);
  });
});

/** The folders that the import rules are held against, but for tests. */
const PRODUCT = manifest.scripts.imports
  .split(' ')
  .filter((word) => /^[a-z0-9]+$/.test(word) && !['depcruise', 'tests'].includes(word));
const sources = PRODUCT.flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|tsx|mjs)$/.test(file))
    .map((file) => `${folder}/${file}`)
    .filter((file) => file !== 'client/schema.ts'),
);

describe('product code', () => {
  test('is read a file at a time: none has more than 400 lines', () => {
    const linesOf = (file: string) => readFileSync(path.join(root, file), 'utf8').split('\n').length - 1;
    expect(sources.length).toBeGreaterThan(500);
    expect(sources.filter((file) => linesOf(file) > 400)).toEqual([]);
  });

  test('has rooms that one can know: at most 25 files a folder of server/, but for incidents', () => {
    const folders = Map.groupBy(
      sources.filter((file) => file.startsWith('server/')),
      (file) => path.dirname(file),
    );
    const large = [...folders].filter(([, files]) => files.length > 25).map(([folder]) => folder);
    expect(large).toEqual(['server/incidents']);
  });
});
