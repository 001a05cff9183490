import type { Detection } from '#analysis/detection/sample.ts';
import type { GeneratedLine, GeneratedSample } from './sample.ts';

/** What a change is compared with, as for measured ones: an hour before a spike, a day before a lasting change. Seconds. */
const BEFORE = { spike: 3_600, regression: 86_400, improvement: 86_400 } as const;
/** A spike is over after so long without a sample past the middle of before and after; seconds. */
const QUIET = 1_800;
/** No spike is longer. */
const LONGEST = 8 * 3_600;

type Span = Pick<Detection, 'kind' | 'metric' | 'at' | 'changeAt'>;
export type Levels = { beforeMs: number | null; afterMs: number | null };

/** Medians before a change and from it until it was found, ms; null for failures, which are no times. */
export function generatedLevels({ samples }: GeneratedLine, { kind, metric, at, changeAt }: Span): Levels {
  const valuesIn = (from: number, to: number) =>
    samples.flatMap((sample) => (sample.at >= from && sample.at < to ? (metricOf(sample, metric) ?? []) : []));
  return {
    beforeMs: medianOf(valuesIn(changeAt - BEFORE[kind], changeAt)),
    afterMs: medianOf(valuesIn(changeAt, at + 1)),
  };
}

/** When a spike was over at a line, epoch seconds. */
export function spikeEnd({ samples }: GeneratedLine, { metric, at }: Span, { beforeMs, afterMs }: Levels): number {
  if (beforeMs === null || afterMs === null) return at + QUIET;
  const middle = Math.sqrt(beforeMs * afterMs);
  let high = at;
  for (const sample of samples) {
    if (sample.at <= at) continue;
    if (sample.at > high + QUIET || sample.at > at + LONGEST) break;
    if ((metricOf(sample, metric) ?? 0) > middle) high = sample.at;
  }
  return high + QUIET;
}

function metricOf(sample: GeneratedSample, metric: Detection['metric']): number | null {
  if (metric === 'failures') return null;
  return { tls: sample.tlsMs, connect: sample.tcpMs, firstByte: sample.firstByteMs }[metric];
}

function medianOf(values: number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[sorted.length >> 1];
  const lower = sorted[(sorted.length - 1) >> 1];
  return upper === undefined || lower === undefined ? null : (upper + lower) / 2;
}
