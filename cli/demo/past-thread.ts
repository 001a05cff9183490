import { Worker } from 'node:worker_threads';
import type { PastWindow } from '#demo/past/window.ts';
import type { DemoInstallation } from '#server/demo/past/installation.ts';
import type { Stretch } from '#server/demo/past/replay.ts';
import type { Piece } from '#server/demo/past/store.ts';
import type { VantageLabels } from '#server/vantages/labels.ts';

/** What the thread that draws the past is given at its start. */
export type PastThreadData = {
  installation: DemoInstallation;
  vantages: Map<string, VantageLabels>;
  /** What stands for each vantage in rollups. */
  numbers: ReadonlyMap<string, number>;
  window: PastWindow;
};

/** What it is told to do; each order is answered with one message. */
export type PastOrder = { piece: Piece } | 'learn' | 'watch';

/** The thread that draws the past and runs the detector over it. All of it rejects once the thread has failed. */
export type PastThread = {
  /** The rows of a piece, for COPY. */
  rowsOf: (piece: Piece) => Promise<Uint8Array>;
  /** What the live detector would know at the end of the past. */
  learn: () => Promise<Uint8Array[]>;
  /** The next stretch that the detector has gone over; null after the last. */
  watch: () => Promise<Stretch | null>;
  close: () => Promise<unknown>;
};

type Waiting = { resolve: (answer: never) => void; reject: (error: Error) => void };

export function startPastThread(data: PastThreadData): PastThread {
  const worker = new Worker(new URL('./past-worker.ts', import.meta.url), { workerData: data });
  const waiting: Waiting[] = [];
  let failed: Error | null = null;
  const fail = (error: Error) => {
    failed = error;
    for (const { reject } of waiting.splice(0)) reject(error);
  };
  worker.on('message', (answer) => waiting.shift()?.resolve(answer as never));
  worker.on('error', fail);
  worker.on('exit', () => fail(failed ?? new Error('the thread that draws the past has ended')));
  const ask = <T>(order: PastOrder): Promise<T> =>
    new Promise((resolve, reject) => {
      if (failed) return reject(failed);
      waiting.push({ resolve, reject });
      worker.postMessage(order);
    });
  return {
    rowsOf: (piece) => ask({ piece }),
    learn: () => ask('learn'),
    watch: () => ask('watch'),
    close: () => worker.terminate(),
  };
}
