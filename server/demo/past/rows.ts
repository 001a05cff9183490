import { encodeSingle } from '#analysis/histogram-codec.ts';
import type { GeneratedSample, GeneratedSeries } from '#contract/demo.ts';
import { METRICS, type Metric } from '#contract/vocabulary.ts';
import { CopyWriter } from '#server/results/copy-writer.ts';
import { COUNTS } from '#server/rollups/cell.ts';
import { HISTOGRAM_COLUMNS, type Tier } from '#server/rollups/tiers.ts';

/** Columns in the order in which `tierRows` writes them. */
export const ROLLUP_COLUMNS = [...['target_id', 'bucket', 'vantage_id'], ...COUNTS, ...HISTOGRAM_COLUMNS];

/** Buckets that begin in [from, to) and end by `end`; epoch seconds, whole hours but for `end`. */
export type BucketRange = { from: number; to: number; end: number };

/** The samples of one line from `first` to before `end` are one row. */
type Cell = { bucket: number; line: GeneratedSeries; first: number; end: number };

const ROW_BYTES = 220;

/** The rows of a tier, for COPY, of all samples in a range of buckets; in the order of the key. */
export function tierRows(tier: Tier, lines: readonly GeneratedSeries[], range: BucketRange): Buffer {
  const cells = lines.flatMap((line) => cellsOf(tier.step, line, range)).sort((a, b) => a.bucket - b.bucket);
  const out = new CopyWriter(cells.length * ROW_BYTES);
  for (const cell of cells) writeCell(out, cell);
  return out.finish();
}

function cellsOf(step: number, line: GeneratedSeries, { from, to, end }: BucketRange): Cell[] {
  const { samples } = line;
  const cells: Cell[] = [];
  let open = null as Cell | null;
  for (let index = firstSince(samples, from); index < samples.length; index++) {
    const { at } = samples[index] as GeneratedSample;
    const bucket = Math.floor(at / step) * step;
    if (bucket >= to || bucket + step > end) break;
    if (open?.bucket !== bucket) {
      open = { bucket, line, first: index, end: index };
      cells.push(open);
    }
    open.end = index + 1;
  }
  return cells;
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

/** A row of as many samples as an hour can hold, each in 9 bytes at most. */
const scratch = new Uint8Array(9 * 3_600);

function writeCell(out: CopyWriter, { bucket, line, first, end }: Cell): void {
  const { samples } = line;
  let ok = 0;
  for (let index = first; index < end; index++) if (samples[index]?.ok) ok += 1;
  out.row(ROLLUP_COLUMNS.length);
  out.uuid(line.targetId);
  out.time(bucket * 1_000);
  out.uuid(line.vantageId);
  // In the order of COUNTS. What fails fails at the target, and nothing is unclean.
  out.int4(end - first);
  out.int4(ok);
  out.int4(end - first - ok);
  for (let zero = 0; zero < 3; zero++) out.int4(0);
  for (const value of VALUES) {
    let at = 0;
    // Histograms of one value each, laid end to end, are their sum (analysis/histogram-codec.ts).
    for (let index = first; index < end; index++) {
      const sample = samples[index] as GeneratedSample;
      const ms = sample.ok ? value(sample) : null;
      if (ms !== null) at = encodeSingle(scratch, at, Math.round(ms * 1_000));
    }
    out.bytes(at === 0 ? null : scratch.subarray(0, at));
  }
}

/** What is generated of a metric, of the others nothing; the total is that of the phases. */
const METRIC_VALUES: Partial<Record<Metric, (sample: GeneratedSample) => number | null>> = {
  dns: ({ dnsMs }) => dnsMs,
  tcp: ({ tcpMs }) => tcpMs,
  tls: ({ tlsMs }) => tlsMs,
  firstByte: ({ firstByteMs }) => firstByteMs,
  total: ({ dnsMs, tcpMs, tlsMs, firstByteMs }) => dnsMs + (tcpMs ?? 0) + (tlsMs ?? 0) + (firstByteMs ?? 0),
  roundTrips: ({ roundTrips }) => roundTrips,
};
const VALUES = METRICS.map((metric) => METRIC_VALUES[metric] ?? (() => null));
