// Why a time moved. `contrast.ts` compares a series before and after an onset, phase by phase: from the last probes for a
// spike, from half hours for a lasting change. `causeOf` judges one series with its siblings (the same target elsewhere),
// `causeOfGroup` several series that were raised together.

import type { Cause } from '../detection.ts';
import {
  leastRepeats,
  leastTogether,
  repeatedSynShare,
  roundTripVariation,
  serverShare,
  sigmaLimit,
} from '../parameters.ts';
import { meanOf, medianOf, weightedMedian } from '../statistics.ts';
import { type Contrast, tlsMs } from './contrast.ts';

/**
 * Why TLS time moved on a series; `siblings` are what the same hours did to the same target's other series. Connect, then
 * the server's think time; where neither moved, it is the structure of the handshake.
 */
export function causeOf(own: Contrast, siblings: readonly Contrast[]): Cause {
  if (isOfThePath([own])) return 'network';
  const moved = siblings.filter((each) => movedAlong(each, own));
  // Siblings that moved as well are the same change seen again: their median is surer than one series.
  const shared = moved.length >= 2 && moved.length >= siblings.length / 2;
  const all = shared ? [own, ...moved] : [own];
  return asksTwice(all) ? 'network' : causeAtTheEnd(all, isWhole(own));
}

/**
 * Why TLS time moved on series that an alert raises together, each with a sample or two: by medians, since one lost segment
 * outweighs all else on a series of one sample. `all` are of one target, or what the path did shows in most.
 */
export function causeOfGroup(all: readonly Contrast[]): Cause {
  if (isOfThePath(all)) return 'network';
  return causeAtTheEnd(all, all.filter(isWhole).length > all.length / 2);
}

/** Whether TCP connect moved by half of TLS time or more on most series, or their connections are asked for twice. */
export function isOfThePath(all: readonly Contrast[]): boolean {
  return medianOf(all.map((each) => each.tcp / each.tls)) >= 1 / 2 || asksTwice(all);
}

/** Whether connect and the server's think time moved both: what a prober that waits for its processor sees of every target. */
export function isOfProber(own: Contrast): boolean {
  const { thinkMs, thinkNoise } = own;
  if (thinkMs === null || own.tcp <= 0) return false;
  return thinkMs >= serverShare * tlsMs(own) && thinkMs > sigmaLimit * thinkNoise;
}

/** Whether more SYNs than before had to be sent again. */
function asksTwice(all: readonly Contrast[]): boolean {
  const [count, of] = [
    sumOf(all, ({ repeatedSyns }) => repeatedSyns.count),
    sumOf(all, (each) => each.repeatedSyns.of),
  ];
  return count >= leastRepeats && count >= repeatedSynShare * of;
}

/**
 * What is not of the path: work at the server shows in the first byte as well. More TLS time without it is the structure of the
 * handshake: round trips, the certificate, a wait for a staple. `whole`: milliseconds are whole round trips.
 */
function causeAtTheEnd(all: readonly Contrast[], whole: boolean): Cause {
  const known = all.filter((each): each is Contrast & { thinkMs: number } => each.thinkMs !== null);
  const structure = structureOf(all);
  if (known.length < all.length / 2) return structure ?? (whole ? 'tls' : 'server');
  if (medianOf(known.map((each) => each.thinkMs / tlsMs(each))) < serverShare) return 'tls';
  const isSure = medianOf(known.map((each) => Math.abs(each.thinkMs) - sigmaLimit * each.thinkNoise)) > 0;
  return isSure ? 'server' : (structure ?? (whole ? 'tls' : 'server'));
}

const sumOf = (all: readonly Contrast[], part: (contrast: Contrast) => number) =>
  all.reduce((sum, each) => sum + part(each), 0);

/** By more than half as much, in the logarithm or in milliseconds: the same milliseconds are little of a long round trip. */
function movedAlong(each: Contrast, own: Contrast): boolean {
  return Math.max(each.tls / own.tls, tlsMs(each) / tlsMs(own)) > 1 / 2;
}

/**
 * Whether milliseconds grow with the round trip from series to series: the weighted median of all pairs' slopes of logarithms
 * (Theil and Sen) is 1 for whole round trips and 0 for work. Null where round trips are too much alike.
 */
function structureOf(all: readonly Contrast[]): 'tls' | 'server' | null {
  const usable = all.filter((each) => each.roundTrip > 0 && tlsMs(each) / each.tls > 0);
  if (usable.length < leastTogether || variation(usable.map(({ roundTrip }) => roundTrip)) <= roundTripVariation)
    return null;
  const slopes = usable.flatMap((one, index) => usable.slice(0, index).flatMap((other) => slopeOf(one, other) ?? []));
  return slopes.length > 0 && weightedMedian(slopes) > 1 / 2 ? 'tls' : 'server';
}

type Slope = { value: number; weight: number };

/** Null of two series whose round trips are too much alike. */
function slopeOf(one: Contrast, other: Contrast): Slope | null {
  const trips = Math.log(one.roundTrip / other.roundTrip);
  if (Math.abs(trips) < roundTripVariation) return null;
  return { value: Math.log(Math.abs(tlsMs(one) / tlsMs(other))) / trips, weight: Math.abs(trips) };
}

/** Coefficient of variation. */
function variation(values: number[]): number {
  const mean = meanOf(values);
  return Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2))) / Math.abs(mean);
}

/** Whether the quartile that moved most moved by whole round trips: all handshakes, or some of them, take one more or less. */
function isWhole({ quartilesMs, roundTrip }: Contrast): boolean {
  const trips = Math.max(...quartilesMs.map(Math.abs)) / roundTrip;
  return Math.round(trips) > 0 && Math.abs(trips - Math.round(trips)) <= roundTripVariation;
}
