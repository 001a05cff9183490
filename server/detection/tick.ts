import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { LineSample, Series } from '#analysis/detection/sample.ts';

/**
 * What the detector consumes at once: all samples of [from, to), seconds since 1970. `lines` are the series it may not
 * know yet, in the order in which they are to be numbered; `count` says how many results were read.
 */
export type Tick = {
  seq: number;
  from: number;
  to: number;
  lines: Series[];
  samples: LineSample[];
  count: number;
};

/** Whole numbers a sample: line, second after `from`, then microseconds of connect, TLS and first byte, and whether ok. */
const FIELDS = 6;
const NOTHING = -1;

/** Samples as they stand in the log. */
export function packSamples({ from, samples }: Pick<Tick, 'from' | 'samples'>): Buffer {
  const numbers = new Int32Array(samples.length * FIELDS);
  samples.forEach(({ line, sample }, index) => {
    const { timestamp, connect, tls, firstByte, ok } = sample;
    numbers.set([line, timestamp - from, micros(connect), micros(tls), micros(firstByte), ok ? 1 : 0], index * FIELDS);
  });
  return zstdCompressSync(Buffer.from(numbers.buffer));
}

/** The samples that `packSamples` was given, exactly: results hold whole microseconds. */
export function unpackSamples(from: number, packed: Uint8Array): LineSample[] {
  const bytes = Uint8Array.from(zstdDecompressSync(packed));
  const numbers = new Int32Array(bytes.buffer);
  return Array.from({ length: numbers.length / FIELDS }, (_, index) => {
    const [line = 0, second = 0, connect = 0, tls = 0, firstByte = 0, ok = 0] = numbers.subarray(
      index * FIELDS,
      (index + 1) * FIELDS,
    );
    return {
      line,
      sample: {
        timestamp: from + second,
        connect: milliseconds(connect),
        tls: milliseconds(tls),
        firstByte: milliseconds(firstByte),
        ok: ok === 1,
      },
    };
  });
}

const micros = (ms: number | null) => (ms === null ? NOTHING : Math.round(ms * 1_000));
const milliseconds = (value: number) => (value === NOTHING ? null : value / 1_000);
