// Recorded round trips of RIPE Atlas with changes marked by people (github.com/WenqinSHAO/rtt, no part of this repository), each trace as one
// target from one vantage: the round trip as connect, TLS time and first byte. docs/benchmarks.md has what is judged and what was found.

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createDetector } from '#analysis/detection/detector.ts';
import { layOut } from './table.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;
/** Shorter stretches between two marks are no level. */
const LEAST_LEVEL = 3 * HOUR;
/** Neighbours that differ by less are one level; marks that moved by less excuse no alert. */
const SAME_LEVEL = 0.04;
const EXCUSES = 0.03;
/** A level before a judged change is as old as this. */
const KNOWN_BEFORE = 6 * HOUR;
/** Least changes that are judged, as a share and in ms, and how long they stay, hours. */
const JUDGED = [
  { share: 0.08, ms: 3 },
  { share: 0.05, ms: 2 },
];
const STAYS = [4, 6, 8, 12];

/** Round trip in ms, null where the probe got no answer; whether people marked a change there. */
type Row = { at: number; ms: number | null; isMarked: boolean };
type Level = { from: number; to: number; values: number[] };
/** From one level to the next, logarithm-free: medians in ms. */
type Border = { at: number; before: Level; after: Level; from: number; to: number };
type Found = { at: number; changeAt: number; sign: number };
type Counts = { changes: number; right: number; wrong: number; excused: number; delays: number[]; onsets: number[] };

/** `npm run bench -- detect --ripe FOLDER`: scores of lasting changes on `dataset/real_trace_labelled` of a checkout. */
export async function benchRecorded(folder: string): Promise<void> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.csv')).sort();
  if (files.length === 0)
    throw new Error(`${folder} has no traces (*.csv): give dataset/real_trace_labelled of a checkout`);
  const table = JUDGED.flatMap((least) => STAYS.map((hours) => ({ least, hours, counts: noCounts() })));
  for (const file of files) {
    const rows = parseTrace(await readFile(path.join(folder, file), 'utf8'));
    const found = changesIn(rows);
    const levels = levelsOf(rows);
    const borders = bordersOf(levels.filter(({ from, to, values }) => to - from >= LEAST_LEVEL && values.length > 0));
    const excuses = [...borders, ...neighbours(levels)].filter(({ from, to }) => Math.abs(to / from - 1) >= EXCUSES);
    const begun = rows[0]?.at ?? 0;
    for (const { least, hours, counts } of table) {
      const judged = borders.filter(
        ({ at, before, after, from, to }) =>
          Math.abs(to / from - 1) >= least.share &&
          Math.abs(to - from) >= least.ms &&
          at - before.from >= KNOWN_BEFORE &&
          at - begun >= DAY &&
          after.to - at >= hours * HOUR,
      );
      score(counts, found, judged, excuses);
    }
  }
  const head = ['least', 'stays', 'changes', 'right', 'false', 'excused', 'P', 'R', 'F1', 'delay p50', 'onset p50'];
  console.log(layOut([head, ...table.map(rowOf)]));
}

const noCounts = (): Counts => ({ changes: 0, right: 0, wrong: 0, excused: 0, delays: [], onsets: [] });

/** Lines `time;ms;mark` after a head; times are UTC, as `14/10/2016 21:17` or `2016-10-14 21:17:49`; ms are negative without an answer. */
function parseTrace(text: string): Row[] {
  return text
    .split(/\r?\n/)
    .slice(1)
    .filter((line) => line !== '')
    .map((line) => {
      const [time = '', ms, mark] = line.split(';');
      const [day, month, year, hour, minute] = time.split(/[/ :]/).map(Number) as [
        number,
        number,
        number,
        number,
        number,
      ];
      const at = time.includes('/')
        ? Date.UTC(year, month - 1, day, hour, minute)
        : Date.parse(`${time.replace(' ', 'T')}Z`);
      if (Number.isNaN(at)) throw new Error(`not a time: ${time}`);
      return { at: at / 1_000, ms: Number(ms) > 0 ? Number(ms) : null, isMarked: mark?.trim() === '1' };
    })
    .sort((a, b) => a.at - b.at);
}

/** What the detector says of a trace, spikes left out. */
function changesIn(rows: readonly Row[]): Found[] {
  const detector = createDetector();
  const index = detector.indexOf({ target: 'trace', vantage: 'probe', country: '', region: '', carrier: '' });
  let last = -1;
  return rows.flatMap(({ at, ms }) => {
    if (at <= last) return [];
    last = at;
    const sample = { timestamp: at, tcp: ms, tls: ms, firstByte: ms, ok: ms !== null };
    return detector.advance(at, [{ index, sample }]).flatMap(({ kind, changeAt }) => {
      return kind === 'spike' ? [] : [{ at, changeAt, sign: kind === 'regression' ? 1 : -1 }];
    });
  });
}

/** Stretches between marks. */
function levelsOf(rows: readonly Row[]): Level[] {
  const levels: Level[] = [];
  for (const { at, ms, isMarked } of rows) {
    const last = levels.at(-1);
    if (last) last.to = at;
    if (!last || isMarked) levels.push({ from: at, to: at, values: [] });
    if (ms !== null) levels.at(-1)?.values.push(ms);
  }
  return levels.filter(({ from, to }) => to > from);
}

/** Between levels, those that are hardly different taken as one. */
function bordersOf(levels: readonly Level[]): Border[] {
  const joined: Level[] = [];
  for (const level of levels) {
    const last = joined.at(-1);
    if (last && Math.abs(medianOf(level.values) / medianOf(last.values) - 1) < SAME_LEVEL) {
      last.values.push(...level.values);
      last.to = level.to;
    } else joined.push({ ...level, values: [...level.values] });
  }
  return neighbours(joined);
}

function neighbours(levels: readonly Level[]): Border[] {
  return levels.slice(1).map((after, index) => {
    const before = levels[index] as Level;
    return { at: after.from, before, after, from: medianOf(before.values), to: medianOf(after.values) };
  });
}

/** Right: an alert of a change's direction within a day of it. Others are false, unless another mark of that direction excuses them. */
function score(counts: Counts, found: readonly Found[], judged: readonly Border[], excuses: readonly Border[]): void {
  counts.changes += judged.length;
  const seen = new Set<Border>();
  for (const { at, changeAt, sign } of found) {
    const isOf = (border: Border) =>
      Math.sign(border.to - border.from) === sign && at >= border.at && at <= border.at + DAY;
    const border = judged.find((each) => !seen.has(each) && isOf(each));
    if (border) {
      seen.add(border);
      counts.right += 1;
      counts.delays.push((at - border.at) / HOUR);
      counts.onsets.push(Math.abs(changeAt - border.at) / 60);
    } else if (excuses.some(isOf)) counts.excused += 1;
    else counts.wrong += 1;
  }
}

function rowOf({ least, hours, counts }: { least: (typeof JUDGED)[number]; hours: number; counts: Counts }): string[] {
  const { changes, right, wrong, excused, delays, onsets } = counts;
  const precision = right / (right + wrong);
  return [
    `${100 * least.share}%, ${least.ms} ms`,
    `${hours} h`,
    ...[changes, right, wrong, excused].map(String),
    ...[precision, right / changes, (2 * right) / (right + wrong + changes)].map((score) => score.toFixed(3)),
    `${medianOf(delays).toFixed(1)} h`,
    `${medianOf(onsets).toFixed(0)} min`,
  ];
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const { length } = sorted;
  return length === 0 ? Number.NaN : ((sorted[(length - 1) >> 1] as number) + (sorted[length >> 1] as number)) / 2;
}
