import type { Sample, Series } from '#analysis/detection/sample.ts';

/** One series' samples, column by column: 21 bytes a sample. NaN where a phase did not happen. */
export class Columns {
  readonly series: Series;
  length = 0;
  /** Samples that came after a later one of the series. */
  early = 0;
  #timestamps = new Float64Array(256);
  #phases = new Float32Array(3 * 256);
  #ok = new Uint8Array(256);
  #latest = 0;

  constructor(series: Series) {
    this.series = series;
  }

  add({ timestamp, tcp, tls, firstByte, ok }: Sample): void {
    if (this.length === this.#ok.length) this.#resize(2 * this.length);
    if (this.length > 0 && timestamp < this.#latest) this.early += 1;
    this.#latest = Math.max(this.#latest, timestamp);
    this.#timestamps[this.length] = timestamp;
    this.#phases.set([tcp ?? Number.NaN, tls ?? Number.NaN, firstByte ?? Number.NaN], 3 * this.length);
    this.#ok[this.length] = ok ? 1 : 0;
    this.length += 1;
  }

  /** Ends the input: gives back what is too much, and puts what came early in its place; of one second as they came. */
  end(): void {
    this.#resize(this.length);
    if (this.early > 0) this.#sort();
  }

  timestampAt(index: number): number {
    return this.#timestamps[index] as number;
  }

  sampleAt(index: number): Sample {
    const phase = (which: number) => {
      const value = this.#phases[3 * index + which] as number;
      return Number.isNaN(value) ? null : value;
    };
    return {
      timestamp: this.timestampAt(index),
      tcp: phase(0),
      tls: phase(1),
      firstByte: phase(2),
      ok: this.#ok[index] === 1,
    };
  }

  #sort(): void {
    const [timestamps, phases, ok] = [this.#timestamps, this.#phases.slice(), this.#ok.slice()];
    const order = Uint32Array.from(ok.keys()).sort(
      (a, b) => (timestamps[a] as number) - (timestamps[b] as number) || a - b,
    );
    this.#timestamps = timestamps.toSorted();
    order.forEach((from, to) => {
      this.#phases.set(phases.subarray(3 * from, 3 * from + 3), 3 * to);
      this.#ok[to] = ok[from] as number;
    });
  }

  #resize(length: number): void {
    const from = { timestamps: this.#timestamps, phases: this.#phases, ok: this.#ok };
    this.#timestamps = new Float64Array(length);
    this.#phases = new Float32Array(3 * length);
    this.#ok = new Uint8Array(length);
    this.#timestamps.set(from.timestamps.subarray(0, length));
    this.#phases.set(from.phases.subarray(0, 3 * length));
    this.#ok.set(from.ok.subarray(0, length));
  }
}
