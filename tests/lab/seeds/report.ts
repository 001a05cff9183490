import type { Row, Seed } from './seed.ts';

/** An experiment as text: a heading, its notes, and each row with the product's sentences below it. */
export function tableOf(
  { title, source, notes }: Pick<Seed, 'title' | 'source' | 'notes'>,
  rows: readonly Row[],
): string {
  const [published, measured] = [
    widthOf(rows.map((row) => row.published ?? '-')),
    widthOf(rows.map((row) => row.measured)),
  ];
  const lines = rows.flatMap((row) => [
    `  ${row.holds ? 'holds ' : 'MISSED'}  ${row.what}`,
    `          published ${(row.published ?? '-').padEnd(published)}  here ${row.measured.padEnd(measured)}  expected ${row.expected}`,
    ...row.sentences.map((sentence) => `          > ${sentence}`),
  ]);
  return [title, `  ${source}`, ...notes.map((note) => `  ${note}`), ...lines].join('\n');
}

const widthOf = (texts: readonly string[]) => Math.max(...texts.map(({ length }) => length));
