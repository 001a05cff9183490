import { MEASURED_VARIANTS, METRIC_TABLE, METRICS, type MeasuredVariant, type Metric } from '#contract/vocabulary.ts';
import { VARIANT_CODES } from '#server/database/codes.ts';

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

/** A row's number is that of its metric (METRIC_TABLE), or 0 of those that count how probes ended, and this many times its variant's code. */
export const NUMBERS_A_VARIANT = 100;
const OUTCOMES = 0;

/** The number of the rows of a metric, of one of a check's handshakes; null for those that count how probes ended. */
export function rowNumber(metric: Metric | null, variant: MeasuredVariant): number {
  return VARIANT_CODES[variant] * NUMBERS_A_VARIANT + (metric === null ? OUTCOMES : METRIC_TABLE[metric].rollup);
}

/** A result's value of a metric, in thousandths of its unit, in SQL; null where it has none. `of` is a row of `result`, with a dot. */
export function thousandthsOf(metric: Metric, of = ''): string {
  const { column, scale } = METRIC_TABLE[metric];
  if (metric !== 'refused') return `${of}${column} * ${scale}`;
  return `case when ${of}variant = ${VARIANT_CODES.resumed} then (not ${of}${column})::int * ${scale} end`;
}

/** Whether rows of this number count how probes ended. */
export const areOutcomes = (number: number) => number % NUMBERS_A_VARIANT === OUTCOMES;

export const ROW_NUMBERS: readonly number[] = MEASURED_VARIANTS.flatMap((variant) =>
  [null, ...METRICS].map((metric) => rowNumber(metric, variant)),
);

/**
 * Ends a lateral subquery of one target so that PostgreSQL runs it for each outer row along the index. Merged into the outer
 * query it may become a join over everything, the more so on a table that has grown since its statistics were taken. An
 * order by what is the same in all rows costs nothing; OFFSET 0 would do as well, but Citus refuses it here.
 */
export const ONE_BY_ONE = 'order by target_id';
