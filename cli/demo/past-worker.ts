// Draws the demo's past, writes its rows and runs the detector over it, on a thread of its own: PostgreSQL takes what is
// ready meanwhile. Answers each order with one message, in their order.
import { parentPort, workerData } from 'node:worker_threads';
import { tierRows } from '#server/demo/past/past-rollups.ts';
import { learnPast, type Stretch, watchPast } from '#server/demo/past/replay.ts';
import type { Piece } from '#server/demo/past/store.ts';
import { TIERS } from '#server/rollups/tiers.ts';
import { pastSeries } from './past-series.ts';
import type { PastOrder, PastThreadData } from './past-thread.ts';

const { installation, vantages, numbers, window } = workerData as PastThreadData;
const seriesOf = pastSeries(installation, window);
const allSeries = () => installation.targets.flatMap(({ id }) => seriesOf(id));
let stretches: Generator<Stretch> | null = null;

parentPort?.on('message', (order: PastOrder) => {
  if (order === 'learn') parentPort?.postMessage(learnPast(allSeries(), vantages, window));
  else if (order === 'watch') {
    stretches ??= watchPast(allSeries(), vantages, window);
    parentPort?.postMessage(stretches.next().value ?? null);
  } else {
    const rows = rowsOf(order.piece);
    parentPort?.postMessage(rows, [rows.buffer as ArrayBuffer]);
  }
});

function rowsOf({ targetId, step, range }: Piece): Uint8Array {
  const tier = TIERS.find((each) => each.step === step);
  if (!tier) throw new RangeError(`there are no rollups of ${step} s`);
  return tierRows(tier, targetId, seriesOf(targetId), numbers, range);
}
