import type { Baseline } from '../baseline/baseline.ts';
import type { EndedBy } from '../detection.ts';
import {
  calmThreshold,
  cusumThreshold,
  densityHalfWidth,
  incidentRate,
  jeffreysPrior,
  quietSeconds,
  usualRateFloor,
  valueSpan,
} from '../parameters.ts';

/**
 * A cumulative sum (Page 1954) for incidents of minutes to hours: of the log-likelihood ratio of "this sample exceeds the
 * limit" between an incident, in which a share `incidentRate` does, and the series' own rate.
 */
export type Cusum = {
  /** Evidence for an incident, up to the threshold: it must not take hours to fall. */
  evidence: number;
  /** Evidence that it is over; while `open`. */
  calm: number;
  /** When the present run of evidence began, and since when calm has been growing; 0 for not at all. */
  runStart: number;
  calmStart: number;
  /** Samples of the run that exceeded. */
  exceeding: number;
  open: boolean;
  /** What begins after the open incident has become quiet: another one, if its series is not the only one that shows it. */
  again?: Run & { quietSince: number };
  /** From when on samples before the run are those without the incident before it; left out where none was near. */
  quietSince?: number;
  /** How incidents ended, until that is asked for: of one instant, so seldom more than one. */
  endings: Ending[];
};

/** A run of evidence: its first sample (epoch seconds), its sum, and its samples that exceeded. */
export type Run = { start: number; evidence: number; exceeding: number };

/** An incident's first sample and the instant from which on it was over, epoch seconds. */
export type Ending = { changeAt: number; endedAt: number; by: EndedBy };

export function idleCusum(): Cusum {
  return { evidence: 0, calm: 0, runStart: 0, calmStart: 0, exceeding: 0, open: false, endings: [] };
}

/** Where a sample lies: above the limit, as far below the median, or between. */
export type Side = 'above' | 'usual' | 'below';

/**
 * The log-likelihood ratio of one sample. One that exceeds is compared with how often the series itself shows values near
 * it: 200 ms more is evidence on a clean series and none on one that loses 5% of its segments. One as far below is
 * as much evidence against an incident: the level fell, or the variance rose.
 */
export function llrOf(baseline: Baseline, side: Side, shareNear: number): number {
  const quiet = Math.log(
    (1 - incidentRate) / (1 - Math.max(usualRateFloor, Math.min(incidentRate / 2, baseline.exceedRate))),
  );
  if (side === 'usual') return quiet;
  const near = (2 * densityHalfWidth) / valueSpan;
  const usual = shareNear + (jeffreysPrior * near) / baseline.count;
  const rarity = Math.log((incidentRate * near) / Math.max(usual, usualRateFloor * near));
  return side === 'above' ? rarity : quiet - Math.max(0, rarity);
}

/** The same of a sample that another measure confirms; `rate` is how often the series shows both. */
export function llrOfBoth(rate: number): number {
  return Math.log(incidentRate / Math.max(usualRateFloor, rate));
}

export type Step = 'nothing' | 'raised' | 'closed';

/** Takes one sample's ratio into account. `raised` at most once until `closed`. */
export function step(cusum: Cusum, timestamp: number, exceeds: boolean, ratio: number): Step {
  if (cusum.open) return stepOpen(cusum, timestamp, exceeds, ratio);
  const evidence = cusum.evidence + ratio;
  if (evidence <= 0) {
    stopRun(cusum);
    return 'nothing';
  }
  if (cusum.evidence === 0) cusum.runStart = timestamp;
  cusum.evidence = Math.min(evidence, cusumThreshold);
  if (exceeds) cusum.exceeding += 1;
  if (cusum.evidence < cusumThreshold || !exceeds) return 'nothing';
  raise(cusum);
  return 'raised';
}

/** Opens an incident: by the series' own evidence, or by its neighbours'. */
export function raise(cusum: Cusum): void {
  cusum.open = true;
  cusum.calm = 0;
  cusum.calmStart = 0;
}

/** Ends whatever is under way; an incident was over from `endedAt` on. */
export function stopCusum(cusum: Cusum, endedAt: number, by: EndedBy): void {
  if (cusum.open) cusum.endings.push({ changeAt: cusum.runStart, endedAt, by });
  cusum.open = false;
  delete cusum.again;
  stopRun(cusum);
}

/** Forgets evidence that was not enough. */
export function stopRun(cusum: Cusum): void {
  cusum.evidence = 0;
  cusum.runStart = 0;
  cusum.exceeding = 0;
  delete cusum.quietSince;
}

function stepOpen(cusum: Cusum, timestamp: number, exceeds: boolean, ratio: number): Step {
  stepAgain(cusum, timestamp, exceeds, ratio);
  cusum.calm = Math.max(0, cusum.calm - ratio);
  if (cusum.calm === 0) cusum.calmStart = 0;
  else if (cusum.calmStart === 0) cusum.calmStart = timestamp;
  if (cusum.calm < calmThreshold || timestamp - cusum.calmStart < quietSeconds) return 'nothing';
  stopCusum(cusum, cusum.calmStart, 'quiet');
  return 'closed';
}

/** The run that begins once an open incident has been quiet for five usual samples. */
function stepAgain(cusum: Cusum, timestamp: number, exceeds: boolean, ratio: number): void {
  const { again, calm, calmStart } = cusum;
  if (again) {
    again.evidence = Math.min(again.evidence + ratio, cusumThreshold);
    if (exceeds) again.exceeding += 1;
    if (again.evidence <= 0) delete cusum.again;
    return;
  }
  if (calm >= calmThreshold && exceeds && ratio > 0)
    cusum.again = { start: timestamp, evidence: ratio, exceeding: 1, quietSince: calmStart };
}

/** The run that is under way: of an open incident, what has begun after it. */
export function runOf({ again, runStart, evidence, exceeding }: Cusum): Run {
  return again ?? { start: runStart, evidence, exceeding };
}

/** Ends the open incident and opens the one that has begun after it. */
export function raiseAgain(cusum: Cusum): void {
  const { again } = cusum;
  if (!again) return;
  stopCusum(cusum, again.quietSince, 'quiet');
  cusum.runStart = again.start;
  cusum.evidence = again.evidence;
  cusum.exceeding = again.exceeding;
  cusum.quietSince = again.quietSince;
  raise(cusum);
}
