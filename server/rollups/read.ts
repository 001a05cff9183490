import { type Counts, mergeHistograms, readCounts } from '#analysis/cells.ts';
import { addThousandths } from '#analysis/histogram.ts';
import { emptySummary, type Summary } from '#analysis/summary.ts';
import { METRIC_TABLE, type Metric } from '#contract/vocabulary.ts';
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
};

/** What is read of a range. */
export type Reading = {
  /** Null for the counts alone. */
  metric: Metric | null;
  /** The group that each vantage counts in, and those that are not named are left out; null for all vantages as group 0. */
  groups: ReadonlyMap<string, number> | null;
};

/** The summary of a group in a slot; `slot` is its beginning in seconds since 1970 (0 without a step). */
export type RollupCell = { slot: number; group: number; summary: Summary };

/**
 * Minutes that are read from the results at the most, where those that compute them are behind: results of half an hour.
 * What is older is read as it was last computed.
 */
const READ_FROM_RESULTS_SECONDS = 1_800;

/** Reads a range with as few rows as possible. */
export async function readRollups(range: RollupRange, reading: Reading): Promise<RollupCell[]> {
  const [cells = []] = await readRanges([range], reading);
  return cells;
}

/** Reads ranges of any number of targets, each as few rows as possible, with one statement a tier. In their order. */
export async function readRanges(ranges: readonly RollupRange[], reading: Reading): Promise<RollupCell[][]> {
  if (ranges.length === 0 || reading.groups?.size === 0) return ranges.map(() => []);
  const state = await stateOf(ranges);
  const parts = ranges.flatMap((range, index) => partsOf(range, index, state));
  const sums = ranges.map(() => new Sums());
  const groupOf = await groupsByNumber(reading.groups);
  const asked = [
    ...TIERS.map((tier) => [tier, parts.filter((part) => part.source === tier)] as const),
    ['results', parts.filter((part) => part.source === 'results')] as const,
  ].filter(([, some]) => some.length > 0);
  const work = asked.map(([source, some]) =>
    source === 'results' ? addResults(some, reading, sums) : addTier(source, some, reading, groupOf, sums),
  );
  await Promise.all(work);
  return sums.map((sum) => sum.cells());
}

/** Where a piece of a range is read: `range` is its place in the list, `step` that of its slots (0 for none). */
type Part = { range: number; targetId: string; step: number; from: number; to: number; source: Tier | 'results' };

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

/** What waits to be computed: marked buckets by target, and the first instant (seconds) whose minutes are still open. */
type State = { dirty: Map<string, Map<Tier['step'], number[]>>; openFrom: number; readFrom: number };

async function stateOf(ranges: readonly RollupRange[]): Promise<State> {
  const from = Math.min(...ranges.map((range) => range.from));
  const to = Math.max(...ranges.map((range) => range.to));
  type Row = [targetId: string | null, step: Tier['step'], at: number];
  const { rows } = await getPool().query<Row>({
    text: `select distinct target_id, step, extract(epoch from bucket)::float8 from rollup_dirty
        where target_id = any($1::uuid[]) and bucket > to_timestamp($2::float8 - 86400) and bucket < to_timestamp($3)
      union all select null, 0, open_from * 60.0 from rollup_progress
      union all select null, 1, floor(extract(epoch from now()))::float8`,
    values: [[...new Set(ranges.map(({ targetId }) => targetId))], from, to],
    rowMode: 'array',
  });
  const state: State = { dirty: new Map(), openFrom: 0, readFrom: 0 };
  for (const [targetId, step, at] of rows) {
    if (targetId === null) state[Number(step) === 0 ? 'openFrom' : 'readFrom'] = at;
    else {
      const steps = state.dirty.get(targetId) ?? new Map<Tier['step'], number[]>();
      state.dirty.set(targetId, steps);
      steps.set(step, [...(steps.get(step) ?? []), at]);
    }
  }
  state.readFrom = Math.ceil((state.readFrom - READ_FROM_RESULTS_SECONDS) / 60) * 60;
  return state;
}

