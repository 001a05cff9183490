import { recentCapacity, spikeReference } from '../parameters.ts';
import { type Sample, thinkTime } from '../sample.ts';

/** The last samples of a line, before and in a spike: what its cause is told by. A ring; NaN where a phase did not happen. */
export type Recent = {
  next: number;
  timestamps: Float64Array;
  tls: Float64Array;
  connect: Float64Array;
  think: Float64Array;
};

export function emptyRecent(): Recent {
  const floats = () => new Float64Array(recentCapacity);
  return { next: 0, timestamps: floats(), tls: floats(), connect: floats(), think: floats() };
}

export function remember(recent: Recent, sample: Sample): void {
  const { next } = recent;
  recent.timestamps[next] = sample.timestamp;
  recent.tls[next] = sample.tls ?? Number.NaN;
  recent.connect[next] = sample.connect ?? Number.NaN;
  recent.think[next] = thinkTime(sample) ?? Number.NaN;
  recent.next = (next + 1) % recentCapacity;
}

/** One probe as a comparison needs it; NaN where a phase did not happen. */
export type Phases = { tls: number; connect: number; think: number };

/** The samples since `start`, and up to spikeReference of them before it. */
export function splitAt(recent: Recent, start: number): { before: Phases[]; during: Phases[] } {
  const before: Phases[] = [];
  const during: Phases[] = [];
  for (let age = recentCapacity; age > 0; age--) {
    const place = (recent.next + recentCapacity - age) % recentCapacity;
    const timestamp = recent.timestamps[place] as number;
    if (timestamp === 0) continue;
    const phases = {
      tls: recent.tls[place] as number,
      connect: recent.connect[place] as number,
      think: recent.think[place] as number,
    };
    if (timestamp >= start) during.push(phases);
    else before.push(phases);
  }
  return { before: before.slice(-spikeReference), during };
}
