import { type Counts, mergeHistograms, readCounts } from '#analysis/cells.ts';
import { addThousandths } from '#analysis/histogram.ts';
import { emptySummary, type Summary } from '#analysis/summary.ts';
import { METRIC_TABLE, METRICS, type MeasuredVariant, type Metric } from '#contract/vocabulary.ts';
import { getPool } from '#server/database/database.ts';
import { stringsOf } from '#server/database/dictionary.ts';
import { rowsOf } from '#server/database/one-target.ts';
import { outcomeOf } from './minutes.ts';
import { coverRange, type Segment } from './segments.ts';
import { areOutcomes, NUMBERS_A_VARIANT, ONE_BY_ONE, rowNumber, TIERS, type Tier, thousandthsOf } from './tiers.ts';
import { vantageNumbers } from './vantage-numbers.ts';

/** A range of a target: times in seconds since 1970, whole minutes. */
export type RollupRange = {
  targetId: string;
  from: number;
  to: number;
  /** Length of a slot in seconds; null for the whole range as slot 0. Slots are aligned to 1970, not to `from`. */
  step: number | null;
  /** Null for the counts alone. */
  metric: Metric | null;
  /** Which of a check's handshakes; the main one where left out. */
  variant?: MeasuredVariant | undefined;
  /**
   * The group that each vantage counts in, and those that are not named are left out; null for all vantages as group 0. Where
   * they follow from what was measured, a function: it is asked when the ranges before this one have been taken (takeRanges).
   */
  groups: Groups | null | (() => Groups);
};
type Groups = ReadonlyMap<string, number>;

/** The summary of a group in a slot; `slot` is its beginning in seconds since 1970 (0 without a step). */
export type RollupCell = { slot: number; group: number; summary: Summary };

/**
 * Where those that compute minutes are behind, results of so many minutes are read instead: half an hour of a few ranges, at
 * least five minutes of many. What is older is read as it was last computed, which may be not at all.
 */
const MINUTES_FROM_RESULTS = { most: 30, least: 5, inAll: 300 };

/** Reads a range with as few rows as possible. */
export async function readRollups(range: RollupRange): Promise<RollupCell[]> {
  const [cells = []] = await readRanges([range]);
  return cells;
}

/** Reads ranges of any number of targets, each with as few rows as possible, in three statements; alike ones once. In their order. */
export async function readRanges(ranges: readonly RollupRange[]): Promise<RollupCell[][]> {
  return await takeRanges(ranges, (cells) => cells);
}

/**
 * The same, giving `take` one range after the other: of many targets the bytes are held, and the histograms of one range at a
 * time, which are a hundred times as large.
 */
export async function takeRanges<Taken>(
  ranges: readonly RollupRange[],
  take: (cells: RollupCell[], index: number) => Taken,
): Promise<Taken[]> {
  const asked = ranges.filter(({ groups }) => !(groups instanceof Map) || groups.size > 0);
  if (asked.length === 0) return ranges.map((_, index) => take([], index));
  // Of those that differ in nothing but whose group a vantage is in, the same rows are read.
  const read = new Map(asked.map((range) => [rowsNamed(range), range]));
  const distinct = [...read.values()];
  const [state, byNumber] = await Promise.all([stateOf(distinct), numbering(asked)]);
  const parts = distinct.flatMap((range) => partsOf(range, state));
  const [tiers, results] = await Promise.all([
    readTiers(parts.filter(({ source }) => source !== 'results')),
    readResults(parts.filter(({ source }) => source === 'results')),
  ]);
  return ranges.map((range, index) => {
    const groups = typeof range.groups === 'function' ? range.groups() : range.groups;
    const sums = new Sums(groups && byNumber(groups));
    const same = read.get(rowsNamed(range)) ?? range;
    for (const row of tiers.get(same) ?? []) addRow(sums, row);
    for (const row of results.rows.get(same) ?? []) addResult(sums, row, groups, results.sources);
    return take(sums.cells(), index);
  });
}

/** Names the rows that a range is read from. */
const rowsNamed = ({ targetId, from, to, step, metric, variant = 'main', groups }: RollupRange): string =>
  [targetId, from, to, step, metric, variant, groups === null].join(' ');

/** A piece of a range, and where it is read. */
type Part = { range: RollupRange; from: number; to: number; source: Tier | 'results' };

