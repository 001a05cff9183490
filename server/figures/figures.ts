import type { MatrixQuery } from '#contract/query.ts';
import type { MeasuredVariant, Metric } from '#contract/vocabulary.ts';
import { type RollupCell, type RollupRange, readRanges } from '#server/rollups/read.ts';
import type { WatchedTarget } from '#server/targets/target-ref.ts';
import { type LocationFilter, measuringPlaces, type Places, readPlaces } from '#server/vantages/labels.ts';
import { assignedGroups, type Cells, cellsOf, type Locations, locationsOf } from './cells.ts';
import { generatedUntil, importedUntil, type Range, resolveRange } from './range.ts';
import { readUsual, type Usual } from './usual.ts';

// How a figure is read. The caller names a target, a range (range.ts: whole minutes, the last 24 hours where left out) and
// which vantages count (cells.ts: those that a filter selects, one group a region and carrier). `readTarget` looks all that
// up once and gives a reader; the reader asks server/rollups for the summaries of a metric over the range, each metric once
// however many figures are made of it, those that are asked for together in one go, and adds them up into cells and margins (cells.ts). A statistic is then taken of a
// summary, never of other figures (analysis/summary.ts): percentiles come from merged histograms.
//
// From the same reader: a matrix (matrix.ts) and why probes failed (failures.ts); a page that shows several figures asks one
// reader for all of them. Figures over time have their own files: series.ts (a point a step), failure-spans.ts (when a target
// failed), staples.ts, and target-summaries.ts, the home page, which reads all targets at once, and target-figures.ts, one figure of each. usual.ts has what series were at their best
// for days, which figures of p50 are shown beside.

/** A range, RFC 3339, another one to compare with, which of a check's handshakes, and the vantages that count. */
type Asked = LocationFilter & Partial<Pick<MatrixQuery, 'from' | 'to' | 'compareFrom' | 'compareTo' | 'variant'>>;

/** One target over one range; `before` is the range compared with. Each metric is read once a range, when first asked for. */
export type TargetReader = {
  target: WatchedTarget;
  range: Range;
  before: Range | null;
  locations: Locations;
  variant: MeasuredVariant;
  usual(): Promise<Usual>;
  /** Up to when what is shown was generated (range.ts). */
  generated(): Promise<string | null>;
  /** Up to when some of what is shown, the range compared with included, was imported at the most (range.ts). */
  imported(): Promise<string | null>;
  cells(metric: Metric): Promise<Cells>;
  cellsBefore(metric: Metric): Promise<Cells | null>;
  /** Groups of the locations that are to probe the target now, whether or not they have. */
  assigned(): Promise<number[]>;
  /** The same of what our own probers measured alone: itself, where nothing was imported. */
  own(): TargetReader;
};

/** A reader. Throws `invalid` for a range that is none. */
export async function readTarget(target: WatchedTarget, asked: Asked): Promise<TargetReader> {
  const range = resolveRange(asked);
  const compare = { from: asked.compareFrom, to: asked.compareTo };
  const before = compare.from === undefined ? null : resolveRange(compare, { from: 'compareFrom', to: 'compareTo' });
  return readerOf(target, { range, before, variant: asked.variant }, await readPlaces(asked));
}

type Over = { range: Range; before: Range | null; variant: MeasuredVariant | undefined };

function readerOf(target: WatchedTarget, over: Over, places: Places): TargetReader {
  const { range, before, variant } = over;
  const locations = locationsOf(places);
  const { groups, labels } = locations;
  const read = inOneGo();
  const reading = (within: Range) =>
    once(async (metric: Metric) =>
      cellsOf(await read({ targetId: target.id, ...within, step: null, metric, variant, groups }), locations),
    );
  const readBefore = before && reading(before);
  const usual = once((_: 'all') => readUsual(target.id, labels));
  const assigned = once((_: 'all') => assignedGroups(target.id, locations));
  const generated = once((_: 'all') => generatedUntil(target, before ?? range));
  const imported = once(async (_: 'all') => {
    const until = await Promise.all([range, before].map((each) => each && importedUntil(target, each, places)));
    return (
      until
        .flatMap((each) => each ?? [])
        .toSorted()
        .at(-1) ?? null
    );
  });
  const own = once((_: 'all') => {
    const measuring = measuringPlaces(places);
    return measuring === places ? reader : readerOf(target, over, measuring);
  });
  const reader: TargetReader = {
    target,
    range,
    before,
    locations,
    variant: variant ?? 'main',
    usual: () => usual('all'),
    generated: () => generated('all'),
    imported: () => imported('all'),
    cells: reading(range),
    cellsBefore: async (metric) => (readBefore ? await readBefore(metric) : null),
    assigned: () => assigned('all'),
    own: () => own('all'),
  };
  return reader;
}

/** Reads ranges; those asked for before the caller waits for anything, together. */
function inOneGo(): (range: RollupRange) => Promise<RollupCell[]> {
  let asked: RollupRange[] = [];
  let answers: Promise<RollupCell[][]> | null = null;
  const readAsked = async () => {
    await null;
    const ranges = asked;
    [asked, answers] = [[], null];
    return await readRanges(ranges);
  };
  return async (range) => {
    const index = asked.push(range) - 1;
    answers ??= readAsked();
    return (await answers)[index] ?? [];
  };
}

/** A function that is called once for each key. */
export function once<Key, Value extends object>(read: (key: Key) => Value): (key: Key) => Value {
  const asked = new Map<Key, Value>();
  return (key) => {
    const answer = asked.get(key) ?? read(key);
    asked.set(key, answer);
    return answer;
  };
}
