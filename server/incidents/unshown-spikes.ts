import { z } from 'zod';
import type { OpenSpike } from '#analysis/detection/detection.ts';
import type { RuleOf } from '#contract/alert-rule.ts';
import { Cause } from '#contract/explanation.ts';
import { WATCHED_METRICS } from '#contract/vocabulary.ts';
import { VARIANT_CODES } from '#server/database/codes.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { type Levels, measuredLevels } from '#server/detection/levels.ts';
import { type Detected, scopeKey } from './detected.ts';
import { detectionCell } from './earlier-cells.ts';
import { isShown } from './effect.ts';
import { recordDetections } from './record.ts';

// A spike is raised while it still grows, and is no incident as long as it is too small to be shown. It is measured again each minute, as those
// of incidents are: once it is large enough it opens its incident, or joins that of its event.

/** Most spikes that are measured again in a minute: the latest. */
export const MEASURED_AGAIN = 200;

const Metric = z.enum(WATCHED_METRICS);

type Row = {
  id: string;
  group: string;
  kind: string;
  metric: string;
  at: Date;
  changeAt: Date;
  cause: string;
  demo: boolean;
  targetId: string;
  vantageId: string;
  variant: number;
  country: string;
  region: string;
  carrier: string;
  /** How many series its event has so far. */
  series: number;
  beforeMs: number | null;
  afterMs: number | null;
};

/**
 * Measures the spikes that are under way and belong to no incident, up to `position` (seconds since 1970), and opens those that have
 * grown past what is shown. Returns how many have.
 */
export async function openGrown(
  open: readonly OpenSpike[],
  position: number,
  rules: RuleOf<'detector'>[],
  now: Date,
): Promise<number> {
  const loud = open.filter(({ quietSince, metric }) => quietSince === null && metric !== 'failures');
  if (loud.length === 0) return 0;
  const rows = await unshownOf(loud);
  if (rows.length === 0) return 0;
  const levels = await measuredLevels(rows.map((row) => spanOf(row, position)));
  const measured = rows.map((row, index) => detectedOf(row, levels[index]));
  await storeLevels(measured.filter(({ cell }, index) => cell.afterMs !== rows[index]?.afterMs));
  const grown = measured.filter(({ cell }) => cell.afterMs !== null && isShown('spike', [cell]));
  if (grown.length === 0) return 0;
  await getPrisma().$transaction((db) => recordDetections(db, grown, rules, now, { closed: [], changes: [] }), {
    timeout: 30_000,
  });
  return grown.length;
}

async function unshownOf(open: readonly OpenSpike[]): Promise<Row[]> {
  const { rows } = await getPool().query<Row>(
    `select d.id, d.group_key as "group", d.kind, d.metric, d.at, d.change_at as "changeAt", d.cause, d.demo, d.target_id as "targetId",
        d.vantage_id as "vantageId", d.variant, v.country, v.region, v.carrier, d.before_ms as "beforeMs", d.after_ms as "afterMs",
        (select count(distinct (o.target_id, o.vantage_id))::int from detection o where o.group_key = d.group_key) as series
      from unnest($1::uuid[], $2::uuid[], $3::int[], $4::text[], $5::float8[])
        open (target_id, vantage_id, variant, metric, change_at)
      join detection d on d.target_id = open.target_id and d.vantage_id = open.vantage_id and d.variant = open.variant
        and d.metric = open.metric and d.change_at = to_timestamp(open.change_at) and d.kind = 'spike'
      join vantage v on v.id = d.vantage_id
      where not exists (select from incident_detection i where i.detection_id = d.id)
      order by d.at desc, d.id limit ${MEASURED_AGAIN}`,
    [
      open.map(({ target }) => target),
      open.map(({ vantage }) => vantage),
      open.map(({ variant }) => VARIANT_CODES[variant === 'resumed' ? 'resumed' : 'main']),
      open.map(({ metric }) => metric),
      open.map(({ changeAt }) => changeAt),
    ],
  );
  return rows;
}

const spanOf = (row: Row, position: number) => ({
  targetId: row.targetId,
  vantageId: row.vantageId,
  variant: row.variant === VARIANT_CODES.resumed ? ('resumed' as const) : undefined,
  metric: Metric.parse(row.metric),
  changeAt: Math.floor(row.changeAt.getTime() / 1_000),
  at: position - 1,
});

function detectedOf(row: Row, levels: Levels | undefined): Detected {
  const { id, group, at, changeAt, demo, targetId, vantageId, country, carrier } = row;
  const [cause, metric] = [Cause.parse(row.cause), Metric.parse(row.metric)];
  return {
    id,
    group,
    kind: 'spike',
    metric,
    cause,
    at,
    changeAt,
    cell: {
      ...detectionCell({ ...row, beforeMs: levels?.before ?? row.beforeMs, afterMs: levels?.after ?? row.afterMs }),
      targetId,
      vantageId,
      resumedBefore: levels?.resumedBefore ?? null,
      resumedAfter: levels?.resumedAfter ?? null,
    },
    scope: scopeKey(cause === 'network' ? { country, carrier } : { target: targetId }),
    page: row.series > 1,
    demo,
  };
}

async function storeLevels(changed: readonly Detected[]): Promise<void> {
  if (changed.length === 0) return;
  await getPool().query(
    `update detection d set before_ms = n.before, after_ms = n.after
      from unnest($1::uuid[], $2::float8[], $3::float8[]) n (id, before, after) where d.id = n.id`,
    [changed.map(({ id }) => id), changed.map(({ cell }) => cell.beforeMs), changed.map(({ cell }) => cell.afterMs)],
  );
}
