import type { Baseline } from '../baseline/baseline.ts';
import type { EndedBy } from '../detection.ts';
import {
  calmThreshold,
  cusumCap,
  cusumThreshold,
  densityHalfWidth,
  incidentRate,
  incidentSpan,
  laplaceCount,
  quietSeconds,
  usualRateCap,
  usualRateFloor,
} from '../parameters.ts';

/**
 * Watches one metric for incidents of minutes to hours: a cumulative sum (Page 1954) of the log-likelihood ratio of
 * "this sample exceeds the line's usual" between an incident, in which a share incidentRate does, and the line's own rate.
 */
export type SpikeWatch = {
  /** Evidence for an incident. */
  evidence: number;
  /** Evidence that it is over; while `open`. */
  calm: number;
  /** When the present run of evidence began, and since when calm has been growing; 0 for not at all. */
  runStart: number;
  calmStart: number;
  /** Samples of the run that exceeded. */
  exceeding: number;
  open: boolean;
  /** How incidents ended, until that is asked for: of one instant, so seldom more than one. */
  endings: Ending[];
};

/** An incident's first sample and the instant from which on it was over, epoch seconds. */
export type Ending = { changeAt: number; endedAt: number; by: EndedBy };

export function idleWatch(): SpikeWatch {
  return { evidence: 0, calm: 0, runStart: 0, calmStart: 0, exceeding: 0, open: false, endings: [] };
}

/** Where a sample lies: above the limit, as far below the median, or between. */
export type Side = 'above' | 'usual' | 'below';

/**
 * The log-likelihood ratio of one sample. One that exceeds is compared with how often the line itself shows values near
 * it: 200 ms more is news on a clean line and none on one that loses 5% of its segments. One as far below speaks
 * against an incident by as much: the level fell, or the variance rose.
 */
export function ratioOf(baseline: Baseline, side: Side, shareNear: number): number {
  const quiet = Math.log(
    (1 - incidentRate) / (1 - Math.max(usualRateFloor, Math.min(usualRateCap, baseline.exceedRate))),
  );
  if (side === 'usual') return quiet;
  const near = (2 * densityHalfWidth) / incidentSpan;
  const usual = shareNear + (laplaceCount * near) / baseline.count;
  const rarity = Math.log((incidentRate * near) / Math.max(usual, usualRateFloor * near));
  return side === 'above' ? rarity : quiet - Math.max(0, rarity);
}

/** The same of a sample that another measure confirms; `rate` is how often the line shows both. */
export function ratioOfBoth(rate: number): number {
  return Math.log(incidentRate / Math.max(usualRateFloor, rate));
}

export type Step = 'nothing' | 'raised' | 'closed';

/** Takes one sample's ratio into account. `raised` at most once until `closed`. */
export function step(watch: SpikeWatch, timestamp: number, exceeds: boolean, ratio: number): Step {
  if (watch.open) return stepOpen(watch, timestamp, ratio);
  const evidence = watch.evidence + ratio;
  if (evidence <= 0) {
    stopRun(watch);
    return 'nothing';
  }
  if (watch.evidence === 0) watch.runStart = timestamp;
  watch.evidence = Math.min(evidence, cusumCap);
  if (exceeds) watch.exceeding += 1;
  if (watch.evidence < cusumThreshold || !exceeds) return 'nothing';
  raise(watch);
  return 'raised';
}

/** Opens an incident: by the line's own evidence, or by its neighbours'. */
export function raise(watch: SpikeWatch): void {
  watch.open = true;
  watch.calm = 0;
  watch.calmStart = 0;
}

/** Ends whatever is under way; an incident was over from `endedAt` on. */
export function stopWatch(watch: SpikeWatch, endedAt: number, by: EndedBy): void {
  if (watch.open) watch.endings.push({ changeAt: watch.runStart, endedAt, by });
  watch.open = false;
  stopRun(watch);
}

/** Forgets evidence that was not enough. */
export function stopRun(watch: SpikeWatch): void {
  watch.evidence = 0;
  watch.runStart = 0;
  watch.exceeding = 0;
}

function stepOpen(watch: SpikeWatch, timestamp: number, ratio: number): Step {
  watch.calm = Math.max(0, watch.calm - ratio);
  if (watch.calm === 0) watch.calmStart = 0;
  else if (watch.calmStart === 0) watch.calmStart = timestamp;
  if (watch.calm < calmThreshold || timestamp - watch.calmStart < quietSeconds) return 'nothing';
  stopWatch(watch, watch.calmStart, 'quiet');
  return 'closed';
}
