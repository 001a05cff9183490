import type { SyntheticSample } from '#analysis/synthetic/draw-samples.ts';
import { samplesOf } from '#analysis/synthetic/series.ts';
import type { GeneratedSample } from '#contract/demo.ts';
import type { Site } from '../places.ts';
import { type PastOrigin, pastPath } from './paths.ts';
import { eventsOf, gapsOf } from './story.ts';
import type { PastWindow } from './window.ts';

/** A series of the demo's past: its probes in time order. */
export type PastSeries = { origin: string; vantage: Site; samples: GeneratedSample[] };

/** The same past at every call with the same window. */
const SEED = 20_261_121;

/** Draws what a vantage measured of an origin in the past. */
export function drawPast(origin: PastOrigin, vantage: Site, window: PastWindow): PastSeries {
  const path = pastPath(origin, vantage);
  const key = { origin: origin.key, ...vantage };
  const planned = { model: path, span: window, events: eventsOf(window, key), gaps: gapsOf(window, key) };
  const samples = samplesOf(planned, SEED).map((sample) => pastSample(origin, path.rttMs, sample));
  return { origin: origin.key, vantage, samples };
}

function pastSample(origin: PastOrigin, rttMs: number, sample: SyntheticSample): GeneratedSample {
  const { at, dnsMs } = sample;
  if (!sample.ok) return { at, ok: false, dnsMs, tcpMs: null, tlsMs: null, firstByteMs: null, roundTrips: null };
  const { tcpMs, tlsMs } = sample;
  // A repeated SYN tells nothing of the path.
  const path = Math.min(tcpMs, 4 * rttMs);
  const firstByteMs = sample.firstByteMs + (origin.firstByteTrips - 1) * path;
  return { at, ok: true, dnsMs, tcpMs, tlsMs, firstByteMs, roundTrips: tripsOf(origin, path, tlsMs) };
}

/** The whole round trips in a handshake, as a prober would count them. */
function tripsOf({ target }: PastOrigin, path: number, tlsMs: number): number {
  const trips = Math.round((tlsMs - target.fullWorkMs) / path);
  return Math.min(target.fullTrips, Math.max(1, trips));
}
