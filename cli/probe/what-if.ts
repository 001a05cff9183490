import {
  type Change,
  type Client,
  factsOf,
  type Milestones,
  type Prediction,
  parseChanges,
  whatIf,
} from '#analysis/what-if/what-if.ts';
import type { Result } from '#contract/result.ts';
import { milliseconds, row } from './layout.ts';
import type { Paint } from './paint.ts';

/** The changes of `--what-if`, and the words in which they were given. */
export type WhatIf = { text: string; changes: Change[] };

/** Throws a sentence that names what is wrong and lists what is allowed. */
export function whatIfOf(text: string): WhatIf {
  return { text, changes: parseChanges(text) };
}

/** What the changes would make of a Result; null where it is no base for a prediction. */
export function predictionOf(result: Result, { changes }: WhatIf): Record<Client, Prediction> | null {
  const facts = factsOf(result);
  return facts && { api: whatIf(facts, changes, 'api'), browser: whatIf(facts, changes, 'browser') };
}

const BAR_WIDTH = 60;
const LABEL_COLUMNS = 16;
/** The parts of a bar: where each ends, and how it is drawn with and without colour. */
const PARTS: { until: keyof Milestones; colour: keyof Paint; block: string }[] = [
  { until: 'handshake', colour: 'magenta', block: '█' },
  { until: 'firstUsable', colour: 'yellow', block: '▓' },
  { until: 'firstBody', colour: 'cyan', block: '▒' },
  { until: 'total', colour: 'blue', block: '░' },
];
const CLIENTS: [Client, string][] = [
  ['api', 'API client'],
  ['browser', 'browser'],
];
const HEADINGS: Record<keyof Milestones, string> = {
  handshake: 'handshake',
  firstUsable: 'first byte',
  firstBody: 'first body',
  total: 'total',
};

/** Both bars of each kind of client, as measured and as predicted, and what lies between them. */
export function whatIfLines(result: Result, wanted: WhatIf, paint: Paint): string[] {
  const prediction = predictionOf(result, wanted);
  if (!prediction)
    return ['', row('what if', 'no prediction: it takes an answer to a full handshake without packet loss')];
  return ['', row('what if', wanted.text), ...tableOf(prediction, paint)];
}

function tableOf(prediction: Record<Client, Prediction>, paint: Paint): string[] {
  const totals = CLIENTS.flatMap(([client]) => Object.values(prediction[client]).map(({ total }) => total));
  const longest = Math.max(...totals);
  const title = `${''.padEnd(LABEL_COLUMNS)}${Object.values(HEADINGS)
    .map((name) => name.padStart(12))
    .join('')}`;
  return CLIENTS.flatMap(([client, name]) => [
    title.replace(/^ +/, (space) => `  ${name}`.padEnd(space.length)),
    ...Object.entries(prediction[client]).flatMap(([when, milestones]) => [
      `${(when === 'before' ? '    now' : '    predicted').padEnd(LABEL_COLUMNS)}${PARTS.map(({ until }) => milliseconds(milestones[until]).padStart(12)).join('')}`,
      `${''.padEnd(LABEL_COLUMNS)}  ${barOf(milestones, longest, paint)}`,
    ]),
  ]);
}

function barOf(milestones: Milestones, longest: number, paint: Paint): string {
  let drawn = 0;
  return PARTS.map(({ until, colour, block }) => {
    const end = Math.round((milestones[until] / longest) * BAR_WIDTH);
    const length = Math.max(0, end - drawn);
    drawn += length;
    return paint[colour](block.repeat(length));
  }).join('');
}
