import { availableParallelism } from 'node:os';

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

type Lane = { running: number; waiting: (() => void)[]; storing: number; untilStored: (() => void)[]; tookMs: number };

// Next loads a module once a bundle layer: pages and routes share one lane.
const key = Symbol.for('roundtrip.lane');
const holder = globalThis as typeof globalThis & { [key]?: Lane };

function laneHere(): Lane {
  holder[key] ??= { running: 0, waiting: [], storing: 0, untilStored: [], tookMs: 0 };
  return holder[key];
}

/** Runs one piece of a heavy read when it is its turn. */
export async function inLane<T>(piece: () => Promise<T>): Promise<T> {
  const lane = laneHere();
  if (lane.running < LANES) lane.running += 1;
  else await new Promise<void>((resolve) => lane.waiting.push(resolve));
  try {
    await giveWay(lane);
    const began = performance.now();
    try {
      return await piece();
    } finally {
      lane.tookMs = performance.now() - began;
    }
  } finally {
    const next = lane.waiting.shift();
    if (next) next();
    else lane.running -= 1;
  }
}

/** Notes that a batch is being stored, and returns what ends that. */
export function beginStoring(): () => void {
  const lane = laneHere();
  lane.storing += 1;
  return () => {
    lane.storing -= 1;
    if (lane.storing === 0) for (const resolve of lane.untilStored.splice(0)) resolve();
  };
}

async function giveWay(lane: Lane): Promise<void> {
  // Whatever else is due gets its turn between two pieces.
  await new Promise<void>((resolve) => setImmediate(resolve));
  if (lane.storing === 0) return;
  const { least, most, factor } = GIVE_WAY_MS;
  const stored = new Promise<void>((resolve) => lane.untilStored.push(resolve));
  let timer: NodeJS.Timeout | undefined;
  const longest = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(Math.max(lane.tookMs * factor, least), most));
  });
  await Promise.race([stored, longest]);
  clearTimeout(timer);
}
