import type { CauseChange, Detection, Merge } from './detection.ts';
import type { Series } from './world/world.ts';

/** What was raised and, in ms, how long the detector took; null where only the caller's clock can tell. */
export type Outcome = { detections: Detection[]; merges?: Merge[]; causes?: CauseChange[]; ms: number | null };

/** A detector over all series of one world. */
export type Detector = {
  name: string;
  detect: (world: readonly Series[]) => Promise<Outcome> | Outcome;
};
