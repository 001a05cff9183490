import { availableParallelism } from 'node:os';
import { onceAProcess } from '#server/environment/once-a-process.ts';
import { Turns, Underway } from '#server/environment/queueing.ts';

// Reads that may look at very many rows (searches of results, exports) are cut into pieces, and the pieces of all who ask run one
// after the other, in the order in which they asked. So however many search and export, a core is left for who stores results and
// for the pages; and a piece gives way to a batch that is being stored. What runs here takes well under a second each.

/** How many pieces run at once: half of the cores. */
export const LANES = Math.max(1, Math.floor(availableParallelism() / 2));
/**
 * A piece waits for batches that are being stored: so long (ms), and so many times as long as the piece before it took; then it runs
 * beside them, or it never would in a storm. So while batches come without a pause, heavy reads have a fifth of a core.
 */
export const GIVE_WAY_MS = { least: 50, most: 1_000, factor: 4 };

/** Pages and routes share one lane. */
const laneHere = onceAProcess('lane', () => ({ turns: new Turns(LANES), storing: new Underway(), tookMs: 0 }));

/** Runs one piece of a heavy read when it is its turn. */
export async function inLane<T>(piece: () => Promise<T>): Promise<T> {
  const lane = laneHere();
  await lane.turns.take();
  try {
    // Whatever else is due gets its turn between two pieces.
    await new Promise<void>((resolve) => setImmediate(resolve));
    const { least, most, factor } = GIVE_WAY_MS;
    await lane.storing.letPass(Math.min(Math.max(lane.tookMs * factor, least), most));
    const began = performance.now();
    try {
      return await piece();
    } finally {
      lane.tookMs = performance.now() - began;
    }
  } finally {
    lane.turns.end();
  }
}

/** Notes that a batch is being stored, and returns what ends that. */
export const beginStoring = (): (() => void) => laneHere().storing.begin();
