import { type Counts, emptyCounts, writeCounts } from '#analysis/cells.ts';
import { addThousandths, emptyHistogram } from '#analysis/histogram.ts';
import { writeHistogram } from '#analysis/histogram-codec.ts';
import { VarintWriter } from '#analysis/varint.ts';
import type { GeneratedSample, GeneratedSeries } from '#contract/demo.ts';
import { METRIC_TABLE, METRICS, type Metric } from '#contract/vocabulary.ts';
import { CopyWriter } from '#server/results/copy-writer.ts';
import { ROW_COLUMNS, type RollupRow, sumsOf, wholeIn } from '#server/rollups/rollup-rows.ts';
import { rowNumber, type Tier } from '#server/rollups/tiers.ts';

/** Buckets that begin in [from, to) and end by `end`; epoch seconds, whole buckets but for `end`. */
export type BucketRange = { from: number; to: number; end: number };

/** What one vantage measured of a target in a bucket. */
type Cell = { vantage: number; samples: readonly GeneratedSample[] };

const ROW_BYTES = 2_000;

/** The rows of a tier, for COPY, of all samples of a target in a range of buckets. `numbers` are those of the vantages. */
export function tierRows(
  tier: Tier,
  targetId: string,
  allSeries: readonly GeneratedSeries[],
  numbers: ReadonlyMap<string, number>,
  range: BucketRange,
): Buffer {
  const buckets = new Map<number, Cell[]>();
  for (const { vantageId, samples } of allSeries) {
    const vantage = numbers.get(vantageId);
    if (vantage === undefined) continue;
    for (const [bucket, own] of bucketsOf(tier.step, samples, range))
      buckets.set(bucket, [...(buckets.get(bucket) ?? []), { vantage, samples: own }]);
  }
  const rows = [...buckets].flatMap(([bucket, cells]) => rowsOf({ targetId, bucket }, cells));
  const out = new CopyWriter(rows.length * ROW_BYTES);
  for (const row of rows) writeRow(out, tier, row);
  return out.finish();
}

function bucketsOf(step: number, samples: readonly GeneratedSample[], { from, to, end }: BucketRange) {
  const buckets: [bucket: number, samples: GeneratedSample[]][] = [];
  for (let index = firstSince(samples, from); index < samples.length; index++) {
    const sample = samples[index] as GeneratedSample;
    const bucket = Math.floor(sample.at / step) * step;
    if (bucket >= to || bucket + step > end) break;
    const last = buckets.at(-1);
    if (last?.[0] === bucket) last[1].push(sample);
    else buckets.push([bucket, [sample]]);
  }
  return buckets;
}

/** The place of the first sample at or after an instant. */
export function firstSince(samples: readonly GeneratedSample[], instant: number): number {
  let [low, high] = [0, samples.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((samples[middle] as GeneratedSample).at < instant) low = middle + 1;
    else high = middle;
  }
  return low;
}

function rowsOf(of: Pick<RollupRow, 'targetId' | 'bucket'>, cells: readonly Cell[]): RollupRow[] {
  const outcomes = new VarintWriter();
  for (const { vantage, samples } of cells) writeCounts(outcomes, vantage, outcomesOf(samples));
  const rows: RollupRow[] = [{ ...of, metric: rowNumber(null, 'main'), cells: outcomes.take() }];
  for (const metric of METRICS) {
    const read = METRIC_VALUES[metric];
    if (!read) continue;
    const writer = new VarintWriter();
    for (const { vantage, samples } of cells) writeValues(writer, vantage, samples, read);
    if (writer.length > 0) rows.push({ ...of, metric: METRIC_TABLE[metric].rollup, cells: writer.take() });
  }
  return rows;
}

/** What fails fails at the target, and nothing is unclean. */
function outcomesOf(samples: readonly GeneratedSample[]): Counts {
  const ok = samples.reduce((sum, sample) => sum + (sample.ok ? 1 : 0), 0);
  return { ...emptyCounts(), total: samples.length, ok, failedTarget: samples.length - ok };
}

type ReadMs = (sample: GeneratedSample) => number | null;

function writeValues(writer: VarintWriter, vantage: number, samples: readonly GeneratedSample[], read: ReadMs) {
  const histogram = emptyHistogram();
  for (const sample of samples) {
    const ms = sample.ok ? read(sample) : null;
    if (ms !== null) addThousandths(histogram, Math.round(ms * 1_000));
  }
  if (histogram.count === 0) return;
  writer.write(vantage * 2);
  writeHistogram(writer, histogram);
}

function writeRow(out: CopyWriter, tier: Tier, row: RollupRow): void {
  const sums = sumsOf(row);
  out.row(ROW_COLUMNS.length);
  out.uuid(row.targetId);
  out.int2(row.metric);
  out.time(row.bucket * 1_000);
  out.bytes(row.cells);
  for (const sum of ['total', 'ok', 'failedProber', 'unclean'] as const) out.int4(sums?.[sum] ?? null);
  out.bytes(wholeIn(tier, row));
}

/** What is generated of a metric, of the others nothing; the total is that of the phases. */
const METRIC_VALUES: Partial<Record<Metric, ReadMs>> = {
  dns: ({ dnsMs }) => dnsMs,
  tcp: ({ tcpMs }) => tcpMs,
  tls: ({ tlsMs }) => tlsMs,
  firstByte: ({ firstByteMs }) => firstByteMs,
  total: ({ dnsMs, tcpMs, tlsMs, firstByteMs }) => dnsMs + (tcpMs ?? 0) + (tlsMs ?? 0) + (firstByteMs ?? 0),
  roundTrips: ({ roundTrips }) => roundTrips,
};
