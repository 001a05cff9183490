import { mergeHistograms, readCounts } from '#analysis/cells.ts';
import { addThousandths, emptyHistogram, type Histogram } from '#analysis/histogram.ts';
import { METRICS, type Metric } from '#contract/vocabulary.ts';
import type { World } from './world.ts';

/** Where a metric stands in `result`, in thousandths of its unit, and in the rollups. Written out here once more: a check
 * that borrowed the product's own table would repeat its mistakes. */
const COLUMNS: Record<Metric, { raw: string; rollup: number }> = {
  dns: { raw: 'dns_us', rollup: 1 },
  tcp: { raw: 'tcp_us', rollup: 2 },
  tls: { raw: 'tls_us', rollup: 3 },
  firstByte: { raw: 'first_byte_us', rollup: 4 },
  download: { raw: 'download_us', rollup: 5 },
  total: { raw: 'total_us', rollup: 6 },
  roundTrips: { raw: 'round_trips * 1000', rollup: 7 },
  firstBody: { raw: 'first_body_us', rollup: 8 },
  refused: { raw: 'case when variant = 1 then (not resumed)::int * 1000 end', rollup: 9 },
};
const OUTCOMES = 0;
const TIERS = [
  { step: 60, table: 'rollup_minute' },
  { step: 600, table: 'rollup_ten' },
  { step: 3_600, table: 'rollup_hour' },
  { step: 86_400, table: 'rollup_day' },
] as const;
const NAMED = 5;

type Cell = { total: number; ok: number; unclean: number; metrics: Map<Metric, Histogram> };

/** How many cells were compared, and what differs, in words. */
export type RollupCheck = { cells: number; differences: string[] };

/**
 * Computes every cell of every tier from the raw results and holds the stored ones against them, bin by bin. Longer
 * buckets that wait to be computed anew are not read by anybody, and not compared.
 */
export async function compareRollups(world: World): Promise<RollupCheck> {
  const check: RollupCheck = { cells: 0, differences: [] };
  for (const tier of TIERS) {
    const expected = await fromRaw(world, tier.step);
    const stored = await fromRollups(world, tier.table, check);
    const waiting = await dirtyBuckets(world, tier.step);
    for (const key of new Set([...expected.keys(), ...stored.keys()])) {
      const [target = '', , bucket = ''] = key.split(' ');
      if (waiting.has(`${target} ${bucket}`)) continue;
      check.cells += 1;
      const difference = differenceOf(expected.get(key), stored.get(key));
      if (difference && check.differences.length < NAMED) check.differences.push(`${tier.table} ${key}: ${difference}`);
    }
  }
  return check;
}

/** Buckets that are marked, and minutes that are still in the log. */
async function dirtyBuckets(world: World, step: number): Promise<Set<string>> {
  const rows = await world.query<{ key: string }>(
    `select target_id || ' ' || extract(epoch from bucket)::bigint as key from rollup_dirty where step = $1
      union select logged || ' ' || minute::bigint * 60 / $1::int * $1::int from rollup_log, unnest(target_ids) as logged`,
    [step],
  );
  return new Set(rows.map((row) => row.key));
}

async function fromRaw(world: World, step: number): Promise<Map<string, Cell>> {
  const values = METRICS.map((metric) => `${COLUMNS[metric].raw} as "metric ${metric}"`).join(', ');
  const rows = await world.query(
    `select target_id || ' ' || vantage_id || ' ' || floor(extract(epoch from started_at) / ${step})::bigint * ${step}
          || ' ' || coalesce(variant, 0) as key,
        ok, clean, ${values} from result where coalesce(variant, 0) in (0, 1, 2, 3, 5)`,
  );
  const cells = new Map<string, Cell>();
  for (const row of rows) {
    const cell = cells.get(row.key) ?? { total: 0, ok: 0, unclean: 0, metrics: new Map() };
    cells.set(row.key, cell);
    cell.total += 1;
    if (!row.clean) cell.unclean += 1;
    if (!row.ok) continue;
    cell.ok += 1;
    if (!row.clean) continue;
    for (const metric of METRICS) {
      const value = row[`metric ${metric}`];
      if (value !== null) addThousandths(histogramOf(cell, metric), value);
    }
  }
  return cells;
}

/** Every cell, and on the way that the sums over all vantages are those of the cells. */
async function fromRollups(world: World, table: string, check: RollupCheck): Promise<Map<string, Cell>> {
  const vantages = await world.query<{ id: string; number: number }>('select id, number from vantage');
  const ids = new Map(vantages.map(({ id, number }) => [number, id]));
  const rows = await world.query<{
    target: string;
    at: string;
    metric: number;
    cells: Buffer;
    sums: (number | null)[];
  }>(
    `select target_id as target, extract(epoch from bucket)::bigint as at, metric, cells,
        array[total, ok, failed_prober, unclean] as sums from ${table}`,
  );
  const cells = new Map<string, Cell>();
  for (const { target, at, metric: number, cells: bytes, sums } of rows) {
    const cellOf = (vantage: number): Cell => {
      const key = `${target} ${ids.get(vantage)} ${at} ${Math.floor(number / 100)}`;
      const cell = cells.get(key) ?? { total: 0, ok: 0, unclean: 0, metrics: new Map() };
      cells.set(key, cell);
      return cell;
    };
    const metric = METRICS.find((each) => COLUMNS[each].rollup === number % 100);
    if (metric) mergeHistograms(bytes, (vantage) => histogramOf(cellOf(vantage), metric));
    if (number % 100 !== OUTCOMES) continue;
    const added = [0, 0, 0, 0];
    readCounts(bytes, (vantage, { total, ok, failedProber, unclean }) => {
      const cell = cellOf(vantage);
      cell.total += total;
      cell.ok += ok;
      cell.unclean += unclean;
      for (const [index, more] of [total, ok, failedProber, unclean].entries())
        added[index] = (added[index] ?? 0) + more;
    });
    if (added.join() !== sums.join() && check.differences.length < NAMED)
      check.differences.push(`${table} ${target} ${at}: sums ${sums} of cells that add up to ${added}`);
  }
  return cells;
}

function histogramOf(cell: Cell, metric: Metric): Histogram {
  const histogram = cell.metrics.get(metric) ?? emptyHistogram();
  cell.metrics.set(metric, histogram);
  return histogram;
}

function differenceOf(expected: Cell | undefined, stored: Cell | undefined): string | null {
  if (!stored) return `is missing, ${expected?.total} results`;
  if (!expected) return `holds ${stored.total} results that are not there`;
  for (const count of ['total', 'ok', 'unclean'] as const) {
    if (expected[count] !== stored[count]) return `${count} is ${stored[count]} instead of ${expected[count]}`;
  }
  for (const metric of METRICS) {
    const [want, have] = [expected, stored].map((cell) => JSON.stringify(cell.metrics.get(metric) ?? null));
    if (want !== have) return `${metric} is ${have} instead of ${want}`;
  }
  return null;
}
