import { METRIC_TABLE, METRICS } from '#contract/vocabulary.ts';

/** A table of rollups: `step` is the length of its buckets in seconds. */
export type Tier = {
  step: 60 | 600 | 3_600 | 86_400;
  table: 'rollup_minute' | 'rollup_ten' | 'rollup_hour' | 'rollup_day';
};

const MINUTE: Tier = { step: 60, table: 'rollup_minute' };
const TEN: Tier = { step: 600, table: 'rollup_ten' };
const HOUR: Tier = { step: 3_600, table: 'rollup_hour' };
/** Days of UTC. */
const DAY: Tier = { step: 86_400, table: 'rollup_day' };

/** Every tier but the first is computed from the one before it. */
export const TIERS = [MINUTE, TEN, HOUR, DAY] as const;

/** The number of the rows that count how probes ended; those of metrics are in METRIC_TABLE. */
export const OUTCOMES = 0;
export const ROW_NUMBERS: readonly number[] = [OUTCOMES, ...METRICS.map((metric) => METRIC_TABLE[metric].rollup)];

/**
 * Ends a lateral subquery of one target so that PostgreSQL runs it for each outer row along the index. Merged into the outer
 * query it may become a join over everything, the more so on a table that has grown since its statistics were taken. An
 * order by what is the same in all rows costs nothing; OFFSET 0 would do as well, but Citus refuses it here.
 */
export const ONE_BY_ONE = 'order by target_id';
