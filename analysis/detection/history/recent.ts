import { recentCapacity, spikeReference } from '../parameters.ts';
import { type Sample, thinkTime } from '../sample.ts';

/** The last samples of a series, before and in a spike, from which its cause is determined. A ring; NaN where a phase did not happen. */
export type Recent = {
  next: number;
  timestamps: Float64Array;
  tls: Float64Array;
  tcp: Float64Array;
  think: Float64Array;
};

export function emptyRecent(): Recent {
  const floats = () => new Float64Array(recentCapacity);
  return { next: 0, timestamps: floats(), tls: floats(), tcp: floats(), think: floats() };
}

export function remember(recent: Recent, sample: Sample): void {
  const { next } = recent;
  recent.timestamps[next] = sample.timestamp;
  recent.tls[next] = sample.tls ?? Number.NaN;
  recent.tcp[next] = sample.tcp ?? Number.NaN;
  recent.think[next] = thinkTime(sample) ?? Number.NaN;
  recent.next = (next + 1) % recentCapacity;
}

/** One probe as a comparison needs it; NaN where a phase did not happen. */
export type Phases = { tls: number; tcp: number; think: number };

/** The samples since `start`, and up to `spikeReference` samples before it. */
export function splitAt(recent: Recent, start: number): { before: Phases[]; during: Phases[] } {
  const before: Phases[] = [];
  const during: Phases[] = [];
  for (let age = recentCapacity; age > 0; age--) {
    const position = (recent.next + recentCapacity - age) % recentCapacity;
    const timestamp = recent.timestamps[position] as number;
    if (timestamp === 0) continue;
    const phases = {
      tls: recent.tls[position] as number,
      tcp: recent.tcp[position] as number,
      think: recent.think[position] as number,
    };
    if (timestamp >= start) during.push(phases);
    else before.push(phases);
  }
  return { before: before.slice(-spikeReference), during };
}