/** Where what a vantage, by its number, measured is added; null where it does not count. */
type SummaryOf = (vantage: number) => Summary | null;

/** The group of each vantage by its number; null where every vantage counts, in group 0. */
type GroupOf = ReadonlyMap<number, number> | null;

/** The summaries of one range in the making. */
class Sums {
  readonly groupOf: GroupOf;
  readonly #slots = new Map<number, { groups: Map<number, Summary>; ofVantage: SummaryOf }>();

  constructor(groupOf: GroupOf) {
    this.groupOf = groupOf;
  }

  of(slot: number, group: number): Summary {
    return summaryIn(this.#slot(slot).groups, group);
  }

  ofVantages(slot: number): SummaryOf {
    return this.#slot(slot).ofVantage;
  }

  cells(): RollupCell[] {
    return [...this.#slots].flatMap(([slot, { groups }]) =>
      [...groups].map(([group, summary]) => ({ slot, group, summary })),
    );
  }

  #slot(slot: number) {
    const found = this.#slots.get(slot);
    if (found) return found;
    const groups = new Map<number, Summary>();
    // Asked for each cell of each bucket.
    const met: (Summary | null | undefined)[] = [];
    const find: SummaryOf = (vantage) => {
      const group = this.groupOf === null ? 0 : this.groupOf.get(vantage);
      return group === undefined ? null : summaryIn(groups, group);
    };
    const ofVantage: SummaryOf = (vantage) => {
      const known = met[vantage];
      if (known !== undefined) return known;
      const summary = find(vantage);
      met[vantage] = summary;
      return summary;
    };
    const made = { groups, ofVantage };
    this.#slots.set(slot, made);
    return made;
  }
}

function summaryIn(groups: Map<number, Summary>, group: number): Summary {
  const found = groups.get(group);
  if (found) return found;
  const made = emptySummary();
  groups.set(group, made);
  return made;
}

/** Buckets of one target that are not to be read, by the length of their tier. */
type Dirty = ReadonlyMap<number, Set<number>>;
/** What waits to be computed, by target; the first instant (s) whose minutes are open; the first that results are read from. */
type State = { dirty: Map<string, Dirty>; openFrom: number; readFrom: number };

async function stateOf(ranges: readonly RollupRange[]): Promise<State> {
  const from = Math.min(...ranges.map((range) => range.from));
  const to = Math.max(...ranges.map((range) => range.to));
  type Row = [targetId: string | null, step: number, at: number];
  const { rows } = await getPool().query<Row>({
    text: `select distinct target_id, step, extract(epoch from bucket)::float8 from rollup_dirty
        where target_id = any($1::uuid[]) and step = any($4::int[])
          and bucket > to_timestamp($2::float8 - step) and bucket < to_timestamp($3)
      union all select null, 0, open_from * 60.0 from rollup_progress
      union all select null, 1, floor(extract(epoch from now()))::float8`,
    values: [[...new Set(ranges.map(({ targetId }) => targetId))], from, to, TIERS.map(({ step }) => step)],
    rowMode: 'array',
  });
  const state: State = { dirty: new Map(), openFrom: 0, readFrom: 0 };
  let now = 0;
  for (const [targetId, step, at] of rows) {
    if (targetId !== null) note(state.dirty, targetId, step, at);
    else if (step === 0) state.openFrom = at;
    else now = at;
  }
  const { most, least, inAll } = MINUTES_FROM_RESULTS;
  const minutes = Math.min(most, Math.max(least, Math.floor(inAll / ranges.length)));
  state.readFrom = Math.ceil(now / 60 - minutes) * 60;
  return state;
}

/** A bucket that waits, and those around it, which are computed from it. */
function note(dirty: State['dirty'], targetId: string, step: number, at: number): void {
  const ofTarget = dirty.get(targetId) ?? new Map(TIERS.map((tier) => [tier.step as number, new Set<number>()]));
  dirty.set(targetId, ofTarget);
  for (const tier of TIERS) if (tier.step >= step) ofTarget.get(tier.step)?.add(Math.floor(at / tier.step) * tier.step);
}

