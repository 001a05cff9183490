import { type Counts, mergeHistograms, readCounts } from '#analysis/cells.ts';
import { addThousandths } from '#analysis/histogram.ts';
import { emptySummary, type Summary } from '#analysis/summary.ts';
import { METRIC_TABLE, METRICS, type Metric } from '#contract/vocabulary.ts';
import { IS_MAIN } from '#server/database/codes.ts';
import { getPool } from '#server/database/database.ts';
import { stringsOf } from '#server/database/dictionary.ts';
import { outcomeOf } from './minutes.ts';
import { coverRange, type Segment } from './segments.ts';
import { ONE_BY_ONE, OUTCOMES, TIERS, type Tier } from './tiers.ts';
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
  /** The group that each vantage counts in, and those that are not named are left out; null for all vantages as group 0. */
  groups: ReadonlyMap<string, number> | null;
};

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

/** Reads ranges of any number of targets, each with as few rows as possible, in three statements. In their order. */
export async function readRanges(ranges: readonly RollupRange[]): Promise<RollupCell[][]> {
  const asked = ranges.filter(({ groups }) => groups?.size !== 0);
  if (asked.length === 0) return ranges.map(() => []);
  const state = await stateOf(asked);
  const readings = new Map<RollupRange, Reading>();
  for (const range of asked)
    readings.set(range, { range, groupOf: await groupsByNumber(range.groups), sums: new Sums() });
  const parts = [...readings.values()].flatMap((reading) => partsOf(reading, state));
  await Promise.all([
    addTiers(parts.filter(({ source }) => source !== 'results')),
    addResults(parts.filter(({ source }) => source === 'results')),
  ]);
  return ranges.map((range) => readings.get(range)?.sums.cells() ?? []);
}

/** A range that is being read; `groupOf` gives the group of a vantage's number, and is null where every vantage counts. */
type Reading = { range: RollupRange; groupOf: ReadonlyMap<number, number> | null; sums: Sums };
/** A piece of a range, and where it is read. */
type Part = { reading: Reading; from: number; to: number; source: Tier | 'results' };

/** The summaries of one range in the making. */
class Sums {
  readonly #slots = new Map<number, Map<number, Summary>>();

  of(slot: number, group: number): Summary {
    const groups = this.#slots.get(slot) ?? new Map<number, Summary>();
    this.#slots.set(slot, groups);
    const summary = groups.get(group) ?? emptySummary();
    groups.set(group, summary);
    return summary;
  }

