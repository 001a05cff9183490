// Draws the demo's past, writes its rows and runs the detector over it, on a thread of its own: PostgreSQL takes what is
// ready meanwhile. Answers each order with one message, in their order.
import { parentPort, workerData } from 'node:worker_threads';
import { learnPast, type Stretch, watchPast } from '#server/demo/past/play.ts';
import { tierRows } from '#server/demo/past/rows.ts';
import type { Piece } from '#server/demo/past/store.ts';
import { TIERS } from '#server/rollups/tiers.ts';
import { pastLines } from './past-lines.ts';
import type { PastOrder, PastThreadData } from './past-thread.ts';

const { places, vantages, window } = workerData as PastThreadData;
const linesOf = pastLines(places, window);
const allLines = () => places.targets.flatMap(({ id }) => linesOf(id));
let stretches: Generator<Stretch> | null = null;

parentPort?.on('message', (order: PastOrder) => {
  if (order === 'learn') parentPort?.postMessage(learnPast(allLines(), vantages, window));
  else if (order === 'watch') {
    stretches ??= watchPast(allLines(), vantages, window);
    parentPort?.postMessage(stretches.next().value ?? null);
  } else {
    const rows = rowsOf(order.piece);
    parentPort?.postMessage(rows, [rows.buffer as ArrayBuffer]);
  }
});

function rowsOf({ targetId, step, range }: Piece): Uint8Array {
  const tier = TIERS.find((each) => each.step === step);
  if (!tier) throw new RangeError(`there are no rollups of ${step} s`);
  return tierRows(tier, linesOf(targetId), range);
}
