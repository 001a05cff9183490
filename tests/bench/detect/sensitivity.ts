import { createHash } from 'node:crypto';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { casesOf } from './cases.ts';
import { type CauseChange, type Detection, type Lines, type Merge, sorted } from './detection.ts';
import { countPages, type PageCounts } from './happenings.ts';
import { type Judgement, judge } from './judge.ts';
import { drawPageWorld } from './page-world.ts';
import { parseLines } from './sample-file.ts';
import { score } from './scores.ts';
import { drawShareWorld } from './share-world.ts';
import { STYLES } from './world/ranges.ts';
import { drawSeries, type Series } from './world/world.ts';
import { drawAll, writeSamples } from './worlds.ts';

const ROOT = path.join(import.meta.dirname, '../../..');
const PARAMETERS = path.join(ROOT, 'analysis/detection/parameters.ts');
const SEED = 1;
const PAGE_PERIOD = 600;
/** Definitions and sizes of memory are no choice that a score could guide. */
const CHOSEN = /\b(Bench|Judged)\./;

/** One threshold: what stands in the file before its value, that value, and what stands behind. */
type Threshold = { name: string; before: string; value: string; after: string };

/**
 * `npm run bench -- sensitivity FILE [--factors 0.8,1.2] [--series N] [--pages] [NAME ...]`: scores the detector with each threshold of
 * analysis/detection/parameters.ts that was chosen at 0.8 and 1.2 times its value, all others as they are, on worlds of N series of each
 * style of `detect` and one of shares (12 s each with 8 series); with `--pages` on a world of pages alone (40 s). A row of JSON each is
 * appended to FILE; those that are there are not made again. Prints, as a table, by how many right and false detections each differs.
 */
