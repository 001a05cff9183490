import type { Metric } from '#analysis/detection/sample.ts';
import type { WatchedMetric } from '#contract/alert-rule.ts';

/** What the detector calls a metric, and what the API does. */
export const METRIC_NAMES: Record<Metric, WatchedMetric> = {
  tls: 'tls',
  connect: 'tcp',
  firstByte: 'firstByte',
  failures: 'failures',
};