/** Rollups up to the minutes that are open; those, and the ones before that wait to be computed, from the results. */
function partsOf(range: RollupRange, { dirty, openFrom, readFrom }: State): Part[] {
  const { targetId, from, to, step } = range;
  const ofTarget = dirty.get(targetId);
  const waits = (minute: number) =>
    minute >= readFrom && (minute >= openFrom || (ofTarget?.get(60)?.has(minute) ?? false));
  const isDirty = ({ step: length }: Tier, bucket: number) =>
    bucket + length > openFrom || (ofTarget?.get(length)?.has(bucket) ?? false);
  return coverRange(from, to, isDirty, step ?? undefined).flatMap((segment): Part[] => {
    if (segment.tier.step !== 60) return [{ range, from: segment.from, to: segment.to, source: segment.tier }];
    return runs(segment, waits).map(({ waiting, ...run }) => ({
      range,
      ...run,
      source: waiting ? 'results' : segment.tier,
    }));
  });
}

/** Cuts minutes into runs of those that wait and those that do not. */
function runs({ from, to }: Segment, waits: (minute: number) => boolean) {
  const found: { from: number; to: number; waiting: boolean }[] = [];
  for (let minute = from; minute < to; minute += 60) {
    const waiting = waits(minute);
    const last = found.at(-1);
    if (last?.waiting === waiting) last.to = minute + 60;
    else found.push({ from: minute, to: minute + 60, waiting });
  }
  return found;
}

/** Gives the groups of these ranges by the numbers of their vantages. */
async function numbering(ranges: readonly RollupRange[]): Promise<(groups: Groups) => ReadonlyMap<number, number>> {
  const maps = new Set(ranges.flatMap(({ groups }) => (groups instanceof Map ? [groups as Groups] : [])));
  const numbers = await vantageNumbers([...maps].flatMap((groups) => [...groups.keys()]));
  const known = new Map<Groups, ReadonlyMap<number, number>>();
  return (groups) => {
    const found = known.get(groups);
    if (found) return found;
    const made = new Map(
      [...groups].flatMap(([id, group]) => (numbers.has(id) ? [[numbers.get(id) as number, group]] : [])),
    );
    known.set(groups, made);
    return made;
  };
}

const SLOT = 'case when part.step = 0 then 0 else floor(extract(epoch from at))::int / part.step * part.step end';
/** `nth` is the place of a part from 1 on; a metric that is not asked for is that of the counts. */
const PARTS =
  'unnest($1::uuid[], $2::int[], $3::int[], $4::int[], $5::smallint[], $6::smallint[]) with ordinality as part (target_id, step, lower, upper, outcomes, metric, nth)';

const targetsOf = (parts: readonly Part[]) => parts.map(({ range }) => range.targetId);
const valuesOf = (parts: readonly Part[]): unknown[] => [
  targetsOf(parts),
  parts.map(({ range }) => range.step ?? 0),
  parts.map(({ from }) => from),
  parts.map(({ to }) => to),
  parts.map(({ range }) => rowNumber(null, range.variant ?? 'main')),
  parts.map(({ range }) => rowNumber(range.metric, range.variant ?? 'main')),
];

/** The sums of a slot of a part over one tier. */
type TierRow = [nth: number, slot: number, metric: number, cells: Buffer | null, ...sums: (number | null)[]];

/** Where every vantage counts, the sums of their counts are enough, and the cell of all where a row has one. */
async function readTiers(parts: readonly Part[]): Promise<Map<RollupRange, TierRow[]>> {
  if (parts.length === 0) return new Map();
  const tiers = TIERS.filter((tier) => parts.some(({ source }) => source === tier));
  const values: unknown[] = [
    ...valuesOf(parts),
    parts.map(({ source }) => (source === 'results' ? 0 : source.step)),
    parts.map(({ range }) => range.groups !== null),
  ];
  const parameter = (value: number) => `to_timestamp($${values.push(value)}::float8)`;
  // Rows are added up part by part: all parts together would be sorted, with all their cells. The bounds of all parts leave out
  // partitions once, when the statement is planned, and not again for each part.
  const ofTier = (tier: Tier) => {
    const own = parts.filter(({ source }) => source === tier);
    const within = `bucket >= ${parameter(Math.min(...own.map(({ from }) => from)))} and bucket < ${parameter(Math.max(...own.map(({ to }) => to)))}`;
    return ofTable(tier.step, rowsOf(tier.table, targetsOf(own), values), within);
  };
  const ofTable = (step: number, table: string, within: string) =>
    `select nth::int, rollup.* from ${PARTS} join unnest($7::int[], $8::boolean[]) with ordinality as more (tier, by_vantage, nth) using (nth)
      cross join lateral (
        select ${SLOT} as slot, found.metric,
          string_agg(case when by_vantage then cells else coalesce(whole, cells) end, ''::bytea)
            filter (where found.metric <> part.outcomes or by_vantage),
          sum(total)::int, sum(ok)::int, sum(failed_prober)::int, sum(unclean)::int
        from (select target_id, bucket as at, metric, cells, whole, total, ok, failed_prober, unclean from ${table} tier
          where target_id = part.target_id and metric in (part.outcomes, part.metric)
            and bucket >= to_timestamp(lower) and bucket < to_timestamp(upper) and ${within}) found
        group by found.target_id, 1, 2) rollup
      where tier = ${step}`;
  const { rows } = await getPool().query<TierRow>({
    text: tiers.map(ofTier).join(' union all '),
    values,
    rowMode: 'array',
  });
  return byRange(parts, rows);
}

