import { mergeEncoded } from '#analysis/histogram-codec.ts';
import { emptySummary, type Summary } from '#analysis/summary.ts';
import { METRIC_TABLE, type Metric } from '#contract/vocabulary.ts';
import { getPool } from '#server/database/database.ts';
import { coverRange, type Segment } from './segments.ts';
import { ONE_BY_ONE, TIERS, type Tier } from './tiers.ts';

/** What to read: times in seconds since 1970, whole minutes. */
export type RollupQuery = {
  targetId: string;
  metric: Metric;
  from: number;
  to: number;
  /** Length of a slot in seconds; null for the whole range as slot 0. Slots are aligned to 1970, not to `from`. */
  step: number | null;
  /** The group that each vantage counts in; vantages that are not named are left out. */
  groups: ReadonlyMap<string, number>;
};

/** The summary of a group in a slot; `slot` is its beginning in seconds since 1970 (0 without a step). */
export type RollupCell = { slot: number; group: number; summary: Summary };

type Row = [
  slot: number,
  group: number,
  total: number,
  ok: number,
  failedProber: number,
  unclean: number,
  bytes: Buffer | null,
];

/** Reads a range with as few rows as possible, merging in the database by vantage group and slot. */
export async function readRollups(query: RollupQuery): Promise<RollupCell[]> {
  if (query.groups.size === 0) return [];
  const isDirty = await dirtyBuckets(query);
  const segments = coverRange(query.from, query.to, isDirty, query.step ?? undefined);
  const parts = TIERS.map((tier) => segments.filter((segment) => segment.tier === tier)).filter(
    (part) => part.length > 0,
  );
  const answers = await Promise.all(parts.map((part) => readTier(query, part)));
  return merge(answers.flat());
}

async function dirtyBuckets({ targetId, from, to }: RollupQuery): Promise<(tier: Tier, bucket: number) => boolean> {
  const { rows } = await getPool().query<{ step: number; bucket: number }>(
    `select distinct step, extract(epoch from bucket)::int as bucket from rollup_dirty
      where target_id = $1 and step > 60 and bucket >= to_timestamp($2) and bucket < to_timestamp($3)`,
    [targetId, from, to],
  );
  const keys = new Set(rows.map(({ step, bucket }) => `${step} ${bucket}`));
  return (tier, bucket) => keys.has(`${tier.step} ${bucket}`);
}

async function readTier(query: RollupQuery, segments: Segment[]): Promise<Row[]> {
  const [first] = segments;
  if (!first) return [];
  const slot = query.step === null ? '0' : 'extract(epoch from bucket)::int / $6::int * $6::int';
  const { rows } = await getPool().query<Row>({
    text: `select ${slot} as slot, part, sum(total)::int, sum(ok)::int, sum(failed_prober)::int, sum(unclean)::int,
        string_agg(summary, ''::bytea)
      from unnest($2::int[], $3::int[]) as segment (lower_bound, upper_bound) cross join lateral (
        select bucket, vantage_id, total, ok, failed_prober, unclean, ${METRIC_TABLE[query.metric].rollup} as summary
        from ${first.tier.table} where target_id = $1
          and bucket >= to_timestamp(lower_bound) and bucket < to_timestamp(upper_bound) ${ONE_BY_ONE}) rollup
      join unnest($4::uuid[], $5::int[]) as place (vantage_id, part) using (vantage_id)
      group by slot, part`,
    values: [
      query.targetId,
      segments.map((segment) => segment.from),
      segments.map((segment) => segment.to),
      [...query.groups.keys()],
      [...query.groups.values()],
      ...(query.step === null ? [] : [query.step]),
    ],
    rowMode: 'array',
  });
  return rows;
}

function merge(rows: Row[]): RollupCell[] {
  const cells = new Map<string, RollupCell>();
  for (const [slot, group, total, ok, failedProber, unclean, bytes] of rows) {
    const key = `${slot} ${group}`;
    const cell = cells.get(key) ?? { slot, group, summary: emptySummary() };
    cells.set(key, cell);
    const { summary } = cell;
    summary.total += total;
    summary.ok += ok;
    summary.failedProber += failedProber;
    summary.unclean += unclean;
    if (bytes) mergeEncoded(summary.histogram, bytes);
  }
  return [...cells.values()];
}
