import type { EventLabel } from '#analysis/synthetic/labels.ts';
import type { SyntheticSample } from '#analysis/synthetic/samples.ts';
import { drawSeries } from '#analysis/synthetic/world.ts';
import type { GeneratedSample } from '#contract/demo.ts';
import type { Site } from '../places.ts';
import { type PastOrigin, pastLine } from './lines.ts';
import { eventsOf, gapsOf } from './story.ts';
import type { PastWindow } from './window.ts';

/** A line of the demo's past: its probes in time order, and what was drawn into them. */
export type PastSeries = { origin: string; vantage: Site; samples: GeneratedSample[]; events: EventLabel[] };

/** The same past at every call with the same window. */
const SEED = 20_261_121;

/** Draws what a vantage measured of an origin in the past. */
export function drawPast(origin: PastOrigin, vantage: Site, window: PastWindow): PastSeries {
  const line = pastLine(origin, vantage);
  const key = { origin: origin.key, ...vantage };
  // Past its first three days a line is known well enough to be judged.
  const span = { ...window, warmUpEnd: window.from + 3 * 86_400 };
  const series = drawSeries({ model: line, span, events: eventsOf(window, key), gaps: gapsOf(window, key) }, SEED);
  const samples = series.samples.map((sample) => pastSample(origin, line.rttMs, sample));
  return { origin: origin.key, vantage, samples, events: series.events };
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
