import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const FOLDER = path.resolve(import.meta.dirname, '../../docs/decisions');
const pages = readdirSync(FOLDER).filter((page) => page !== 'README.md');
const read = (page: string) => readFileSync(path.join(FOLDER, page), 'utf8');

const LINK = String.raw`\[[\w.]+\]\([\w./-]+\)`;
const STATUS = RegExp(
  `^Status: (holds|replaced by ${LINK}|replaced in part by ${LINK} \\([^()]+\\)(, by ${LINK} \\([^()]+\\))*|withdrawn \\([^()]+\\))\\.$`,
);
const REPLACES = RegExp(`^Replaces: ${LINK}( in part)?(, ${LINK}( in part)?)*\\.$`);

const statusOf = (page: string) => read(page).split('\n')[2] ?? '';
const replacesOf = (page: string) => {
  const line = read(page).split('\n')[3] ?? '';
  return line.startsWith('Replaces:') ? line : '';
};
/** The pages of decisions that a line leads to. */
const linked = (line: string) => [...line.matchAll(/\]\((\d{4}-[\w-]+\.md)\)/g)].map(([, page = '']) => page);

describe('docs/decisions', () => {
  test.each(pages)('%s says first what it is, and what is left of it', (page) => {
    expect(read(page)).toMatch(RegExp(`^# ${page.slice(0, 4)} — .+\n\nStatus: `));
    expect(statusOf(page)).toMatch(STATUS);
    if (replacesOf(page)) expect(replacesOf(page)).toMatch(REPLACES);
    for (const [, number, other = ''] of read(page).matchAll(/\[(\d{4})\]\(([^)]+)\)/g))
      expect(other.slice(0, 4), `the link [${number}](${other})`).toBe(number);
  });

  test('leads on from each page that was replaced, and back again', () => {
    const on = pages.flatMap((page) => {
      const part = statusOf(page).includes(' in part ') ? ' in part' : '';
      return linked(statusOf(page)).map((newer) => `${newer} replaces ${page}${part}`);
    });
    const back = pages.flatMap((page) =>
      [...replacesOf(page).matchAll(/\]\(([\w.-]+)\)( in part)?/g)].map(
        ([, older, part = '']) => `${page} replaces ${older}${part}`,
      ),
    );
    expect(on.length).toBeGreaterThan(10);
    expect(back.toSorted()).toEqual(on.toSorted());
  });
});
