import type { KindScores, Scores } from './scores.ts';

/** Rows of text with columns of equal width. */
export function layOut(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, cell.length);
    });
  return rows
    .map((row) =>
      row
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const KIND_HEAD = ['n', 'P', 'R', 'F1', 'FA/week', 'delay', 'p90'];

/** Two lines: what the columns are of, and their names. */
export const HEAD: readonly (readonly string[])[] = [
  ['', 'spikes', '', '', '', '', '', '', '', 'shifts', '', '', '', '', '', '', '', '', 'pages', '', '', 'ms a', ''],
  ['world', ...KIND_HEAD, 'samples', ...KIND_HEAD, 'onset', 'cause', 'a case', 'P', 'mixed', 'series', 'half hour'],
];

/** What is aimed at, in the columns of the table. */
export const AIMS: readonly string[] = [
  'aim',
  ...['', '.93', '.91', '.92', '.12', '10m', '', '2.5'],
  ...['', '.94', '.95', '.95', '.04', '5h', '', '15m'],
  ...['.90', '1.2', '.90', '', '', '.3'],
];

/** What the detector's time came to, ms. */
export type Cost = { aSeries: number; aHalfHour: number };

/** One row of the table of a bench. */
export function rowOf(name: string, { spikes, shifts, cause, pages }: Scores, cost: Cost | null): string[] {
  return [
    name,
    ...kindCells(spikes, minutes),
    fixed(spikes.delaySamples, 1),
    ...kindCells(shifts, hours),
    minutes(shifts.onsetMinutes),
    fixed(cause, 2),
    fixed(pages.perIncident, 2),
    fixed(pages.precision, 2),
    fixed(pages.mixed, 2),
    fixed(cost?.aSeries ?? null, 1),
    fixed(cost?.aHalfHour ?? null, 3),
  ];
}

function kindCells(scores: KindScores, delay: (value: number | null) => string): string[] {
  const { events, precision, recall, f1, falsePerSeriesWeek, delayMinutes, delayMinutes90 } = scores;
  return [
    String(events),
    fixed(precision, 3),
    fixed(recall, 3),
    fixed(f1, 3),
    fixed(falsePerSeriesWeek, 2),
    delay(delayMinutes),
    delay(delayMinutes90),
  ];
}

function minutes(value: number | null): string {
  return value === null ? '-' : `${value.toFixed(1)}m`;
}

function hours(value: number | null): string {
  return value === null ? '-' : `${(value / 60).toFixed(1)}h`;
}

function fixed(value: number | null, digits: number): string {
  return value === null ? '-' : value.toFixed(digits);
}
