import type { PoolClient } from 'pg';
import { addThousandths, emptyHistogram, type Histogram } from '#analysis/histogram.ts';
import { encodeHistogram } from '#analysis/histogram-codec.ts';
import { METRICS } from '#contract/vocabulary.ts';
import { HISTOGRAM_COLUMNS, type Tier } from './tiers.ts';

export const COUNTS = ['total', 'ok', 'failed_target', 'failed_resolver', 'failed_prober', 'unclean'] as const;
export type Count = (typeof COUNTS)[number];

/** One row of a rollup in the making: counts in the order of COUNTS, histograms in the order of METRICS. */
export type Cell = { bucket: number; vantageId: string; counts: number[]; histograms: Histogram[] };

/** A cell ready to be written; null where a metric has no sample. */
export type EncodedCell = { bucket: number; vantageId: string; counts: number[]; summaries: (Buffer | null)[] };

export function emptyCell(bucket: number, vantageId: string): Cell {
  return { bucket, vantageId, counts: COUNTS.map(() => 0), histograms: METRICS.map(emptyHistogram) };
}

export function count(cell: Cell, name: Count): void {
  const index = COUNTS.indexOf(name);
  cell.counts[index] = (cell.counts[index] ?? 0) + 1;
}

/** Adds one value a metric, in thousandths; null where the phase did not happen. */
export function addSample(cell: Cell, thousandths: (number | null)[]): void {
  cell.histograms.forEach((histogram, index) => {
    const value = thousandths[index] ?? null;
    if (value !== null) addThousandths(histogram, value);
  });
}

export function encodeCell({ bucket, vantageId, counts, histograms }: Cell): EncodedCell {
  const summaries = histograms.map((histogram) => (histogram.count > 0 ? encodeHistogram(histogram) : null));
  return { bucket, vantageId, counts, summaries };
}

const VALUES = [...COUNTS, ...HISTOGRAM_COLUMNS];
const ROWS_AT_ONCE = 2_000;

/** Puts cells into a tier in place of what stood there. `bucket` is in seconds since 1970. */
export async function writeCells(
  client: PoolClient,
  tier: Tier,
  targetId: string,
  cells: EncodedCell[],
): Promise<void> {
  for (let at = 0; at < cells.length; at += ROWS_AT_ONCE) {
    await writeSome(client, tier, targetId, cells.slice(at, at + ROWS_AT_ONCE));
  }
}

async function writeSome(client: PoolClient, tier: Tier, targetId: string, cells: EncodedCell[]): Promise<void> {
  const counts = COUNTS.map((_, index) => cells.map((cell) => cell.counts[index] ?? 0));
  const summaries = HISTOGRAM_COLUMNS.map((_, index) => cells.map((cell) => cell.summaries[index] ?? null));
  const types = ['bigint[]', 'uuid[]', ...COUNTS.map(() => 'int[]'), ...HISTOGRAM_COLUMNS.map(() => 'bytea[]')];
  const parameters = types.map((type, index) => `$${index + 2}::${type}`).join(', ');
  await client.query(
    `insert into ${tier.table} (target_id, bucket, vantage_id, ${VALUES.join(', ')})
      select $1, to_timestamp(bucket), vantage_id, ${VALUES.join(', ')}
      from unnest(${parameters}) as new (bucket, vantage_id, ${VALUES.join(', ')})
      on conflict (target_id, bucket, vantage_id) do update
      set ${VALUES.map((column) => `${column} = excluded.${column}`).join(', ')}`,
    [targetId, cells.map((cell) => cell.bucket), cells.map((cell) => cell.vantageId), ...counts, ...summaries],
  );
}
