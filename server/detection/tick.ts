import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { LateHalfHour } from '#analysis/detection/detector.ts';
import type { Sample, Series, SeriesSample } from '#analysis/detection/sample.ts';

/**
 * What the detector consumes at once: all samples of [from, to), seconds since 1970. `series` are those it may not know
 * yet, in the order of their indexes; `count` says how many results were read. A tick of the other kind has `late` in place of
 * samples: half hours that are over, with what came late for them. Its `from` and `to` are where the detector was.
 */
export type Tick = {
  seq: number;
  from: number;
  to: number;
  series: Series[];
  samples: SeriesSample[];
  count: number;
  late?: LateHalfHour[];
};

/** Whole numbers per sample: index of the series, second after `from`, then microseconds of TCP connect, TLS and first byte, and `Flag`s. */
const FIELDS = 6;
const NOTHING = -1;
/** Bits of the last number, which was whether the sample is ok and nothing more once. Its own delay in microseconds is above them. */
const Flag = { ok: 1, offered: 2, refused: 4, unclean: 8, delayed: 16 } as const;
const FLAG_BITS = 5;
/** Microseconds: 67 seconds. */
const LONGEST_DELAY = 2 ** (31 - FLAG_BITS) - 1;

/** A sample as the log gives it again, so that it is consumed as it will be replayed: no own delay is longer than the log can say. */
export function loggable(sample: Sample): Sample {
  const { ownDelay = 0 } = sample;
  return ownDelay * 1_000 <= LONGEST_DELAY ? sample : { ...sample, ownDelay: LONGEST_DELAY / 1_000 };
}

function flagsOf({ ok, refused, clean, ownDelay }: Sample): number {
  const flags =
    (ok ? Flag.ok : 0) |
    (refused === undefined ? 0 : Flag.offered) |
    (refused ? Flag.refused : 0) |
    (clean === false ? Flag.unclean : 0) |
    (ownDelay === undefined ? 0 : Flag.delayed);
  return flags | (Math.round((ownDelay ?? 0) * 1_000) << FLAG_BITS);
}

const has = (flags: number, flag: number) => (flags & flag) !== 0;

function flagged(flags: number): Pick<Sample, 'ok' | 'refused' | 'clean' | 'ownDelay'> {
  return {
    ok: has(flags, Flag.ok),
    ...(has(flags, Flag.offered) && { refused: has(flags, Flag.refused) }),
    ...(has(flags, Flag.delayed) && { ownDelay: (flags >> FLAG_BITS) / 1_000 }),
    ...(has(flags, Flag.unclean) && { clean: false }),
  };
}

/** Samples as they stand in the log. */
export function packSamples({ from, samples }: Pick<Tick, 'from' | 'samples'>): Buffer {
  const numbers = new Int32Array(samples.length * FIELDS);
  samples.forEach(({ index, sample }, at) => {
    const { timestamp, tcp, tls, firstByte } = sample;
    const fields = [index, timestamp - from, micros(tcp), micros(tls), micros(firstByte), flagsOf(sample)];
    numbers.set(fields, at * FIELDS);
  });
  return zstdCompressSync(Buffer.from(numbers.buffer));
}

/** The samples that `packSamples` was given, exactly, where these are `loggable`: results hold whole microseconds. */
export function unpackSamples(from: number, packed: Uint8Array): SeriesSample[] {
  const bytes = Uint8Array.from(zstdDecompressSync(packed));
  const numbers = new Int32Array(bytes.buffer);
  return Array.from({ length: numbers.length / FIELDS }, (_, at) => {
    const [index = 0, second = 0, tcp = 0, tls = 0, firstByte = 0, flags = 0] = numbers.subarray(
      at * FIELDS,
      (at + 1) * FIELDS,
    );
    return {
      index,
      sample: {
        timestamp: from + second,
        tcp: milliseconds(tcp),
        tls: milliseconds(tls),
        firstByte: milliseconds(firstByte),
        ...flagged(flags),
      },
    };
  });
}

type Table = keyof LateHalfHour['halfHour']['of'];
const TABLES = ['mean', 'low', 'middle', 'high', 'tcp', 'firstByte', 'think'] as const satisfies readonly Table[];
/** Numbers per half hour: index of the series, slot, what each table has of it, and the share of samples in a spike. */
const LATE_FIELDS = 2 + TABLES.length + 1;

/** Half hours as they stand in the log. */
export function packLate(late: readonly LateHalfHour[]): Buffer {
  const numbers = new Float64Array(late.length * LATE_FIELDS);
  late.forEach(({ index, slot, halfHour: { of, share } }, at) => {
    numbers.set([index, slot, ...TABLES.map((table) => of[table]), share], at * LATE_FIELDS);
  });
  return zstdCompressSync(Buffer.from(numbers.buffer));
}

/** The half hours that `packLate` was given, exactly. */
export function unpackLate(packed: Uint8Array): LateHalfHour[] {
  const numbers = new Float64Array(Uint8Array.from(zstdDecompressSync(packed)).buffer);
  return Array.from({ length: numbers.length / LATE_FIELDS }, (_, at) => {
    const [index = 0, slot = 0, ...rest] = numbers.subarray(at * LATE_FIELDS, (at + 1) * LATE_FIELDS);
    const of = Object.fromEntries(TABLES.map((table, place) => [table, rest[place]])) as Record<Table, number>;
    return { index, slot, halfHour: { of, share: rest[TABLES.length] ?? 0 } };
  });
}

const micros = (ms: number | null) => (ms === null ? NOTHING : Math.round(ms * 1_000));
const milliseconds = (value: number) => (value === NOTHING ? null : value / 1_000);
