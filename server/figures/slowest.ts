import type { SeriesQuery } from '#contract/query.ts';
import { METRIC_TABLE, type MeasuredVariant, type Metric } from '#contract/vocabulary.ts';
import { queryResults } from '#server/blocks/read.ts';
import { VARIANT_CODES } from '#server/database/codes.ts';
import { wholeSince } from '#server/database/retention.ts';
import { type RollupRange, readRanges } from '#server/rollups/read.ts';
import { ONE_BY_ONE, thousandthsOf } from '#server/rollups/tiers.ts';
import type { WatchedTarget } from '#server/targets/target-ref.ts';
import { type Places, readPlaces } from '#server/vantages/labels.ts';
import { generatedUntil, resolveRange } from './range.ts';
import { chooseStep } from './series.ts';

/** A slow handshake: `at` is RFC 3339, `value` in the unit of the metric. */
export type SlowHandshake = Omit<SlowResult, 'vantageId'> & { region: string; carrier: string };

/** Longest time of a vantage's results that are read, seconds. */
const FINE_STEP = 600;
const MINUTE = 60;

type Asked = Pick<SeriesQuery, 'from' | 'to' | 'vantage' | 'country' | 'region' | 'carrier' | 'access'> & {
  metric: Exclude<Metric, 'refused'>;
  variant: MeasuredVariant;
};

/**
 * Finds the slowest successful handshakes of a target, slowest first, of those that are stored: neither generated, nor past their
 * retention at `now` (ms since 1970); `places` are those of the query, read where they are not given. Rollups say which vantage had the highest values when, so that the results of a few minutes are read.
 */
export async function querySlowest(
  target: WatchedTarget,
  query: Asked,
  limit: number,
  now = Date.now(),
  places?: Places,
): Promise<SlowHandshake[]> {
  const { metric, variant } = query;
  const range = resolveRange(query);
  const [{ labels, selected }, generated, whole] = await Promise.all([
    places ?? readPlaces(query),
    generatedUntil(target, range),
    wholeSince(range.from * 1_000, now),
  ]);
  const from = Math.ceil(Math.max(range.from, whole / 1_000, generated ? Date.parse(generated) / 1_000 : 0) / 60) * 60;
  if (from >= range.to) return [];
  const ids = selected ?? [...labels.keys()];
  const groups = new Map(ids.map((id, group) => [id, group]));
  const asked = { targetId: target.id, metric, variant };
  const read = (ranges: (RollupRange & { step: number })[]) => highestSpans(ranges, ids, limit);
  const step = chooseStep({ from, to: range.to }, undefined, MINUTE);
  let spans = await read([{ ...asked, from, to: range.to, step, groups }]);
  if (step > FINE_STEP)
    spans = await read(
      spans.map(({ vantageId, ...part }) => ({
        ...asked,
        ...part,
        step: FINE_STEP,
        groups: new Map([[vantageId, groups.get(vantageId) ?? 0]]),
      })),
    );
  const found = await slowestResults(asked, spans, limit);
  return found.map(({ vantageId, ...result }) => {
    const { region = '', carrier = '' } = labels.get(vantageId) ?? {};
    return { ...result, region, carrier };
  });
}

/** Reads ranges, and finds the steps in which vantages (`ids` by group) had their highest values: as many as are asked for. */
async function highestSpans(
  ranges: (RollupRange & { step: number })[],
  ids: readonly string[],
  limit: number,
): Promise<VantageSpan[]> {
  const cells = (await readRanges(ranges)).flatMap((found, index) => {
    const range = ranges[index];
    return range ? found.map(({ slot, group, summary }) => ({ slot, group, range, of: summary.histogram })) : [];
  });
  const highest = cells.filter(({ of }) => of.count > 0).toSorted((a, b) => b.of.max - a.of.max);
  return highest.slice(0, limit).map(({ slot, group, range: { from, to, step } }) => ({
    vantageId: ids[group] ?? '',
    from: Math.max(from, slot),
    to: Math.min(to, slot + step),
  }));
}

/** Results of a vantage in [from, to), seconds since 1970. */
type VantageSpan = { vantageId: string; from: number; to: number };
/**
 * A result by its value of a metric, in the metric's unit; `at` is RFC 3339. `extraTrips` are the handshake's round trips beyond the
 * expected ones, `lost` the packets that were sent again (SYNs among them) or came out of order.
 */
type SlowResult = { id: string; at: string; vantageId: string; value: number; extraTrips: number; lost: number };
/** Columns that say what a handshake waited for. */
const WAITED_FOR = ['round_trips', 'expected_round_trips', 'retransmits', 'syn_retransmits', 'out_of_order'] as const;

/** Target, metric and handshake whose results are searched. */
type Searched = { targetId: string; metric: Exclude<Metric, 'refused'>; variant: MeasuredVariant };

/**
 * Finds the successful results of a target with the highest values in these spans, highest first. One statement; spans are to be short,
 * since no index has the values.
 */
async function slowestResults(
  { targetId, metric, variant }: Searched,
  spans: readonly VantageSpan[],
  limit: number,
): Promise<SlowResult[]> {
  if (spans.length === 0) return [];
  const { column } = METRIC_TABLE[metric];
  const rows = await queryResults<Omit<SlowResult, 'at'> & { at: Date }>({
    spans: spans.map(({ from, to }) => ({ targetId, from: from * 1_000, to: to * 1_000 })),
    columns: [...new Set(['id', column, ...WAITED_FOR])],
    text: (
      result,
    ) => `select found.id, found.started_at as at, found.vantage_id as "vantageId", found.value::float8 as value,
        found.extra_trips as "extraTrips", found.lost
      from unnest($1::uuid[], $2::uuid[], $3::float8[], $4::float8[]) as span (target_id, vantage_id, since, until)
      cross join lateral (
        select * from (
          select target_id, id, started_at, vantage_id, ${thousandthsOf(metric)} as value,
            greatest(round_trips - expected_round_trips, 0)::int as extra_trips,
            greatest(coalesce(retransmits, 0), coalesce(syn_retransmits, 0)) + coalesce(out_of_order, 0) as lost from ${result} result
          where target_id = span.target_id and vantage_id = span.vantage_id and coalesce(variant, 0) = $5::int and ok and clean
            and started_at >= to_timestamp(span.since) and started_at < to_timestamp(span.until)
            and ${column} is not null
          order by ${column} desc limit $6) highest
        ${ONE_BY_ONE}) found
      order by found.value desc, found.id limit $6`,
    values: [
      spans.map(() => targetId),
      spans.map(({ vantageId }) => vantageId),
      spans.map(({ from }) => from),
      spans.map(({ to }) => to),
      VARIANT_CODES[variant],
      limit,
    ],
  });
  return rows.map(({ at, value, ...row }) => ({ ...row, at: at.toISOString(), value: value / 1_000 }));
}
