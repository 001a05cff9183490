import type { Detection, Metric } from '#analysis/detection/detection.ts';
import type { Series } from '#analysis/detection/sample.ts';
import { lastingLevel, quantile } from '#analysis/typical-level.ts';
import { METRIC_TABLE } from '#contract/vocabulary.ts';
import { queryResults } from '#server/blocks/read.ts';
import { wholeSince } from '#server/database/retention.ts';
import { informativeOf } from './read-samples.ts';

/**
 * Levels of a series before a change and since, ms: `before` the median of the hour before, `after` the typical level since, `median`
 * and `mean` (the geometric one) those of all since, `peak` what one in ten exceeded; shares of failures, or of refused sessions, for those metrics. Shares of the handshakes that resumed a
 * session, 0 to 1. Null where there were no results, or none that says.
 */
export type Levels = {
  before: number | null;
  after: number | null;
  peak?: number | null;
  median?: number | null;
  mean?: number | null;
  resumedBefore?: number | null;
  resumedAfter?: number | null;
};

const UNKNOWN: Levels = { before: null, after: null };

/** A spike is compared with the hour before it. */
const BEFORE_SECONDS = 3_600;
/** Of fewer results no level before, and no share of resumed handshakes, is told: of two, one that is odd is half. */
const LEAST_RESULTS = 3;
/** Of more results than this before, or since, every second, third, ... is taken. */
const MOST_SAMPLES = 240;

/** Results of a target from a vantage: an hour before `changeAt`, and from then to `at`; seconds since 1970, both whole. */
export type Span = {
  targetId: string;
  vantageId: string;
  variant?: Series['variant'];
  metric: Metric;
  changeAt: number;
  at: number;
};

/** The levels of detections, in their order, of those results that are all still there at `now` (ms since 1970). */
export async function levelsOf(detections: readonly Detection[], now: number): Promise<Levels[]> {
  const spans = detections.map((each) => ({
    targetId: each.target,
    vantageId: each.vantage,
    variant: each.variant,
    metric: each.metric,
    changeAt: each.changeAt,
    at: each.at,
  }));
  const oldest = Math.min(...spans.map(({ changeAt }) => changeAt - BEFORE_SECONDS));
  const levels = await measuredLevels(spans, spans.length === 0 ? 0 : (await wholeSince(oldest * 1_000, now)) / 1_000);
  return detections.map((detection, index) => lasting(detection, levels[index] ?? UNKNOWN));
}

/**
 * The levels over spans, in their order. The results of a target are read once for all its vantages; those before `whole`
 * (seconds since 1970) are not looked at, since they are not all there: what was before is unknown then.
 */
export async function measuredLevels(spans: readonly Span[], whole = 0): Promise<Levels[]> {
  const found = new Map<Span, Levels>();
  for (const same of Map.groupBy(
    spans,
    ({ targetId, variant, metric }) => `${targetId} ${variant} ${metric}`,
  ).values()) {
    const levels = await levelsOfTarget(same, whole);
    same.forEach((span, index) => {
      found.set(span, levels[index] ?? UNKNOWN);
    });
  }
  return spans.map((span) => found.get(span) ?? UNKNOWN);
}

/**
 * Before a lasting change: what its hours would have been without it. The hours just before it are others of the day, and
 * the day before may have been before an earlier change; the detector has seen to both. The effect on a share of two modes is that on
 * the mean: the median is in one of them, whatever the share. Before a spike too where the hour has too few results, as of a seldom
 * check: the detector has compared more of them (of the first byte it tells no effect).
 */
function lasting({ kind, metric, effect, shares }: Detection, levels: Levels): Levels {
  const after = (shares ? levels.mean : levels.median) ?? null;
  const asMeasured = kind === 'spike' && (levels.before !== null || metric === 'firstByte' || effect <= 0);
  if (asMeasured || after === null) return levels;
  return { ...levels, before: after / Math.exp(effect), after };
}

type Row = {
  place: number;
  before: number[] | null;
  since: number[] | null;
  failedBefore: number | null;
  failedSince: number | null;
  resumedBefore: number | null;
  resumedSince: number | null;
};

