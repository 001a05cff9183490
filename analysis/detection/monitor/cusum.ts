import type { Baseline } from '../baseline/baseline.ts';
import type { EndedBy } from '../detection.ts';
import { quietSeconds } from '../parameters.ts';

/**
 * Watches one metric for incidents of minutes to hours: a cumulative sum (Page 1954) of the log-likelihood ratio of
 * "this sample exceeds the line's usual" between an incident, in which a share INCIDENT_RATE does, and the line's own rate.
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

/** Share of samples that exceed in an incident. */
const INCIDENT_RATE = 0.8;
/** The sum that raises an alert: three samples in a row on a line that seldom exceeds, more on a lossy one. */
export const ALERT_AT = 13.5;
/** Evidence of quiet that ends an incident. */
const CALM_AT = 8;
/** An incident's exceeding values are taken to be spread evenly over this much of the logarithm above the limit. */
const INCIDENT_SPAN = 1.6;
/** Half the width, in the logarithm, within which the line's own history speaks of a value. */
export const NEAR = 0.15;
/** A line's own rate of exceeding is never taken to be less than this. */
const LEAST_RATE = 0.005;
/** So many samples, spread evenly, are added to what a line has shown: what it did not show yet it may still show. */
const UNSEEN = 1;

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
  const quiet = Math.log((1 - INCIDENT_RATE) / (1 - Math.max(LEAST_RATE, Math.min(0.5, baseline.exceedRate))));
  if (side === 'usual') return quiet;
  const near = (2 * NEAR) / INCIDENT_SPAN;
  const usual = shareNear + (UNSEEN * near) / baseline.count;
  const rarity = Math.log((INCIDENT_RATE * near) / Math.max(usual, LEAST_RATE * near));
  return side === 'above' ? rarity : quiet - Math.max(0, rarity);
}

/** The same of a sample that another measure confirms; `rate` is how often the line shows both. */
export function ratioOfBoth(rate: number): number {
  return Math.log(INCIDENT_RATE / Math.max(LEAST_RATE, rate));
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
  watch.evidence = Math.min(evidence, 2 * ALERT_AT);
  if (exceeds) watch.exceeding += 1;
  if (watch.evidence < ALERT_AT || !exceeds) return 'nothing';
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
  if (watch.calm < CALM_AT || timestamp - watch.calmStart < quietSeconds) return 'nothing';
  stopWatch(watch, watch.calmStart, 'quiet');
  return 'closed';
}
