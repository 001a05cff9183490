import { createHash } from 'node:crypto';
import type { Detection } from '#analysis/detection/detection.ts';
import { createDetector, type Detector } from '#analysis/detection/detector.ts';
import type { Sample, Series, SeriesSample } from '#analysis/detection/sample.ts';

/** Monday 2026-01-05, midnight in Asia/Shanghai. */
export const MONDAY = 1_767_542_400;
export const HOUR = 3_600;
export const DAY = 24 * HOUR;

/** Uniform numbers in [0, 1), always the same (mulberry32). */
export function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** What a scene changes about a sample. Factors multiply the round trip, ms are added to a phase; `silent`: no first byte. */
export type Conditions = {
  path?: number;
  tcpMs?: number;
  tlsMs?: number;
  thinkMs?: number;
  noise?: number;
  fails?: boolean;
  silent?: boolean;
  /** Of a series of resumed handshakes: the session is refused. */
  refused?: boolean;
  ownDelay?: number;
};

export type Scene = {
  days: number;
  series?: Series[];
  period?: number;
  roundTrip?: number;
  /** Standard deviation of the logarithm of a phase. */
  noise?: number;
  seed?: number;
  /** Up to here it is as other scenes are, seconds since 1970; five days and a half where left out. */
  alikeUntil?: number;
  conditions?: (timestamp: number, series: Series, random: () => number) => Conditions;
};

/** One target at one vantage of a region. */
export function seriesIn(region: string, target = 'shop', carrier = 'telecom'): Series {
  return { target, vantage: `${region} ${carrier}`, country: 'CN', region, carrier };
}

export const SHOP: Series = seriesIn('Beijing');

/** Its handshakes that offer a session. */
export const resumedOf = (series: Series): Series => ({ ...series, variant: 'resumed' });

/** All samples of a scene by time: one round trip for TCP connect, one and 5 ms for TLS, one and 10 ms for the first byte. */
export function* play(scene: Scene, detector: Detector): Generator<{ timestamp: number; samples: SeriesSample[] }> {
  const { days, period = 60, roundTrip = 50, noise = 0.04, seed = 1 } = scene;
  const random = chance(seed);
  const all = scene.series ?? [SHOP];
  const instants = new Map<number, SeriesSample[]>();
  for (const series of all) {
    const index = detector.indexOf(series);
    for (let at = MONDAY + Math.floor(random() * period); at < MONDAY + days * DAY; at += period) {
      const timestamp = at + Math.floor(random() * 5);
      const {
        path = 1,
        tcpMs = 0,
        tlsMs = 0,
        thinkMs = 0,
        fails = false,
        silent = false,
        refused = false,
        ownDelay,
        ...own
      } = scene.conditions?.(timestamp, series, random) ?? {};
      const trip = () => roundTrip * path * Math.exp((own.noise ?? noise) * normal(random));
      const [tcp, tls, firstByte] = [trip() + tcpMs, trip() + 5 + tlsMs, trip() + 10 + thinkMs];
      const measured: Sample = fails
        ? { timestamp, tcp, tls: null, firstByte: null, ok: false }
        : { timestamp, tcp, tls, firstByte: silent ? null : firstByte, ok: true };
      const sample: Sample = {
        ...measured,
        ...(series.variant && !fails && { refused }),
        ...(ownDelay !== undefined && { ownDelay }),
      };
      const same = instants.get(timestamp);
      if (same) same.push({ index, sample });
      else instants.set(timestamp, [{ index, sample }]);
    }
  }
  for (const timestamp of [...instants.keys()].sort((a, b) => a - b)) {
    yield { timestamp, samples: instants.get(timestamp) ?? [] };
  }
}

/** Until here most scenes are quiet, in one way. */
const LEARNT_AT = MONDAY + 5.5 * DAY;

/** What a detector has said and knows by then, by all that it was shown: scenes that begin alike learn their days once. */
const learnt = new Map<string, { found: Detection[]; state: Uint8Array<ArrayBuffer>[] }>();

/** What a detector says of a scene: a new one, where none is given. */
export function detect(scene: Scene, detector?: Detector): Detection[] {
  if (detector) return shown([...play(scene, detector)], detector);
  const fresh = createDetector();
  const all = [...play(scene, fresh)];
  const begun = all.findIndex(({ timestamp }) => timestamp >= (scene.alikeUntil ?? LEARNT_AT));
  if (begun < 0) return shown(all, fresh);
  const alike = all.slice(0, begun);
  const key = createHash('sha256')
    .update(JSON.stringify([scene.series, alike]))
    .digest('hex');
  const { found, state } = learnt.get(key) ?? { found: shown(alike, fresh), state: [...fresh.state()] };
  learnt.set(key, { found, state });
  return [...found, ...shown(all.slice(begun), createDetector({}, state))];
}

function shown(instants: { timestamp: number; samples: SeriesSample[] }[], detector: Detector): Detection[] {
  return instants.flatMap(({ timestamp, samples }) => detector.advance(timestamp, samples));
}

export function isEvening(timestamp: number): boolean {
  const hour = ((timestamp + 8 * HOUR) % DAY) / HOUR;
  return hour >= 19.5 && hour < 23;
}

/** How many groups detections are in. */
export function groupsIn(found: readonly Detection[]): number {
  return new Set(found.map(({ group }) => JSON.stringify(group))).size;
}