async function levelsOfTarget(same: Span[], whole: number): Promise<Levels[]> {
  const [first] = same;
  if (!first) return [];
  const column = first.metric in SHARES ? null : METRIC_TABLE[first.metric].column;
  const beginOf = ({ changeAt }: Span) => Math.max(whole, changeAt - BEFORE_SECONDS);
  const since = Math.min(...same.map(beginOf));
  const until = Math.max(since, ...same.map(({ at }) => at + 1));
  const BEFORE = 'started_at < to_timestamp(d.change)';
  const SINCE = 'started_at >= to_timestamp(d.change)';
  const values = (when: string) =>
    column === null
      ? 'null::int[]'
      : `array_agg(${column} order by started_at) filter (where ok and ${column} is not null and ${when})`;
  const thinned = (name: string) => `array(select found.${name}[i] / 1000::float8
    from generate_series(1, cardinality(found.${name}), 1 + (cardinality(found.${name}) - 1) / ${MOST_SAMPLES}) i order by i)`;
  const failed = (when: string) => `(avg(case when ok then 0 else 1 end) filter (where ${when}))::float8`;
  const resumed = (when: string) =>
    `(avg(case when resumed then 1 else 0 end) filter (where ok and resumed is not null and ${when}))::float8`;
  const rows = await queryResults<Row>({
    spans: [{ targetId: first.targetId, from: since * 1_000, to: until * 1_000 + 1 }],
    columns: [...(column === null ? [] : [column]), 'resumed'],
    text: (result) => `select place, ${thinned('before')} as before, ${thinned('since')} as since,
        failed_before as "failedBefore", failed_since as "failedSince",
        resumed_before as "resumedBefore", resumed_since as "resumedSince"
      from (select d.place::int as place, ${values(BEFORE)} as before, ${values(SINCE)} as since,
        ${failed(BEFORE)} as failed_before, ${failed(SINCE)} as failed_since,
        ${resumed(BEFORE)} as resumed_before, ${resumed(SINCE)} as resumed_since
      from unnest($2::uuid[], $3::float8[], $4::float8[], $5::float8[])
        with ordinality as d (vantage_id, since, change, until, place)
      join ${result} r on r.vantage_id = d.vantage_id and r.started_at >= to_timestamp(d.since)
        and r.started_at <= to_timestamp(d.until)
      where r.target_id = $1 and r.started_at >= to_timestamp($6) and r.started_at <= to_timestamp($7) and ${informativeOf(first.variant)}
      group by d.place) found`,
    values: [
      first.targetId,
      same.map(({ vantageId }) => vantageId),
      same.map(beginOf),
      same.map(({ changeAt }) => changeAt),
      same.map(({ at }) => at + 1),
      since,
      until,
    ],
  });
  const byPlace = new Map(rows.map((row) => [row.place, (SHARES[first.metric] ?? levelsIn)(row)]));
  return same.map((_, index) => byPlace.get(index + 1) ?? UNKNOWN);
}

const shareOf = (before: number | null, after: number | null): Levels => ({ before, after, peak: after });
const without = (share: number | null) => (share === null ? null : 1 - share);

/** Metrics that are shares of results, and no times. */
const SHARES: Partial<Record<Metric, (row: Row) => Levels>> = {
  failures: ({ failedBefore, failedSince }) => shareOf(failedBefore, failedSince),
  refused: ({ resumedBefore, resumedSince }) => shareOf(without(resumedBefore), without(resumedSince)),
};

function levelsIn({ before, since, resumedBefore, resumedSince }: Row): Levels {
  const [usual, risen] = [before && before.length >= LEAST_RESULTS ? before : [], since ?? []];
  const lasting = lastingLevel(usual, risen);
  return {
    before: middle(usual),
    after: lasting?.typical ?? null,
    peak: lasting?.peak ?? null,
    median: middle(risen),
    mean: geometricMean(risen),
    resumedBefore: usual.length === 0 ? null : resumedBefore,
    resumedAfter: risen.length < LEAST_RESULTS ? null : resumedSince,
  };
}

/** Null of none. */
const geometricMean = (values: readonly number[]) => {
  const known = values.filter((value) => value > 0);
  return known.length === 0 ? null : Math.exp(known.reduce((sum, value) => sum + Math.log(value), 0) / known.length);
};

/** The value that half of them do not exceed; null of none. */
const middle = (values: readonly number[]) =>
  values.length === 0
    ? null
    : quantile(
        values.toSorted((a, b) => a - b),
        0.5,
      );
