import { isOfThePath } from '../causes/causes.ts';
import { type Contrast, tlsMs } from '../causes/contrast.ts';
import { type Group, placeIn, type Roster } from '../series/groups.ts';
import { contrastAt, type Line } from '../series/series.ts';
import { medianOf } from '../statistics.ts';

/** A pooled alert needs so many places, and together more evidence than the choice of them out of all explains. */
const LEAST_PLACES = 3;
const POOLED_ALERT_AT = 12.5;
/** Two places do where each of their lines has shown two samples, and there is more evidence. */
const PAIR_SAMPLES = 2;
const SURE_ALERT_AT = 15;
/** A line takes part with at least one sample that exceeds on a line that seldom does, and with no more than this. */
const LEAST_EVIDENCE = 5;
const MOST_EVIDENCE = 14;
/** A single sample is in keeping with others where it moved, in the logarithm or in ms, by no more than so many times them. */
const IN_KEEPING = 2;
/** A sample is news for so many periods. */
const FRESH_PERIODS = 1.5;
/** A run that began longer ago than both is not part of a beginning; seconds, periods. */
const YOUNG = 300;
const YOUNG_PERIODS = 3;

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
    places.set(place, Math.max(places.get(place) ?? 0, Math.min(line.tls.spike.evidence, MOST_EVIDENCE)));
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
    const isSure = showing.length > 2 && roster.at(index).tls.spike.exceeding >= PAIR_SAMPLES;
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
    return ratio > 1 / IN_KEEPING && ratio < IN_KEEPING;
  };
  return isNear(({ tls }) => tls) || isNear(tlsMs);
}

/** Of lines that show something at so many places; infinite where they do not confirm each other. */
function evidenceAsked({ kind }: Group, showing: readonly Line[], places: number): number {
  // What a carrier's lines, or a vantage's, have in common is the path: unless connect moved along, they agree by chance.
  const likely = kind === 'target' || showing.every(({ tls }) => tls.witnessed);
  const lasting = showing.every(({ tls }) => tls.spike.exceeding >= PAIR_SAMPLES);
  // One hiccup of a vantage is in all of its targets' samples at once.
  if (places >= LEAST_PLACES && kind !== 'vantage') return likely ? POOLED_ALERT_AT : SURE_ALERT_AT;
  return places >= 2 && likely && lasting ? SURE_ALERT_AT : Number.POSITIVE_INFINITY;
}

/** Only what began together is one event: a line with an odd sample does not join an old one. */
function isYoung({ tls, period }: Line, now: number): boolean {
  return now - tls.spike.runStart <= Math.max(YOUNG, YOUNG_PERIODS * period);
}

/** Whether a line's newest sample is one that may count. */
export function mayBePooled({ tls }: Line): boolean {
  return tls.lastExceeded && tls.spike.evidence >= LEAST_EVIDENCE;
}

function isFresh(line: Line, now: number): boolean {
  return now - line.last <= Math.max(60, FRESH_PERIODS * line.period);
}

/** Natural logarithm of the binomial coefficient. */
function logChoose(n: number, k: number): number {
  let sum = 0;
  for (let step = 1; step <= k; step++) sum += Math.log((n - k + step) / step);
  return sum;
}
