import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

const root = path.resolve(import.meta.dirname, '../..');

/** Words that a reader stumbles over, and what to say instead. `of before` at the head of a loop is code. */
const WORDS: [refused: RegExp, say: string][] = [
  [/anew(?![a-z])/i, 'again, newly, from scratch, renewed, restarted'],
  [/\bwhoever\b/i, 'the caller, the reader, the process that …'],
  [/(?<!\]|\bconst \w+) of before\b/i, 'earlier, previous'],
  [/gravity/i, 'badge (on a page), severity (of an incident)'],
  [/\binsist(s|ed)?\b/i, 'retry; require'],
  [/roster/i, 'seriesGroups'],
  [/agenda/i, 'the noun of what it lists: plan, schedule, queue'],
  [/climate/i, 'the noun of what it measures: dailyShape, dailyPeak'],
  [/takenBack/, 'recoveredCells'],
  [/\btold_?(at|series|cause|severity)\b/i, 'notifiedAt, notifiedSeries, notifiedCause, notifiedSeverity'],
  [/\b(type|interface|class) Line\b/, 'TlsConnection, DelayLine, Path, Series'],
  [/\b(type|interface|class) Place\b/, 'Location, Scope, Cursor, index'],
];
const FILES = /^(rows?|parts|samples|late|past|words|shown|known|kept|odd|turns|grown|growth)\.(tsx?|mjs)$/;

/** The folders that the import rules are held against, but for tests, `prisma/` and the files beside them. */
const folders = manifest.scripts.imports
  .split(' ')
  .filter((word) => /^[a-z0-9]+$/.test(word) && !['depcruise', 'tests'].includes(word));
const sources = ['.', 'prisma', ...folders].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: folder !== '.', encoding: 'utf8' })
    .map((file) => path.posix.join(folder, file))
    .filter((file) => /\.(tsx?|mjs)$/.test(file) && !file.startsWith('prisma/generated/')),
);

const refusedIn = (file: string, text: string): string[] =>
  text.split('\n').flatMap((line, index) =>
    WORDS.flatMap(([refused, say]) => {
      const found = refused.exec(line)?.[0].trim();
      return found === undefined ? [] : [`${file}:${index + 1}: “${found}”: say ${say}`];
    }),
  );

test('every refused word is found, with what to say instead', () => {
  const text = '// made anew\nlearnAnew();\n// one of before\nfor (const each of before) {}\ntype Line = {\n';
  expect(refusedIn('a.ts', text).map((each) => each.slice(0, 19))).toEqual([
    'a.ts:1: “anew”: say',
    'a.ts:2: “Anew”: say',
    'a.ts:3: “of before”',
    'a.ts:5: “type Line”',
  ]);
});

test('the sources are written in plain words', () => {
  expect(sources.length).toBeGreaterThan(500);
  expect(sources.flatMap((file) => refusedIn(file, readFileSync(path.join(root, file), 'utf8')))).toEqual([]);
});

test('source files are named by what they hold', () => {
  expect(sources.filter((file) => FILES.test(path.posix.basename(file)))).toEqual([]);
});