const byRange = <Row extends [nth: number, ...unknown[]]>(parts: readonly Part[], rows: readonly Row[]) =>
  Map.groupBy(rows, ([nth]) => (parts[nth - 1] as Part).range);

function addRow(sums: Sums, [, slot, metric, cells, total, ok, failedProber, unclean]: TierRow): void {
  const of = sums.ofVantages(slot);
  if (!areOutcomes(metric)) mergeHistograms(cells ?? NOTHING, (vantage) => of(vantage)?.histogram ?? null);
  else if (sums.groupOf !== null) readCounts(cells ?? NOTHING, (vantage, counts) => add(of(vantage), counts));
  else
    add(sums.of(slot, 0), { total: total ?? 0, ok: ok ?? 0, failedProber: failedProber ?? 0, unclean: unclean ?? 0 });
}

const NOTHING = Buffer.alloc(0);

function add(summary: Summary | null, counts: Pick<Counts, 'total' | 'ok' | 'failedProber' | 'unclean'>): void {
  if (!summary) return;
  summary.total += counts.total;
  summary.ok += counts.ok;
  summary.failedProber += counts.failedProber;
  summary.unclean += counts.unclean;
}

/** The value of a result of each metric, in thousandths of its unit. */
const VALUE = METRICS.map((metric) => `when ${METRIC_TABLE[metric].rollup} then ${thousandthsOf(metric)}`).join(' ');

type ResultRow = [
  nth: number,
  slot: number,
  vantageId: string,
  ok: boolean,
  clean: boolean,
  source: number | null,
  value: number | null,
];
type Sources = ReadonlyMap<number, string>;

async function readResults(parts: readonly Part[]): Promise<{ rows: Map<RollupRange, ResultRow[]>; sources: Sources }> {
  if (parts.length === 0) return { rows: new Map(), sources: new Map() };
  const values = valuesOf(parts);
  const { rows } = await getPool().query<ResultRow>({
    text: `select nth::int, ${SLOT} as slot, vantage_id, ok, clean, failure_source_id, value
      from ${PARTS} cross join lateral (
        select started_at as at, vantage_id, ok, clean, failure_source_id, case part.metric - part.outcomes ${VALUE} end as value from ${rowsOf('result', targetsOf(parts), values)} stored
        where target_id = part.target_id and coalesce(variant, 0) = part.outcomes / ${NUMBERS_A_VARIANT} and started_at >= to_timestamp(lower) and started_at < to_timestamp(upper)
        ${ONE_BY_ONE}) result`,
    values,
    rowMode: 'array',
  });
  const sources = await stringsOf(new Set(rows.flatMap(([, , , , , source]) => source ?? [])));
  return { rows: byRange(parts, rows), sources };
}

function addResult(
  sums: Sums,
  [, slot, vantageId, ok, clean, source, value]: ResultRow,
  groups: Groups | null,
  sources: Sources,
): void {
  const group = groups === null ? 0 : groups.get(vantageId);
  if (group === undefined) return;
  const summary = sums.of(slot, group);
  add(summary, outcomeOf(ok, clean, source, sources));
  if (ok && clean && value !== null) addThousandths(summary.histogram, value);
}
