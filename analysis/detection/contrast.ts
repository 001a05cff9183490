import { type HalfHours, placeOfSlot } from './half-hours.ts';
import { meanOf, medianOf } from './order-statistics.ts';

/** What a change did to a line's phases. */
export type Contrast = {
  /** Natural logarithms of after / before. */
  tls: number;
  connect: number;
  /** ms after less ms before, of TLS and of the server's time to think. */
  tlsMs: number;
  thinkMs: number;
  /** Connect before, ms: one round trip. */
  roundTrip: number;
  /** Standard deviation of one sample's time to think, ms, or of a half hour's; what a difference must exceed. */
  thinkNoise: number;
};

/** One probe as a contrast needs it; NaN where a phase did not happen. */
export type Phases = { tls: number; connect: number; think: number };

/** Between the samples before a spike and those in it. Null where there is nothing to compare. */
export function contrastOfSamples(before: readonly Phases[], during: readonly Phases[]): Contrast | null {
  const middle = (samples: readonly Phases[], phase: keyof Phases) =>
    medianOf(samples.map((sample) => sample[phase]).filter((value) => !Number.isNaN(value)));
  const [tls, tlsAfter] = [middle(before, 'tls'), middle(during, 'tls')];
  const [connect, connectAfter] = [middle(before, 'connect'), middle(during, 'connect')];
  const [think, thinkAfter] = [middle(before, 'think'), middle(during, 'think')];
  if (Number.isNaN(tls) || Number.isNaN(tlsAfter)) return null;
  const known = before.map((sample) => sample.think).filter((value) => !Number.isNaN(value));
  return {
    tls: Math.log(tlsAfter / tls),
    connect: zeroUnlessKnown(Math.log(connectAfter / connect)),
    tlsMs: tlsAfter - tls,
    thinkMs: zeroUnlessKnown(thinkAfter - think),
    roundTrip: connect,
    thinkNoise:
      zeroUnlessKnown(1.4826 * medianOf(known.map((value) => Math.abs(value - think)))) / Math.sqrt(during.length),
  };
}

/**
 * Between the half hours [from, to] and the same hours of the day or two before, where those are after `since`; else all
 * between `since` and `from`.
 */
export function contrastOfHalfHours(halfHours: HalfHours, since: number, from: number, to: number): Contrast | null {
  const tls = moved(halfHours, halfHours.mean, since, from, to);
  const connect = moved(halfHours, halfHours.connect, since, from, to);
  const think = moved(halfHours, halfHours.think, since, from, to);
  if (Number.isNaN(tls.by)) return null;
  const ms = Math.exp(tls.before);
  return {
    tls: tls.by,
    connect: zeroUnlessKnown(connect.by),
    tlsMs: ms * Math.expm1(tls.by),
    thinkMs: zeroUnlessKnown(think.by),
    roundTrip: Math.exp(connect.before),
    thinkNoise: zeroUnlessKnown(think.noise),
  };
}

function moved(halfHours: HalfHours, table: Float32Array, since: number, from: number, to: number) {
  const value = (slot: number) => {
    const place = placeOfSlot(halfHours, slot);
    return place < 0 || slot < since ? Number.NaN : (table[place] as number);
  };
  const known = (values: number[]) => values.filter((each) => !Number.isNaN(each));
  const earlier = known(Array.from({ length: Math.min(96, from - since) }, (_, step) => value(from - 1 - step)));
  const before = medianOf(earlier);
  const differences: number[] = [];
  for (let slot = from; slot <= to; slot++) {
    // The same hours of days before take the shape of the day away.
    const days = known([1, 2].map((day) => (slot - 48 * day < from ? value(slot - 48 * day) : Number.NaN)));
    const difference = value(slot) - (days.length > 0 ? meanOf(days) : before);
    if (!Number.isNaN(difference)) differences.push(difference);
  }
  const noise = (1.4826 * medianOf(earlier.map((each) => Math.abs(each - before)))) / Math.sqrt(differences.length);
  return { by: medianOf(differences), before, noise };
}

function zeroUnlessKnown(value: number): number {
  return Number.isFinite(value) ? value : 0;
}
