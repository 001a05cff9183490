import type { Plan } from './plan.ts';
import type { Batch } from './result-sink.ts';
import type { RunReport } from './run.ts';

/** What a measuring thread is started with. */
export type WorkerOptions = { plan: Plan; json: boolean };

export type ToWorker =
  /** The first start is due at this wall-clock time (ms, with fractions). */
  { kind: 'go'; at: number } | { kind: 'printed'; count: number };

export type FromWorker = { kind: 'ready' } | { kind: 'batch'; batch: Batch } | { kind: 'done'; report: RunReport };
