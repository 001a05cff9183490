import { type HalfHours, slotValue, type Table } from '../history/half-hours.ts';
import { type Phases, type Recent, splitAt } from '../history/recent.ts';
import { referenceSlots, repeatedSynMs, sigmaPerMad, slotsPerDay } from '../parameters.ts';
import { ascending, meanOf, medianOf, quantileOf } from '../statistics.ts';

/** What a change did to a series' phases. */
export type Contrast = {
  /** Natural logarithms of after / before. */
  tls: number;
  tcp: number;
  /** By how many ms the quartiles of TLS time moved, lowest first: alike where all handshakes changed, unlike where some did. */
  quartilesMs: readonly [number, number, number];
  /** By how many ms the server's think time moved; null where no first byte is known on both sides. */
  thinkMs: number | null;
  /** What such a difference must exceed to mean anything, ms. */
  thinkNoise: number;
  /** Connections whose SYN was sent again since, and how many there are: known of single samples alone. */
  repeatedSyns: { count: number; of: number };
  /** Connect before, ms: one round trip. */
  roundTrip: number;
};

/** Between the samples before `start`, none of them before `from`, and those since. Null where there is nothing to compare. */
export function contrastOfRecent(recent: Recent, start: number, from = 0): Contrast | null {
  const { before, during } = splitAt(recent, start, from);
  const values = (samples: readonly Phases[], phase: keyof Phases) =>
    ascending(samples.map((sample) => sample[phase]).filter((value) => !Number.isNaN(value)));
  const [tls, tlsDuring] = [values(before, 'tls'), values(during, 'tls')];
  const [tcp, tcpDuring] = [medianOf(values(before, 'tcp')), medianOf(values(during, 'tcp'))];
  const think = values(before, 'think');
  if (tls.length === 0 || tlsDuring.length === 0) return null;
  const middle = medianOf(think);
  const repeats = (samples: readonly Phases[]) => samples.filter((sample) => sample.tcp - tcp > repeatedSynMs).length;
  const usual = (repeats(before) / before.length) * during.length;
  const quartileMs = (q: number) => quantileOf(tlsDuring, q) - quantileOf(tls, q);
  return {
    tls: Math.log(quantileOf(tlsDuring, 0.5) / quantileOf(tls, 0.5)),
    tcp: zeroUnlessKnown(Math.log(tcpDuring / tcp)),
    quartilesMs: [quartileMs(0.25), quartileMs(0.5), quartileMs(0.75)],
    thinkMs: nullUnlessKnown(medianOf(values(during, 'think')) - middle),
    thinkNoise: zeroUnlessKnown(spreadAbout(think, middle)) / Math.sqrt(during.length),
    repeatedSyns: { count: repeats(during) - usual, of: during.length },
    roundTrip: tcp,
  };
}

/**
 * Between the half hours [from, to] and the same hours of the day or two before, where those are after `since`; else all
 * between `since` and `from`.
 */
export function contrastOfHalfHours(halfHours: HalfHours, since: number, from: number, to: number): Contrast | null {
  const tls = moved(halfHours, 'mean', since, from, to);
  const tcp = moved(halfHours, 'tcp', since, from, to);
  const think = moved(halfHours, 'think', since, from, to);
  if (Number.isNaN(tls.by)) return null;
  const [low, middle, high] = (['low', 'middle', 'high'] as const).map((table) => {
    const { before, by } = moved(halfHours, table, since, from, to);
    return Math.exp(before) * Math.expm1(by);
  }) as [number, number, number];
  return {
    tls: tls.by,
    tcp: zeroUnlessKnown(tcp.by),
    quartilesMs: [low, middle, high],
    thinkMs: nullUnlessKnown(think.by),
    thinkNoise: zeroUnlessKnown(think.noise),
    repeatedSyns: { count: 0, of: 0 },
    roundTrip: Math.exp(tcp.before),
  };
}

/** The mean of what the quartiles moved by, ms: of a mixture too it is in proportion to what the change costs. */
export function tlsMs({ quartilesMs }: Contrast): number {
  return meanOf(quartilesMs);
}

function moved(halfHours: HalfHours, table: Table, since: number, from: number, to: number) {
  const value = (slot: number) => (slot < since ? Number.NaN : slotValue(halfHours, table, slot));
  const known = (values: number[]) => values.filter((each) => !Number.isNaN(each));
  const earlier = known(
    Array.from({ length: Math.min(referenceSlots, from - since) }, (_, step) => value(from - 1 - step)),
  );
  const before = medianOf(earlier);
  const differences: number[] = [];
  for (let slot = from; slot <= to; slot++) {
    // The same hours of days before take the shape of the day away.
    const days = known(
      [1, 2].map((day) => (slot - slotsPerDay * day < from ? value(slot - slotsPerDay * day) : Number.NaN)),
    );
    const difference = value(slot) - (days.length > 0 ? meanOf(days) : before);
    if (!Number.isNaN(difference)) differences.push(difference);
  }
  const noise = spreadAbout(earlier, before) / Math.sqrt(differences.length);
  return { by: medianOf(differences), before, noise };
}

function spreadAbout(values: Iterable<number>, middle: number): number {
  return sigmaPerMad * medianOf(Array.from(values, (value) => Math.abs(value - middle)));
}

function zeroUnlessKnown(value: number): number {
  return Number.isFinite(value) ? value : 0;
}

function nullUnlessKnown(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
