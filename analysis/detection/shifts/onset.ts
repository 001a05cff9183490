import { eachSample, type History, unpack } from '../history/history.ts';
import { type MetricMonitor, shapeAt } from '../monitor/monitor.ts';
import {
  onsetDivide,
  onsetLeadSeconds,
  onsetLeastDistance,
  onsetLeastSamples,
  onsetWinsor,
  onsetWinsorFloor,
} from '../parameters.ts';

/** What is to be dated: half hours from `start` on lie `effect` from the level `before`; it began between `from` and now. */
export type Undated = { since: number; from: number; start: number; before: number; effect: number };

/**
 * The time of a change between two levels: where the sum of single samples' distances from the middle of both turns round
 * (Hinkley 1970), the likeliest split. Levels are logarithms less the daily shape, instants epoch seconds: halfway between
 * the last sample before the change and the first one after. Null where the samples since `from` show no change: it
 * is older, or was slow.
 */
export function onsetOf(monitor: MetricMonitor, history: History, change: Undated): number | null {
  const { times, towards } = distancesOf(monitor, history, change);
  const middle = middleOf(times, towards, change);
  let sum = 0;
  let least = 0;
  let last = change.from;
  let found = null as number | null;
  times.forEach((time, index) => {
    if (time < change.from) return;
    if (sum < least) {
      least = sum;
      found = Math.round((last + time) / 2);
    }
    sum += (towards[index] as number) - middle;
    last = time;
  });
  return found;
}

/** When each sample was taken, and how far it is from the middle of both levels, towards the new one, clipped. */
function distancesOf(monitor: MetricMonitor, history: History, { before, effect }: Undated) {
  const centre = before + onsetDivide * effect;
  const most = Math.max(onsetWinsorFloor, onsetWinsor * Math.abs(effect / 2));
  const times: number[] = [];
  const towards: number[] = [];
  eachSample(unpack(history), monitor.place, (time, log) => {
    const off = log - shapeAt(monitor, time) - centre;
    times.push(time);
    towards.push(Math.max(-most, Math.min(most, off)) * Math.sign(effect));
  });
  return { times, towards };
}

/**
 * What divides both sides as clipped samples themselves have them: on a series of two modes, or one that changes often, their
 * means are not the levels of the half hours. 0, what divides by definition, where the samples do not separate them.
 */
function middleOf(times: number[], towards: number[], { since, start }: Undated): number {
  const early = { sum: 0, count: 0 };
  const late = { sum: 0, count: 0 };
  towards.forEach((distance, index) => {
    const time = times[index] as number;
    const side = time >= start ? late : time >= since && time < start - onsetLeadSeconds ? early : null;
    if (side === null) return;
    side.sum += distance;
    side.count += 1;
  });
  if (Math.min(early.count, late.count) < onsetLeastSamples) return 0;
  const [before, after] = [early.sum / early.count, late.sum / late.count];
  return after - before >= onsetLeastDistance * onsetWinsorFloor ? before + onsetDivide * (after - before) : 0;
}