export async function benchSensitivity(arguments_: string[]): Promise<void> {
  const options = {
    factors: { type: 'string', default: '0.8,1.2' },
    series: { type: 'string', default: '8' },
    pages: { type: 'boolean', default: false },
  } as const;
  const { values, positionals } = parseArgs({ args: arguments_, options, allowPositionals: true });
  const [file, ...names] = positionals;
  const factors = values.factors.split(',').map(Number);
  if (file === undefined) throw new Error('the name of a file for the scores is needed');
  const text = await readFile(PARAMETERS, 'utf8');
  const thresholds = thresholdsOf(text).filter(({ name }) => names.length === 0 || names.includes(name));
  const known = new Set(parseLines<{ name: string; factor: number }>(await readOrNothing(file)).map(keyOf));
  const folder = await mkdtemp(path.join(tmpdir(), 'roundtrip-sensitivity-'));
  try {
    const worlds = await writeWorlds(folder, values.pages ? drawPages() : drawStyles(Number(values.series)));
    const changed = thresholds.flatMap((each) =>
      factors.map((factor) => ({ name: each.name, factor, source: scaled(each, factor) })),
    );
    for (const run of [{ name: 'none', factor: 1, source: text }, ...changed].filter(
      (each) => !known.has(keyOf(each)),
    )) {
      const scores = await scoreWith(run.source, worlds, folder).catch((error: Error) => ({ error: error.message }));
      await appendFile(file, `${JSON.stringify({ name: run.name, factor: run.factor, ...scores })}\n`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  console.log(tableOf(parseLines<Scored>(await readFile(file, 'utf8'))));
}

type Kind = { right: number; falseAlarms: number };
type Scored = { name: string; factor: number; said: string; error?: string } & Record<
  'scores' | 'shares',
  { spikes: Kind; shifts: Kind }
> & { pages?: PageCounts };

/** A line for each threshold and factor: right and false spikes, lasting changes, changes of a share, and pages, more or less than without a change. */
function tableOf(rows: readonly Scored[]): string {
  const base = rows.find(({ name }) => name === 'none');
  if (!base) return '';
  const signed = (value: number) => (value > 0 ? `+${value}` : String(value));
  const kind = (now: Kind, then: Kind) => {
    const [right, wrong] = [now.right - then.right, now.falseAlarms - then.falseAlarms];
    return right === 0 && wrong === 0 ? '=' : `${signed(right)} / ${signed(wrong)}`;
  };
  const cells = (row: Scored) => {
    if (row.error !== undefined) return [row.error];
    if (row.said === base.said) return ['nothing'];
    const { scores, shares, pages } = row;
    if (pages && base.pages) {
      const names = ['pages', 'mixed', 'whole', 'cause', 'false'] as const;
      return names.map((name) => `${name} ${signed(pages[name] - (base.pages?.[name] ?? 0))}`);
    }
    const shown = [
      kind(scores.spikes, base.scores.spikes),
      kind(scores.shifts, base.scores.shifts),
      kind(shares.shifts, base.shares.shifts),
    ];
    return shown.every((cell) => cell === '=') ? ['times alone'] : shown;
  };
  return rows
    .filter(({ name }) => name !== 'none')
    .map((row) => `| ${row.name} | ${row.factor} | ${cells(row).join(' | ')} |`)
    .join('\n');
}

const keyOf = ({ name, factor }: { name: string; factor: number }) => `${name} ${factor}`;
const readOrNothing = (file: string) => readFile(file, 'utf8').catch(() => '');

/** Thresholds with a comment of their own, or that of the one before them, which says that they were chosen. */
function thresholdsOf(text: string): Threshold[] {
  const found: Threshold[] = [];
  let isChosen = false;
  for (const part of text.matchAll(/\/\*\*[\s\S]*?\*\/|^export const (\w+) = ([\s\S]*?);$/gm)) {
    const [whole, name, value] = part;
    if (name === undefined || value === undefined) isChosen = CHOSEN.test(whole);
    else if (isChosen) {
      const start = part.index + `export const ${name} = `.length;
      found.push({ name, before: text.slice(0, start), value, after: text.slice(start + value.length) });
    }
  }
  return found;
}

/** The file with one value changed: of a table all numbers but its keys, and whole numbers stay whole and differ by one at least. */
function scaled({ before, value, after }: Threshold, factor: number): string {
  const scale = `((scale) => scale(${value.replace(/ as const$/, '')}))(function scale(of: any): any {
    if (typeof of === 'object') return Array.isArray(of) ? of.map(scale) : Object.fromEntries(Object.entries(of).map(([key, each]) => [key, scale(each)]));
    const by = of * ${factor};
    return Number.isInteger(of) && of >= 2 ? (Math.round(by) === of ? of + ${factor < 1 ? -1 : 1} : Math.round(by)) : by;
  })`;
  return `${before}${scale}${after}`;
}

type World = { kind: 'scores' | 'shares' | 'pages'; input: string; labels: ReturnType<typeof labelsOf> };

type Drawn = { kind: World['kind']; series: Series[] };

const drawStyles = (count: number): Drawn[] => [
  ...STYLES.filter((style) => style !== 'sparse').map(
    (style): Drawn => ({ kind: 'scores', series: drawAll(style, SEED, count) }),
  ),
  { kind: 'shares', series: drawShareWorld(SEED).map((line) => drawSeries(line, SEED)) },
];

const drawPages = (): Drawn[] => [
  { kind: 'pages', series: drawPageWorld(SEED, PAGE_PERIOD).map((line) => drawSeries(line, SEED)) },
];

async function writeWorlds(folder: string, drawn: readonly Drawn[]): Promise<World[]> {
  return await Promise.all(
    drawn.map(async ({ kind, series }, index) => {
      const input = path.join(folder, `world-${index}.csv`);
      await writeSamples(input, series);
      return { kind, input, labels: labelsOf(series) };
    }),
  );
}

const labelsOf = (series: readonly Series[]) => series.flatMap(({ label, events }) => [label, ...events]);

type Found = Pick<World, 'kind'> & { judgements: Judgement[]; pages: PageCounts | null; lines: Lines };

let versions = 0;

/** The scores of `roundtrip detect` with these parameters, its modules loaded for them alone. */
async function scoreWith(source: string, worlds: readonly World[], folder: string): Promise<object> {
  const version = `version=${++versions}`;
  const isOwn = (url: string) => /\/(analysis\/detection|cli\/detect)\//.test(url);
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      return isOwn(found.url) ? { ...found, url: `${found.url.split('?')[0]}?${version}` } : found;
    },
    load(url, context, next) {
      const loaded = next(url, context);
      return url.includes('/detection/parameters.ts') ? { ...loaded, source } : loaded;
    },
  });
  let detect: (input: string, output: string) => Promise<string>;
  try {
    ({ detectFile: detect } = await import(`../../../cli/detect/run.ts?${version}`));
  } finally {
    hooks.deregister();
  }
  const begun = performance.now();
  const output = path.join(folder, 'detections.jsonl');
  const found: Found[] = [];
  for (const { kind, input, labels } of worlds) {
    await detect(input, output);
    const lines = sorted(parseLines<Detection | Merge | CauseChange>(await readFile(output, 'utf8')));
    // Judged world by world: each may use the names of another.
    const judgements = casesOf(labels, lines.detections).map(judge);
    found.push({
      kind,
      judgements,
      pages: kind === 'pages' ? countPages(judgements, lines.merges, lines.causes) : null,
      lines,
    });
  }
  const scoresOf = (kind: World['kind']) => {
    const { spikes, shifts, cause, seriesWeeks } = score(
      found.flatMap((one) => (one.kind === kind ? one.judgements : [])),
    );
    const of = ({ events, right, falseAlarms, f1, delayMinutes, onsetMinutes }: typeof spikes) => ({
      events,
      right,
      falseAlarms,
      f1,
      delayMinutes,
      onsetMinutes,
    });
    return { spikes: of(spikes), shifts: of(shifts), cause, seriesWeeks };
  };
  return {
    seconds: (performance.now() - begun) / 1_000,
    scores: scoresOf('scores'),
    shares: scoresOf('shares'),
    pages: found.find(({ kind }) => kind === 'pages')?.pages,
    // Whether anything at all that is said differs.
    said: createHash('sha256')
      .update(JSON.stringify(found.map(({ lines }) => lines)))
      .digest('hex')
      .slice(0, 12),
  };
}
