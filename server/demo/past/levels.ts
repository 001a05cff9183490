import type { Detection } from '#analysis/detection/detection.ts';
import type { GeneratedSample, GeneratedSeries } from '#contract/demo.ts';
import { medianOf } from '#contract/median.ts';
import { firstSince } from './past-rollups.ts';

/** What a change is compared with, as for measured ones: an hour before a spike, a day before a lasting change. Seconds. */
const BEFORE = { spike: 3_600, regression: 86_400, improvement: 86_400 } as const;

type Span = Pick<Detection, 'kind' | 'metric' | 'at' | 'changeAt'>;
export type Levels = { beforeMs: number | null; afterMs: number | null };

/** Medians before a change and from it until it was found, ms; null for shares, which are no times. */
export function generatedLevels({ samples }: GeneratedSeries, { kind, metric, at, changeAt }: Span): Levels {
  const valuesIn = (from: number, to: number) =>
    samples.slice(firstSince(samples, from), firstSince(samples, to)).flatMap((sample) => timeOf(sample, metric) ?? []);
  return {
    beforeMs: medianOf(valuesIn(changeAt - BEFORE[kind], changeAt)),
    afterMs: medianOf(valuesIn(changeAt, at + 1)),
  };
}

function timeOf(sample: GeneratedSample, metric: Detection['metric']): number | null {
  if (metric === 'failures' || metric === 'refused') return null;
  return { tls: sample.tlsMs, tcp: sample.tcpMs, firstByte: sample.firstByteMs }[metric];
}
