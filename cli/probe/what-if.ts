import type { Client, Milestones, Prediction } from '#analysis/what-if/what-if.ts';
import type { Result } from '#contract/result.ts';
import { milliseconds, row, screenColumns, signedMs } from './layout.ts';
import type { Paint } from './paint.ts';
import { type Predictions, predictionOf, visitOf, type WhatIf } from './prediction.ts';
import { restedOrAll } from './verdict.ts';

/** What the changes would make of sequences of Results, each milestone by its median; null where none is a base for it. */
export function predictionsOf(sequences: readonly Result[][], wanted: WhatIf): Predictions | null {
  const each = restedOrAll(sequences.map(visitOf)).flatMap((visit) => predictionOf(visit, wanted) ?? []);
  if (each.length === 0) return null;
  return { api: medians(each.map(({ api }) => api)), browser: medians(each.map(({ browser }) => browser)) };
}

function medians(predictions: readonly Prediction[]): Prediction {
  const middle = (when: keyof Prediction, milestone: keyof Milestones) => {
    const values = predictions.map((prediction) => prediction[when][milestone]).toSorted((a, b) => a - b);
    return values[(values.length - 1) >> 1] ?? Number.NaN;
  };
  const of = (when: keyof Prediction): Milestones => ({
    handshake: middle(when, 'handshake'),
    firstUsable: middle(when, 'firstUsable'),
    firstBody: middle(when, 'firstBody'),
    total: middle(when, 'total'),
  });
  return { before: of('before'), after: of('after') };
}

const NO_BASE = 'no prediction: it takes the whole response to a full handshake, measured without packet loss';
const NO_REDIRECT = 'no redirect was followed; --redirects follows them';
const LABEL_COLUMNS = 15;
const CELL_COLUMNS = 11;
/** Columns before a bar. */
const BEFORE_BAR = 15;
const WIDEST_BAR = 60;
/** The parts of a bar: where each ends, and how it is drawn with and without colour. */
const PARTS: { until: keyof Milestones; heading: string; colour: keyof Paint; block: string }[] = [
  { until: 'handshake', heading: 'handshake', colour: 'magenta', block: '█' },
  { until: 'firstUsable', heading: 'first byte', colour: 'yellow', block: '▓' },
  { until: 'firstBody', heading: 'first body', colour: 'cyan', block: '▒' },
  { until: 'total', heading: 'total', colour: 'blue', block: '░' },
];
const CLIENTS: [Client, string][] = [
  ['api', 'API client'],
  ['browser', 'browser'],
];

/** Both bars of each kind of client, as measured and as predicted, and what lies between them. */
export function whatIfLines(sequences: readonly Result[][], wanted: WhatIf, paint: Paint): string[] {
  const predictions = predictionsOf(sequences, wanted);
  const title = row('what if', paint.bold(wanted.text));
  if (!predictions) return ['', title, row('', NO_BASE)];
  const idle =
    wanted.changes.some(({ kind }) => kind === 'noRedirect') && !sequences.some((each) => visitOf(each).length > 1);
  const note = idle ? [row('', NO_REDIRECT)] : [];
  const totals = CLIENTS.flatMap(([client]) => Object.values(predictions[client]).map(({ total }) => total));
  const longest = Math.max(...totals);
  return [
    '',
    title,
    ...note,
    ...CLIENTS.flatMap(([client, name]) => linesOf(name, predictions[client], longest, paint)),
  ];
}

function linesOf(name: string, { before, after }: Prediction, longest: number, paint: Paint): string[] {
  const cells = (...texts: string[]) => texts.map((text) => text.trim().padStart(CELL_COLUMNS)).join('');
  return [
    `${`  ${name}`.padEnd(LABEL_COLUMNS)}${cells('now', 'predicted', 'change')}`,
    ...PARTS.map(({ until, heading }) => {
      const [now, then] = [before[until], after[until]];
      const values = cells(milliseconds(now), milliseconds(then), signedMs(then - now));
      return `    ${heading}`.padEnd(LABEL_COLUMNS) + values;
    }),
    `    now        ${barOf(before, longest, paint)}`,
    `    predicted  ${barOf(after, longest, paint)}`,
  ];
}

function barOf(milestones: Milestones, longest: number, paint: Paint): string {
  const width = Math.min(WIDEST_BAR, screenColumns() - BEFORE_BAR);
  let drawn = 0;
  return PARTS.map(({ until, colour, block }) => {
    const end = Math.round((milestones[until] / longest) * width);
    const length = Math.max(0, end - drawn);
    drawn += length;
    return paint[colour](block.repeat(length));
  }).join('');
}
