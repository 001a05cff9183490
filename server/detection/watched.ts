import type { Metric } from '#analysis/detection/detection.ts';
import type { WatchedMetric } from '#contract/alert-rule.ts';

/** What the detector calls a metric, and what the API does. */
export const METRIC_NAMES: Record<Metric, WatchedMetric> = {
  tls: 'tls',
  connect: 'tcp',
  firstByte: 'firstByte',
  failures: 'failures',
};

/** The detector's name for what the API calls so; null for what the detector does not watch. */
export function detectorMetric(name: string): Metric | null {
  const entries = Object.entries(METRIC_NAMES) as [Metric, WatchedMetric][];
  return entries.find(([, watched]) => watched === name)?.[0] ?? null;
}
