import { eachSample, type History, unpack } from '../history/history.ts';
import { type MetricMonitor, shapeAt } from '../monitor/monitor.ts';
import {
  lastingSeconds,
  leastSamples,
  onsetDivide,
  onsetWinsorFloor,
  quietSeconds,
  shareZ,
  sigmaLimit,
} from '../parameters.ts';

/**
 * What is to be dated: half hours from `start` on lie `effect` from the level `before`; it began between `from` and now. Of a share that
 * changed, `divide` lies between the modes: then a sample is of one or of the other.
 */
export type Undated = {
  since: number;
  from: number;
  start: number;
  before: number;
  effect: number;
  divide?: number;
};

/**
 * The time of a change between two levels: where the sum of single samples' distances from the middle of both turns round
 * (Hinkley 1970), the likeliest split. Levels are logarithms less the daily shape, instants epoch seconds: halfway between
 * the last sample before the change and the first one after. Samples of a spike that is over belong to neither level: a change
 * begins at its end at the earliest. Null where the samples since `from` show no change: it is older, or was slow.
 */
export function onsetOf(monitor: MetricMonitor, history: History, change: Undated): number | null {
  const samples = distancesOf(monitor, history, change);
  const found = turnOf(samples, change.from, middleOf(samples, change));
  return found === null || change.divide === undefined ? found : (laterStepOf(samples, change.since, found) ?? found);
}

/** Where the sum of distances from `middle` turns round, epoch seconds. */
function turnOf(samples: readonly Distance[], from: number, middle: number): number | null {
  let sum = 0;
  let least = 0;
  let last = from;
  let found = null as number | null;
  for (const { time, towards, inEndedSpike } of samples) {
    if (time < from) continue;
    if (!inEndedSpike) {
      if (sum < least) {
        least = sum;
        found = Math.round((last + time) / 2);
      }
      sum += towards - middle;
    }
    last = time;
  }
  return found;
}

/**
 * When a share that rose twice, the second time by more, took that second step; null where the samples since `onset` don't show one beyond
 * doubt (the two-proportion test). The first rise may be how the share wanders: a window that begins there divides by a share too near it.
 */
function laterStepOf(samples: readonly Distance[], since: number, onset: number): number | null {
  const isOfNew = ({ towards }: Distance) => (towards > 0 ? 1 : 0);
  const known = samples.filter(({ time, inEndedSpike }) => time >= since && !inEndedSpike);
  const first = known.findIndex(({ time }) => time >= onset);
  const before = shareOf(known.slice(0, first).map(isOfNew));
  const later = known.slice(first);
  const ofNew = later.map(isOfNew);
  const step = stepOf(ofNew);
  if (step === null || step.z < shareZ) return null;
  const [left, right] = [shareOf(ofNew.slice(0, step.at)), shareOf(ofNew.slice(step.at))];
  // A share that is nearer the new one had changed.
  if (left > (before + right) / 2) return null;
  return Math.round(((later[step.at - 1] as Distance).time + (later[step.at] as Distance).time) / 2);
}

/** Where zeros and ones become more ones with the most certainty, and that certainty (z of two proportions, pooled). Null where nowhere. */
function stepOf(ofNew: readonly number[]): { at: number; z: number } | null {
  const total = ofNew.reduce((sum, one) => sum + one, 0);
  const pooled = total / ofNew.length;
  let ones = 0;
  let best = null as { at: number; z: number } | null;
  for (let at = 1; at < ofNew.length; at += 1) {
    ones += ofNew[at - 1] as number;
    const rest = ofNew.length - at;
    const rise = (total - ones) / rest - ones / at;
    const z = rise / Math.sqrt(pooled * (1 - pooled) * (1 / at + 1 / rest));
    if (rise > 0 && z > (best?.z ?? 0)) best = { at, z };
  }
  return best;
}

const shareOf = (ones: readonly number[]): number => ones.reduce((sum, one) => sum + one, 0) / Math.max(1, ones.length);

/** When a sample was taken, and how far it is from the middle of both levels, towards the new one, clipped. */
type Distance = { time: number; towards: number; isLearned: boolean; inEndedSpike: boolean };

function distancesOf(monitor: MetricMonitor, history: History, { since, before, effect, divide }: Undated): Distance[] {
  const centre = divide ?? before + onsetDivide * effect;
  const most = divide === undefined ? Math.max(onsetWinsorFloor, sigmaLimit * Math.abs(effect / 2)) : onsetWinsorFloor;
  const samples: Distance[] = [];
  eachSample(unpack(history), monitor.metric, (time, log, isLearned) => {
    const off = log - shapeAt(monitor, time) - centre;
    const towards = Math.max(-most, Math.min(most, off)) * Math.sign(effect);
    samples.push({ time, towards, isLearned, inEndedSpike: false });
  });
  markEndedSpikes(samples, since, monitor.spike.runStart);
  return samples;
}

/**
 * Samples of a spike are never learnt, nor are those of the half hour of quiet after which it is over; what comes then is. So what was not
 * learnt is no spike that is over where it lies before the last lasting change, or is of the run that is under way (since `runStart`, 0 for
 * none), or nothing has been learnt since.
 */
function markEndedSpikes(samples: readonly Distance[], since: number, runStart: number): void {
  const until = runStart > 0 ? runStart : Number.POSITIVE_INFINITY;
  let end: number | null = null;
  let hasLearned = false;
  for (const sample of samples.toReversed()) {
    hasLearned ||= sample.isLearned;
    if (sample.isLearned || sample.time >= until || sample.time < since) end = null;
    else if (hasLearned) {
      end ??= sample.time - quietSeconds;
      sample.inEndedSpike = sample.time <= end;
    }
  }
}

/**
 * What divides both sides as clipped samples themselves have them: on a series of two modes, or one that changes often, their
 * means are not the levels of the half hours. 0, what divides by definition, where a side has too few samples, or the later
 * one lies no farther towards the new level.
 */
function middleOf(samples: readonly Distance[], { since, start }: Undated): number {
  const early = { sum: 0, count: 0 };
  const late = { sum: 0, count: 0 };
  for (const { time, towards, inEndedSpike } of samples) {
    const side = time >= start ? late : time >= since && time < start - lastingSeconds ? early : null;
    if (side === null || inEndedSpike) continue;
    side.sum += towards;
    side.count += 1;
  }
  if (Math.min(early.count, late.count) < leastSamples) return 0;
  const [before, after] = [early.sum / early.count, late.sum / late.count];
  return after > before ? before + onsetDivide * (after - before) : 0;
}
