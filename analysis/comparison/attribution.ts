import type { ComparisonAttribution, ComparisonInterval, Milestone, Setting } from '#contract/comparison.ts';
import { type Flip, usualOf } from './posture.ts';
import type { Sample } from './sample.ts';

// What flipped is the only thing that may be called the cause, and only where it predicts what was measured. Two flips that each
// cost round trips cannot be told apart by one comparison.

/** Round trips within which prediction and measurement agree, and beyond which an interval tells nothing. */
const AGREES = 0.15;
const TOO_WIDE = 0.5;

/** Round trips that a flip adds to a milestone; null where that can't be said. */
export type Prediction = { roundTrips: number; by: 'model' | 'table' };
export type Predict = (flip: Flip, milestone: Milestone) => Prediction | null;
/** How it is predicted between some samples before and some after. */
export type Predicting = (before: readonly Sample[], after: readonly Sample[]) => Predict;

/** Holds what was measured (round trips added, with its interval) against what the flips predict. */
export function attribute(
  flips: readonly Flip[],
  milestone: Milestone,
  measured: ComparisonInterval | null,
  predict: Predict,
): ComparisonAttribution {
  const predicted = flips.map((flip) => ({
    ...flip,
    predicted: flip.partOf === null ? predict(flip, milestone) : null,
  }));
  const own = predicted.filter(({ partOf }) => partOf === null);
  const rivals = own.filter((flip) => flip.predicted !== null && Math.abs(flip.predicted.roundTrips) > AGREES);
  const unknown = own.filter((flip) => flip.predicted === null);
  const [cause] = rivals.length === 1 ? rivals : own.length === 1 ? own : [];
  const answer = {
    cause: cause?.setting ?? null,
    flips: predicted,
    measured: measured?.value ?? null,
    predicted:
      rivals.length > 1
        ? null
        : cause
          ? (cause.predicted?.roundTrips ?? null)
          : own.length > unknown.length || own.length === 0
            ? 0
            : null,
  };
  return { ...answer, verdict: verdictOf() };

  function verdictOf(): ComparisonAttribution['verdict'] {
    if (own.length === 0) return 'nothing_flipped';
    if (rivals.length > 1 || measured === null) return 'cant_tell';
    const half = (measured.high - measured.low) / 2;
    if (half > TOO_WIDE) return 'cant_tell';
    const agrees = answer.predicted !== null && Math.abs(measured.value - answer.predicted) <= Math.max(AGREES, half);
    if (agrees) return 'explained';
    // What nothing is known of may have done it.
    return unknown.length > 0 ? 'cant_tell' : 'not_explained';
  }
}

/** Linux's initial congestion window in segments (RFC 6928), and the bytes of a segment on Ethernet. */
const USUAL_WINDOW = 10;
const MSS = 1_448;
/** What the server's flight holds beyond its chain. */
const FLIGHT_OVERHEAD = 500;

/**
 * The table of docs/measuring.md for clients without False Start, which probers are: what a flip costs or saves where that can be
 * said without replaying the flight.
 */
export function tableOf(before: readonly Sample[], after: readonly Sample[]): Predict {
  const table = (flip: Flip, milestone: Milestone): number | null => {
    const { setting } = flip;
    const gain = (value: string) => Number(flip.after === value) - Number(flip.before === value);
    const windows = [before, after].map((samples) => numberOr(usualOf(samples, 'serverWindow'), USUAL_WINDOW)) as [
      number,
      number,
    ];
    if (setting === 'version') return (gain('TLSv1.2') + gain('TLSv1.1') + gain('TLSv1')) * isFull(before, after);
    if (setting === 'helloRetry' || setting === 'nagle') return gain('yes');
    if (setting === 'group') return retries(after) - retries(before);
    if (setting === 'resumed') return usualOf(after, 'version') === 'TLSv1.3' ? 0 : -gain('yes');
    if (setting === 'keyType' || setting === 'chainBytes' || setting === 'issuer') {
      const [early, late] = [before, after].map((samples) => usualOf(samples, 'chainBytes'));
      if (milestone === 'total' || typeof early !== 'number' || typeof late !== 'number') return null;
      return roundsOf(late + FLIGHT_OVERHEAD, windows[1]) - roundsOf(early + FLIGHT_OVERHEAD, windows[0]);
    }
    if (setting === 'recordBytes') {
      if (milestone === 'handshake' || milestone === 'total') return 0;
      return roundsOf(Number(flip.after), windows[1]) - roundsOf(Number(flip.before), windows[0]);
    }
    return FREE.has(setting) ? 0 : null;
  };
  return (flip, milestone) => {
    const roundTrips = table(flip, milestone);
    return roundTrips === null ? null : { roundTrips, by: 'table' };
  };
}

/** Settings that cost a probe's first request nothing that is counted in round trips. */
const FREE = new Set<Setting>([
  'alpn',
  'cipher',
  'keyExchange',
  'certificate',
  'tickets',
  'keepAlive',
  'altSvc',
  'staple',
]);

const numberOr = (value: string | number | null, otherwise: number) => (typeof value === 'number' ? value : otherwise);
const retries = (samples: readonly Sample[]) => Number(usualOf(samples, 'helloRetry') === 'yes');
const isFull = (before: readonly Sample[], after: readonly Sample[]) =>
  Number(usualOf(before, 'resumed') !== 'yes' && usualOf(after, 'resumed') !== 'yes');

/** Round trips in which slow start sends so many bytes: the window doubles with each. */
const roundsOf = (bytes: number, window: number) =>
  Math.max(1, Math.ceil(Math.log2(Math.ceil(bytes / MSS) / window + 1)));
