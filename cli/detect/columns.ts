import type { Sample, Series } from '#analysis/detection/sample.ts';

/** One series' samples, column by column: 21 bytes a sample. NaN where a phase did not happen. */
export class Columns {
  readonly series: Series;
  length = 0;
  #timestamps = new Float64Array(256);
  #phases = new Float32Array(3 * 256);
  #ok = new Uint8Array(256);

  constructor(series: Series) {
    this.series = series;
  }

  add({ timestamp, tcp, tls, firstByte, ok }: Sample): void {
    if (this.length === this.#ok.length) this.#resize(2 * this.length);
    this.#timestamps[this.length] = timestamp;
    this.#phases.set([tcp ?? Number.NaN, tls ?? Number.NaN, firstByte ?? Number.NaN], 3 * this.length);
    this.#ok[this.length] = ok ? 1 : 0;
    this.length += 1;
  }

  /** No more will come: gives back what is too much. */
  trim(): void {
    this.#resize(this.length);
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
