// The detector (analysis/detection) over the results in PostgreSQL. server/pipeline conducts; this room does the parts:
// read-samples.ts reads what was measured since the last tick, tick.ts makes a tick of it, with labels of the vantages as they
// then were, and log.ts writes the tick down before anything is found in it. consume.ts feeds it to the engine (this file),
// which keeps the detector's state. checkpoint.ts stores that state, so that after a restart only the log since is consumed
// again. late-results.ts notes which half hours got results after they were consumed; these are read again and replaced, by a
// tick of their own kind, before the next half hour ends. levels.ts measures the levels before and after what was found, in the
// results themselves. status.ts and metrics.ts say how far the detector is; time-zone.ts where a country's evening is.

import type { BusyProber, ClosedSpike, Detection, GroupChange, OpenSpike } from '#analysis/detection/detection.ts';
import { createDetector, type Detector, type DetectorOptions, resumeDetector } from '#analysis/detection/detector.ts';
import type { Sample, Series, SeriesSample } from '#analysis/detection/sample.ts';
import type { Frozen } from '#analysis/detection/state.ts';
import { WATCHED_METRICS } from '#contract/vocabulary.ts';
import type { VantageLabels } from '#server/vantages/labels.ts';
import type { CheckSample } from './read-samples.ts';
import { loggable, type Tick } from './tick.ts';
import { offsetOfCountry } from './time-zone.ts';

const OPTIONS: DetectorOptions = {
  spikesOn: WATCHED_METRICS,
  offsetOf: ({ country }, timestamp) => offsetOfCountry(country, timestamp),
};

/**
 * The detector, fed by ticks. The same ticks give the same detections, whether they come from the results or, after a
 * restart, from the log.
 */
export class Engine {
  readonly #detector: Detector;
  readonly #indexes = new Map<string, number>();
  /** When each series had its newest sample, seconds since 1970. */
  #newest = new Map<number, number>();

  constructor(detector = createDetector(OPTIONS)) {
    this.#detector = detector;
  }

  /** Goes on from what `state` gave, a step a series. */
  static *resuming(frozen: Frozen): Generator<void, Engine> {
    return new Engine(yield* resumeDetector(OPTIONS, frozen));
  }

  /** Makes a tick of what was read; samples of vantages that are gone, and second ones within a second, are left out: of two a clean one stays. */
  prepare(range: Pick<Tick, 'seq' | 'from' | 'to'>, read: CheckSample[], vantages: Map<string, VantageLabels>): Tick {
    const tick: Tick = { ...range, series: [], samples: [], count: read.length };
    const last = new Map<number, number>();
    for (const { targetId, vantageId, variant, sample: measured } of read) {
      const vantage = vantages.get(vantageId);
      if (!vantage) continue;
      const sample = loggable(measured);
      const index = this.#indexOf(targetId, vantage, variant, tick);
      const place = last.get(index) ?? -1;
      const before = tick.samples[place]?.sample;
      if (before?.timestamp === sample.timestamp) {
        if (before.clean === false && sample.clean !== false) tick.samples[place] = { index, sample };
        continue;
      }
      last.set(index, tick.samples.push({ index, sample }) - 1);
    }
    return tick;
  }

  /** The half hour (of 1,800 s since 1970) that is being filled: those before it are over. -1 before the first sample. */
  slot(): number {
    return this.#detector.slot();
  }

  /**
   * Makes a tick of one half hour that is over, of all that was measured in it at the series of some targets by now.
   * `at` is up to where results were consumed.
   */
  prepareLate(
    { seq, at, slot }: { seq: number; at: number; slot: number },
    read: CheckSample[],
    vantages: Map<string, VantageLabels>,
  ): Tick {
    const prepared = this.prepare({ seq, from: at, to: at }, read, vantages);
    const bySeries = new Map<number, Sample[]>();
    for (const { index, sample } of prepared.samples) {
      const samples = bySeries.get(index);
      if (samples) samples.push(sample);
      else bySeries.set(index, [sample]);
    }
    const late = [...bySeries].flatMap(([index, samples]) => this.#detector.lateHalfHour(index, slot, samples) ?? []);
    return { ...prepared, samples: [], count: 0, late };
  }

  /** Consumes a tick; what it raises, in order. `closed` is to be read after each. */
  *consumeTick(tick: Tick): Generator<Detection[]> {
    for (const found of this.consuming(tick)) if (found !== null) yield found;
  }

  /** The same in steps of about a millisecond: null for one after which an instant is not over yet. */
  *consuming(tick: Tick): Generator<Detection[] | null> {
    const slot = this.slot();
    for (const series of tick.series) this.#detector.indexOf(series);
    if (tick.late) this.#detector.putLate(tick.late);
    for (const instant of instantsOf(tick)) {
      const [first] = instant as [SeriesSample];
      for (const { index } of instant) this.#newest.set(index, first.sample.timestamp);
      const steps = this.#detector.advancing(first.sample.timestamp, instant);
      let step = steps.next();
      for (; !step.done; step = steps.next()) yield null;
      yield step.value;
    }
    // No earlier: samples of this tick name series by the earlier indexes.
    if (this.slot() !== slot) this.#forget();
  }

  #forget(): void {
    const moved = this.#detector.forget();
    if (moved === null) return;
    const newest = [...this.#newest].flatMap(([index, at]): [number, number][] => {
      const now = moved.get(index);
      return now === undefined ? [] : [[now, at]];
    });
    this.#newest = new Map(newest);
    this.#indexes.clear();
  }

  /** The spikes that the last instant consumed showed to be over. */
  closed(): ClosedSpike[] {
    return this.#detector.closed();
  }

  /** What the last instant consumed did to groups. */
  changes(): GroupChange[] {
    return this.#detector.changes();
  }

  /** When each vantage's prober was busy last, of those that ever were. */
  busy(): BusyProber[] {
    return this.#detector.busy();
  }

  /** The spikes that are under way. */
  open(): OpenSpike[] {
    return this.#detector.open();
  }

  /** How many series had a sample since an instant. */
  seriesSince(instant: number): number {
    let count = 0;
    for (const at of this.#newest.values()) if (at >= instant) count += 1;
    return count;
  }

  state(): Iterable<Uint8Array<ArrayBuffer>> {
    return this.#detector.state();
  }

  #indexOf(target: string, labels: VantageLabels, variant: Series['variant'], tick: Tick): number {
    const { id: vantage, country, region, carrier } = labels;
    const key = `${target} ${vantage} ${country} ${region} ${carrier} ${variant ?? ''}`;
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    const series: Series = { target, vantage, country, region, carrier, ...(variant && { variant }) };
    const index = this.#detector.indexOf(series);
    this.#indexes.set(key, index);
    tick.series.push(series);
    return index;
  }
}

/** The samples of a tick, those of one second together. */
function* instantsOf({ samples }: Tick): Generator<SeriesSample[]> {
  let instant: SeriesSample[] = [];
  for (const each of samples) {
    const [first] = instant;
    if (first && first.sample.timestamp !== each.sample.timestamp) {
      yield instant;
      instant = [];
    }
    instant.push(each);
  }
  if (instant.length > 0) yield instant;
}
