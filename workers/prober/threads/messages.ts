import type { Check } from '#contract/check.ts';
import type { Networks } from '#contract/public-address.ts';
import type { Logger } from '../logger.ts';
import type { Answer, Task } from '../measurements.ts';
import type { MeasuringStats } from '../measuring.ts';
import type { ClockState } from '../prober-clock.ts';

/** What a measuring thread is started with. */
export type ThreadOptions = {
  reachable: Networks;
  firstSpreadMs: number | undefined;
  maxInFlight: number | undefined;
  clock: ClockState;
};

export type ToThread =
  | { kind: 'apply'; put: Check[]; removed: string[] }
  | { kind: 'request'; task: Task }
  | { kind: 'takeBack'; measurementId: string }
  | { kind: 'correct'; aheadMs: number }
  /** Answered by `stopped` once nothing is under way, or after so long. */
  | { kind: 'stop'; graceMs: number };

export type FromThread =
  /** Warm: checks may come. */
  | { kind: 'ready' }
  /** Results as JSON, in the order in which they came; made here, so that the main thread only writes. */
  | { kind: 'results'; lines: string[]; stats: MeasuringStats; settledUntil: number | null }
  /** A Result of a measurement, which is handed over at once. */
  | { kind: 'answer'; answer: Answer }
  | { kind: 'log'; level: keyof Logger; message: string }
  | { kind: 'stopped'; stats: MeasuringStats };