/** Rollups up to the minutes that are open; those, and the ones before that wait to be computed, from the results. */
function partsOf(range: RollupRange, index: number, { dirty, openFrom, readFrom }: State): Part[] {
  const { targetId, from, to, step } = range;
  const marked = dirty.get(targetId) ?? new Map<Tier['step'], number[]>();
  const marks = new Map([...marked].map(([each, buckets]) => [each, new Set(buckets)]));
  const minutes = marked.get(60) ?? [];
  const waits = (start: number) => start >= readFrom && (start >= openFrom || (marks.get(60)?.has(start) ?? false));
  const isDirty = ({ step: length }: Tier, bucket: number) =>
    bucket + length > openFrom ||
    (marks.get(length as Tier['step'])?.has(bucket) ?? false) ||
    minutes.some((minute) => minute >= bucket && minute < bucket + length);
  const covered = coverRange(from, to, isDirty, step ?? undefined);
  const part = ({ from: begin, to: end }: Pick<Segment, 'from' | 'to'>, source: Part['source']): Part => ({
    range: index,
    targetId,
    step: step ?? 0,
    from: begin,
    to: end,
    source,
  });
  return covered.flatMap((segment) => {
    if (segment.tier.step !== 60) return [part(segment, segment.tier)];
    return runs(segment, waits).map((run) => part(run, run.waiting ? 'results' : segment.tier));
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
async function groupsByNumber(groups: Reading['groups']): Promise<ReadonlyMap<number, number> | null> {
  if (groups === null) return null;
  const numbers = await vantageNumbers(groups.keys());
  return new Map([...groups].flatMap(([id, group]) => (numbers.has(id) ? [[numbers.get(id) as number, group]] : [])));
}

const SLOT = 'case when part.step = 0 then 0 else extract(epoch from bucket)::int / part.step * part.step end';
const PARTS =
  'unnest($1::int[], $2::uuid[], $3::int[], $4::int[], $5::int[]) as part (nth, target_id, step, lower, upper)';

const valuesOf = (parts: readonly Part[]) => [
  parts.map((part) => part.range),
  parts.map((part) => part.targetId),
  parts.map((part) => part.step),
  parts.map((part) => part.from),
  parts.map((part) => part.to),
];

async function addTier(
  { table }: Tier,
  parts: readonly Part[],
  { metric }: Reading,
  groupOf: ReadonlyMap<number, number> | null,
  sums: readonly Sums[],
): Promise<void> {
  type Row = [range: number, slot: number, metric: number, cells: Buffer | null, ...sums: (number | null)[]];
  const sumsAlone = groupOf === null;
  const { rows } = await getPool().query<Row>({
    text: `select nth, ${SLOT} as slot, metric, string_agg(cells, ''::bytea) filter (where metric <> ${OUTCOMES} or not $7::boolean),
        sum(total)::int, sum(ok)::int, sum(failed_prober)::int, sum(unclean)::int
      from ${PARTS} cross join lateral (
        select bucket, metric, cells, total, ok, failed_prober, unclean from ${table} where target_id = part.target_id
          and metric = any($6::smallint[]) and bucket >= to_timestamp(lower) and bucket < to_timestamp(upper)
        ${ONE_BY_ONE}) rollup
      group by nth, slot, metric`,
    values: [...valuesOf(parts), metric === null ? [OUTCOMES] : [OUTCOMES, METRIC_TABLE[metric].rollup], sumsAlone],
    rowMode: 'array',
  });
  for (const [range, slot, number, cells, total, ok, failedProber, unclean] of rows) {
    const sum = sums[range] as Sums;
    const of = (vantage: number) => {
      const group = groupOf === null ? 0 : groupOf.get(vantage);
      return group === undefined ? null : sum.of(slot, group);
    };
    if (number !== OUTCOMES) mergeHistograms(cells ?? NOTHING, (vantage) => of(vantage)?.histogram ?? null);
    else if (sumsAlone)
      add(sum.of(slot, 0), { total: total ?? 0, ok: ok ?? 0, failedProber: failedProber ?? 0, unclean: unclean ?? 0 });
    else readCounts(cells ?? NOTHING, (vantage, counts) => add(of(vantage), counts));
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

async function addResults(parts: readonly Part[], { metric, groups }: Reading, sums: readonly Sums[]): Promise<void> {
  type Row = [
    range: number,
    slot: number,
    vantageId: string,
    ok: boolean,
    clean: boolean,
    source: number | null,
    value: number | null,
  ];
  const { column, scale } = metric === null ? { column: 'null::int', scale: 1 } : METRIC_TABLE[metric];
  const { rows } = await getPool().query<Row>({
    text: `select nth, ${SLOT.replace('bucket', 'started_at')} as slot, vantage_id, ok, clean, failure_source_id, value
      from ${PARTS} cross join lateral (
        select started_at, vantage_id, ok, clean, failure_source_id, ${column} * ${scale} as value from result
        where target_id = part.target_id and ${IS_MAIN} and started_at >= to_timestamp(lower) and started_at < to_timestamp(upper)
        ${ONE_BY_ONE}) result`,
    values: valuesOf(parts),
    rowMode: 'array',
  });
  const sources = await stringsOf(new Set(rows.flatMap(([, , , , , source]) => source ?? [])));
  for (const [range, slot, vantageId, ok, clean, source, value] of rows) {
    const group = groups === null ? 0 : groups.get(vantageId);
    if (group === undefined) continue;
    const summary = (sums[range] as Sums).of(slot, group);
    add(summary, outcomeOf(ok, clean, source, sources));
    if (ok && clean && value !== null) addThousandths(summary.histogram, value);
  }
}
