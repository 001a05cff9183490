import type { ClosedSpike, Detection, OpenSpike } from '#analysis/detection/detection.ts';
import { createDetector, type Detector } from '#analysis/detection/detector.ts';
import type { LineSample } from '#analysis/detection/sample.ts';
import type { VantageLabels } from '#server/vantages/labels.ts';
import type { CheckSample } from './samples.ts';
import { placeOf, seriesOf } from './series.ts';
import type { Tick } from './tick.ts';
import { offsetOfCountry } from './time-zone.ts';

const OPTIONS: Parameters<typeof createDetector>[0] = {
  spikesOn: ['tls', 'connect', 'firstByte', 'failures'],
  offsetOf: (series, timestamp) => offsetOfCountry(placeOf(series).country, timestamp),
};

/**
 * The detector, fed by ticks. The same ticks give the same detections, whether they come from the results or, after a
 * restart, from the log.
 */
export class Engine {
  readonly #detector: Detector;
  readonly #numbers = new Map<string, number>();
  /** When each line had its newest sample, seconds since 1970. */
  readonly #newest = new Map<number, number>();

  /** Goes on from what `state` gave: texts to be taken before the next tick. */
  constructor(frozen?: Iterable<string>) {
    this.#detector = createDetector(OPTIONS, frozen);
  }

  /** Makes a tick of what was read; samples of vantages that are gone, and second ones within a second, are left out. */
  prepare(range: Pick<Tick, 'seq' | 'from' | 'to'>, read: CheckSample[], vantages: Map<string, VantageLabels>): Tick {
    const tick: Tick = { ...range, lines: [], samples: [], count: read.length };
    const last = new Map<number, number>();
    for (const { targetId, vantageId, sample } of read) {
      const vantage = vantages.get(vantageId);
      if (!vantage) continue;
      const line = this.#lineOf(targetId, vantage, tick);
      if (last.get(line) === sample.timestamp) continue;
      last.set(line, sample.timestamp);
      tick.samples.push({ line, sample });
    }
    return tick;
  }

  /** Consumes a tick; what it raises, in order. `closed` is to be read after each. */
  *play(tick: Tick): Generator<Detection[]> {
    for (const series of tick.lines) this.#detector.line(series);
    let instant: LineSample[] = [];
    for (const each of tick.samples) {
      this.#newest.set(each.line, each.sample.timestamp);
      const [first] = instant;
      if (first && first.sample.timestamp !== each.sample.timestamp) {
        yield this.#detector.advance(first.sample.timestamp, instant);
        instant = [];
      }
      instant.push(each);
    }
    const [first] = instant;
    if (first) yield this.#detector.advance(first.sample.timestamp, instant);
  }

  /** The spikes that what was played last showed to be over. */
  closed(): ClosedSpike[] {
    return this.#detector.closed();
  }

  /** The spikes that are under way. */
  open(): OpenSpike[] {
    return this.#detector.open();
  }

  /** How many lines had a sample since an instant. */
  linesSince(instant: number): number {
    let count = 0;
    for (const at of this.#newest.values()) if (at >= instant) count += 1;
    return count;
  }

  state(): Iterable<string> {
    return this.#detector.state();
  }

  #lineOf(targetId: string, vantage: VantageLabels, tick: Tick): number {
    const series = seriesOf(targetId, vantage);
    const key = `${targetId} ${series.province} ${series.carrier}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const line = this.#detector.line(series);
    this.#numbers.set(key, line);
    tick.lines.push(series);
    return line;
  }
}
