import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

const root = path.resolve(import.meta.dirname, '../..');
const text = readFileSync(path.join(root, 'docs/architecture.md'), 'utf8');
type Rule = { name: string; to: { pathNot?: string | string[] } };
const { forbidden } = createRequire(import.meta.url)(path.join(root, '.dependency-cruiser.cjs')) as {
  forbidden: Rule[];
};

/** Each room of server/ with the others that its rule lets it import. */
const rooms = forbidden.flatMap(({ name, to }) => {
  const room = name.match(/^server-(.+)-imports$/)?.[1];
  const allowed = [to.pathNot ?? []].flat().map((pattern) => pattern.replace(/^\^server\/(.+)\/$/, '$1'));
  return room ? [{ room, may: allowed.filter((other) => other !== room) }] : [];
});

/** The text of a section of the second level, without its heading. */
const section = (title: string) => text.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';

describe('docs/architecture.md', () => {
  test('has the rooms of server/ and their arrows as the import rules have them', () => {
    const written = section('The rooms of `server/`');
    const arrows = rooms.flatMap(({ may }) => may).length;
    expect(written.match(/^\d+ rooms, \d+ arrows\.$/m)?.[0]).toBe(`${rooms.length} rooms, ${arrows} arrows.`);
    const rows = rooms.map(({ room, may }) => `| \`${room}\` | ${may.join(', ') || '—'} |`);
    expect(written.split('\n').filter((line) => line.startsWith('| `'))).toEqual(rows);
  });

  test.each(['From a socket to a pixel', 'From a sample to a webhook'])(
    '%s: numbers its files, and all are there',
    (walk) => {
      const files = [...section(walk).matchAll(/^(\d+)\. `([^`]+)`/gm)];
      expect(section(walk)).toContain(`\n${files.length} files.\n`);
      expect(files.map(([, number]) => Number(number))).toEqual(files.map((_, index) => index + 1));
      expect(files.map(([, , file]) => file).filter((file) => !existsSync(path.join(root, file ?? '')))).toEqual([]);
    },
  );
});

/** The folders that the import rules are held against, but for tests. */
const PRODUCT = manifest.scripts.imports
  .split(' ')
  .filter((word) => /^[a-z0-9]+$/.test(word) && !['depcruise', 'tests'].includes(word));
const sources = PRODUCT.flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|tsx|mjs)$/.test(file))
    .map((file) => `${folder}/${file}`),
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
