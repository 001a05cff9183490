import { isOfThePath } from '../causes/causes.ts';
import { type Contrast, tlsMs } from '../causes/contrast.ts';
import {
  alikeRatio,
  freshPeriods,
  freshSeconds,
  pairLeastSamples,
  pooledEvidenceCap,
  pooledEvidenceFloor,
  pooledLeastMembers,
  pooledThreshold,
  pooledThresholdWeak,
  youngPeriods,
  youngSeconds,
} from '../parameters.ts';
import { type Group, placeIn, type Roster } from '../series/groups.ts';
import { contrastAt, type Line } from '../series/series.ts';
import { medianOf } from '../statistics.ts';

/**
 * The lines of a group that together show a spike which each of them alone does not show yet: at least three vantages
 * (targets, at one vantage) whose newest sample exceeded, such that their summed evidence, less the logarithm of the number
 * of ways to choose as many of the group (a scan statistic's price), is enough. A line of one sample takes part where that
 * is in keeping with the others'. None where they do not.
 */
export function pooledSpike(roster: Roster, group: Group, now: number): number[] {
  const fresh = group.lines.filter((index) => isFresh(roster.at(index), now));
  const freshLines = fresh.map((index) => roster.at(index));
  const showing = fresh.filter((index) => mayBePooled(roster.at(index)) && isYoung(roster.at(index), now));
  const isEnough = (some: number[]) =>
    isTogether(
      group,
      freshLines,
      some.map((index) => roster.at(index)),
    );
  if (showing.every((index) => roster.at(index).tls.spike.open) || !isEnough(showing)) return [];
  const alike = inKeeping(roster, showing);
  return alike.length === showing.length || isEnough(alike) ? alike : [];
}

function isTogether(group: Group, fresh: readonly Line[], showing: readonly Line[]): boolean {
  const places = new Map<string, number>();
  for (const line of showing) {
    const place = placeIn(group, line);
    places.set(place, Math.max(places.get(place) ?? 0, Math.min(line.tls.spike.evidence, pooledEvidenceCap)));
  }
  const asked = evidenceAsked(group, showing, places.size);
  const all = new Set(fresh.map((line) => placeIn(group, line))).size;
  let evidence = -logChoose(all, places.size);
  for (const value of places.values()) evidence += value;
  return evidence >= asked;
}

/**
 * Without lines whose one sample is not what the others' middle is: lost segments come by chance in an incident too. Of a
 * pair each must be like the other, however many samples it has.
 */
function inKeeping(roster: Roster, showing: number[]): number[] {
  const moved = new Map(
    showing.map((index) => [index, contrastAt(roster.at(index), roster.at(index).tls.spike.runStart)]),
  );
  return showing.filter((index) => {
    const own = moved.get(index);
    const isSure = showing.length > 2 && roster.at(index).tls.spike.exceeding >= pairLeastSamples;
    if (isSure || !own) return true;
    return isLike(
      own,
      showing.flatMap((other) => (other === index ? [] : (moved.get(other) ?? []))),
    );
  });
}

/** By logarithms or by milliseconds, and with connect where that is what moved. */
function isLike(own: Contrast, others: readonly Contrast[]): boolean {
  if (others.length === 0) return true;
  if (isOfThePath(others) && !isOfThePath([own])) return false;
  const isNear = (value: (contrast: Contrast) => number) => {
    const ratio = value(own) / medianOf(others.map(value));
    return ratio > 1 / alikeRatio && ratio < alikeRatio;
  };
  return isNear(({ tls }) => tls) || isNear(tlsMs);
}

/** Of lines that show something at so many places; infinite where they do not confirm each other. */
function evidenceAsked({ kind }: Group, showing: readonly Line[], places: number): number {
  // What a carrier's lines, or a vantage's, have in common is the path: unless connect moved along, they agree by chance.
  const likely = kind === 'target' || showing.every(({ tls }) => tls.witnessed);
  const lasting = showing.every(({ tls }) => tls.spike.exceeding >= pairLeastSamples);
  // One hiccup of a vantage is in all of its targets' samples at once.
  if (places >= pooledLeastMembers && kind !== 'vantage') return likely ? pooledThreshold : pooledThresholdWeak;
  return places >= 2 && likely && lasting ? pooledThresholdWeak : Number.POSITIVE_INFINITY;
}

/** Only what began together is one event: a line with an odd sample does not join an old one. */
function isYoung({ tls, period }: Line, now: number): boolean {
  return now - tls.spike.runStart <= Math.max(youngSeconds, youngPeriods * period);
}

/** Whether a line's newest sample is one that may count. */
export function mayBePooled({ tls }: Line): boolean {
  return tls.lastExceeded && tls.spike.evidence >= pooledEvidenceFloor;
}

function isFresh(line: Line, now: number): boolean {
  return now - line.last <= Math.max(freshSeconds, freshPeriods * line.period);
}

/** Natural logarithm of the binomial coefficient. */
function logChoose(n: number, k: number): number {
  let sum = 0;
  for (let step = 1; step <= k; step++) sum += Math.log((n - k + step) / step);
  return sum;
}
