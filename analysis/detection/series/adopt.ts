// A spike that was notified, taken over by a detector that did not raise it: one of another version, which has gone through the
// same samples in silence.

import { exceeds } from '../baseline/baseline.ts';
import { valueAt } from '../baseline/daily-shape.ts';
import type { Metric } from '../detection.ts';
import { positionInDay } from '../history/half-hours.ts';
import { eachSample, unpack } from '../history/history.ts';
import { raise, stopCusum } from '../monitor/cusum.ts';
import type { MetricMonitor } from '../monitor/monitor.ts';
import { cusumThreshold, quietSeconds } from '../parameters.ts';
import type { SeriesState } from './series.ts';

/**
 * Takes a spike that was notified to be under way, from `changeAt` on: it ends as any other, and has ended where samples have
 * been as usual for as long as that takes. False where the metric is not watched.
 */
export function adoptSpike(series: SeriesState, metric: Metric, changeAt: number): boolean {
  const monitor = series[metric];
  if (monitor === null) return false;
  const { spike } = monitor;
  if (!spike.open) raise(spike);
  spike.evidence = Math.max(spike.evidence, cusumThreshold);
  spike.runStart = changeAt;
  const quiet = 'metric' in monitor ? quietSince(series, monitor, changeAt) : null;
  if (quiet !== null && series.last - quiet >= quietSeconds) stopCusum(spike, quiet, 'quiet');
  return true;
}

/** When the first sample after the last unusual one since `changeAt` was; null where there is none. */
function quietSince(series: SeriesState, monitor: MetricMonitor, changeAt: number): number | null {
  let quiet: number | null = null;
  eachUnusual(series, monitor, changeAt, (time, isUnusual) => {
    quiet = isUnusual ? null : (quiet ?? time);
  });
  return quiet;
}

/** Says of each sample of a metric since an instant whether it is unusual. */
function eachUnusual(
  { history }: SeriesState,
  { metric, baseline, shape, offset }: MetricMonitor,
  since: number,
  visit: (time: number, isUnusual: boolean) => void,
): void {
  if (baseline === null) return;
  eachSample(unpack(history), metric, (time, log) => {
    if (time < since) return;
    const position = positionInDay(time, offset);
    const [usual, spread] = [valueAt(shape.value, position), valueAt(shape.spread, position)];
    visit(time, exceeds(baseline, Math.exp(log), log, usual, spread));
  });
}
