import type { Detection, Metric } from '#analysis/detection/detection.ts';
import { METRIC_TABLE } from '#contract/vocabulary.ts';
import { queryResults } from '#server/blocks/read.ts';
import { wholeSince } from '#server/database/retention.ts';
import { IS_INFORMATIVE } from './samples.ts';

/** Medians before a change and since, ms, and the 90th percentile since; shares of failures for that metric. Null where there were no results. */
export type Levels = { before: number | null; after: number | null; peak?: number | null };

/** A peak is what one result in ten exceeds. */
const PEAK = 0.9;

const UNKNOWN: Levels = { before: null, after: null };

/** A spike is compared with the hour before it. */
const BEFORE_SECONDS = 3_600;

/** Results of a target from a vantage: an hour before `changeAt`, and from then to `at`; seconds since 1970, both whole. */
export type Span = { targetId: string; vantageId: string; metric: Metric; changeAt: number; at: number };

/** The levels of detections, in their order, of those results that are all still there at `now` (ms since 1970). */
export async function levelsOf(detections: readonly Detection[], now: number): Promise<Levels[]> {
  const spans = detections.map((each) => ({
    targetId: each.target,
    vantageId: each.vantage,
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
  for (const same of Map.groupBy(spans, ({ targetId, metric }) => `${targetId} ${metric}`).values()) {
    const levels = await levelsOfTarget(same, whole);
    same.forEach((span, index) => {
      found.set(span, levels[index] ?? UNKNOWN);
    });
  }
  return spans.map((span) => found.get(span) ?? UNKNOWN);
}

/**
 * Before a lasting change: what its hours would have been without it. The hours just before it are others of the day, and
 * the day before may have been before an earlier change; the detector has seen to both.
 */
function lasting({ kind, effect }: Detection, { before, after }: Levels): Levels {
  return kind === 'spike' || after === null ? { before, after } : { before: after / Math.exp(effect), after };
}

async function levelsOfTarget(same: Span[], whole: number): Promise<Levels[]> {
  const [first] = same;
  if (!first) return [];
  const column = METRIC_TABLE[first.metric].column;
  const level = (when: string, quantile = 0.5) =>
    column === null
      ? `(avg(case when ok then 0 else 1 end) filter (where ${when}))::float8`
      : `percentile_disc(${quantile}) within group (order by ${column}) filter (where ok and ${when}) / 1000::float8`;
  const beginOf = ({ changeAt }: Span) => Math.max(whole, changeAt - BEFORE_SECONDS);
  const since = Math.min(...same.map(beginOf));
  const until = Math.max(since, ...same.map(({ at }) => at + 1));
  const rows = await queryResults<Levels & { place: number }>({
    spans: [{ targetId: first.targetId, from: since * 1_000, to: until * 1_000 + 1 }],
    columns: column === null ? [] : [column],
    text: (result) => `select d.place::int as place, ${level('started_at < to_timestamp(d.change)')} as before,
        ${level('started_at >= to_timestamp(d.change)')} as after,
        ${level('started_at >= to_timestamp(d.change)', PEAK)} as peak
      from unnest($2::uuid[], $3::float8[], $4::float8[], $5::float8[])
        with ordinality as d (vantage_id, since, change, until, place)
      join ${result} r on r.vantage_id = d.vantage_id and r.started_at >= to_timestamp(d.since)
        and r.started_at <= to_timestamp(d.until)
      where r.target_id = $1 and r.started_at >= to_timestamp($6) and r.started_at <= to_timestamp($7) and ${IS_INFORMATIVE}
      group by d.place`,
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
  const byPlace = new Map(rows.map(({ place, before, after, peak }) => [place, { before, after, peak }]));
  return same.map((_, index) => byPlace.get(index + 1) ?? UNKNOWN);
}