  cells(): RollupCell[] {
    return [...this.#slots].flatMap(([slot, groups]) =>
      [...groups].map(([group, summary]) => ({ slot, group, summary })),
    );
  }
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
    // How far minutes are closed is read before the marks: on a cluster neither is of the same instant.
    text: `with progress as materialized (select open_from from rollup_progress)
      select distinct target_id, step, extract(epoch from bucket)::float8 from rollup_dirty
        where target_id = any($1::uuid[]) and step = any($4::int[])
          and bucket > to_timestamp($2::float8 - step) and bucket < to_timestamp($3)
      union all select null, 0, open_from * 60.0 from progress
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
function partsOf(reading: Reading, { dirty, openFrom, readFrom }: State): Part[] {
  const { targetId, from, to, step } = reading.range;
  const ofTarget = dirty.get(targetId);
  const waits = (minute: number) =>
    minute >= readFrom && (minute >= openFrom || (ofTarget?.get(60)?.has(minute) ?? false));
  const isDirty = ({ step: length }: Tier, bucket: number) =>
    bucket + length > openFrom || (ofTarget?.get(length)?.has(bucket) ?? false);
  return coverRange(from, to, isDirty, step ?? undefined).flatMap((segment): Part[] => {
    if (segment.tier.step !== 60) return [{ reading, from: segment.from, to: segment.to, source: segment.tier }];
    return runs(segment, waits).map(({ waiting, ...run }) => ({
      reading,
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

/** Null where every vantage counts. */
async function groupsByNumber(groups: RollupRange['groups']): Promise<ReadonlyMap<number, number> | null> {
  if (groups === null) return null;
  const numbers = await vantageNumbers(groups.keys());
  return new Map([...groups].flatMap(([id, group]) => (numbers.has(id) ? [[numbers.get(id) as number, group]] : [])));
}

const SLOT = 'case when part.step = 0 then 0 else floor(extract(epoch from at))::int / part.step * part.step end';
/** `nth` is the place of a part from 1 on; a metric that is not asked for is that of the counts. */
const PARTS =
  'unnest($1::uuid[], $2::int[], $3::int[], $4::int[], $5::smallint[]) with ordinality as part (target_id, step, lower, upper, metric, nth)';

const valuesOf = (parts: readonly Part[]) => [
  parts.map(({ reading }) => reading.range.targetId),
  parts.map(({ reading }) => reading.range.step ?? 0),
  parts.map(({ from }) => from),
  parts.map(({ to }) => to),
  parts.map(({ reading: { range } }) => numberOf(range.metric)),
];

const numberOf = (metric: Metric | null) => (metric === null ? OUTCOMES : METRIC_TABLE[metric].rollup);

/** Where every vantage counts, the sums of their counts are enough, and the cell of all where a row has one. */
async function addTiers(parts: readonly Part[]): Promise<void> {
  if (parts.length === 0) return;
  type Row = [nth: number, slot: number, metric: number, cells: Buffer | null, ...sums: (number | null)[]];
  const tiers = TIERS.filter((tier) => parts.some(({ source }) => source === tier));
  const ofTier = ({ table, step }: Tier) =>
    `select nth::int, ${SLOT} as slot, rollup.metric,
        string_agg(case when by_vantage then cells else coalesce(whole, cells) end, ''::bytea)
          filter (where rollup.metric <> ${OUTCOMES} or by_vantage),
        sum(total)::int, sum(ok)::int, sum(failed_prober)::int, sum(unclean)::int
      from ${PARTS} join unnest($6::int[], $7::boolean[]) with ordinality as more (tier, by_vantage, nth) using (nth)
      cross join lateral (
        select bucket as at, metric, cells, whole, total, ok, failed_prober, unclean from ${table} where target_id = part.target_id
          and metric in (${OUTCOMES}, part.metric) and bucket >= to_timestamp(lower) and bucket < to_timestamp(upper)
        ${ONE_BY_ONE}) rollup
      where tier = ${step} group by nth, slot, rollup.metric`;
  const { rows } = await getPool().query<Row>({
    text: tiers.map(ofTier).join(' union all '),
    values: [
      ...valuesOf(parts),
      parts.map(({ source }) => (source === 'results' ? 0 : source.step)),
      parts.map(({ reading }) => reading.groupOf !== null),
    ],
    rowMode: 'array',
  });
  for (const [nth, slot, metric, cells, total, ok, failedProber, unclean] of rows) {
    const { groupOf, sums } = (parts[nth - 1] as Part).reading;
    const of = (vantage: number) => {
      const group = groupOf === null ? 0 : groupOf.get(vantage);
      return group === undefined ? null : sums.of(slot, group);
    };
    if (metric !== OUTCOMES) mergeHistograms(cells ?? NOTHING, (vantage) => of(vantage)?.histogram ?? null);
    else if (groupOf !== null) readCounts(cells ?? NOTHING, (vantage, counts) => add(of(vantage), counts));
    else
      add(sums.of(slot, 0), { total: total ?? 0, ok: ok ?? 0, failedProber: failedProber ?? 0, unclean: unclean ?? 0 });
  }
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
const VALUE = METRICS.map(
  (metric) => `when ${METRIC_TABLE[metric].rollup} then ${METRIC_TABLE[metric].column} * ${METRIC_TABLE[metric].scale}`,
).join(' ');

async function addResults(parts: readonly Part[]): Promise<void> {
  if (parts.length === 0) return;
  type Row = [
    nth: number,
    slot: number,
    vantageId: string,
    ok: boolean,
    clean: boolean,
    source: number | null,
    value: number | null,
  ];
  const { rows } = await getPool().query<Row>({
    text: `select nth::int, ${SLOT} as slot, vantage_id, ok, clean, failure_source_id, value
      from ${PARTS} cross join lateral (
        select started_at as at, vantage_id, ok, clean, failure_source_id, case part.metric ${VALUE} end as value from result
        where target_id = part.target_id and ${IS_MAIN} and started_at >= to_timestamp(lower) and started_at < to_timestamp(upper)
        ${ONE_BY_ONE}) result`,
    values: valuesOf(parts),
    rowMode: 'array',
  });
  const sources = await stringsOf(new Set(rows.flatMap(([, , , , , source]) => source ?? [])));
  for (const [nth, slot, vantageId, ok, clean, source, value] of rows) {
    const { range, sums } = (parts[nth - 1] as Part).reading;
    const group = range.groups === null ? 0 : range.groups.get(vantageId);
    if (group === undefined) continue;
    const summary = sums.of(slot, group);
    add(summary, outcomeOf(ok, clean, source, sources));
    if (ok && clean && value !== null) addThousandths(summary.histogram, value);
  }
}
