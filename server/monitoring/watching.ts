// Whether somebody looks at the figures that this process serves, and so how soon probers should send the next ones.

/** How long a prober waits with a batch that is not full, in ms: each batch costs a transaction, however small it is. */
export const BATCH_MS = 10_000;
/** The same while somebody watches. */
export const WATCHED_BATCH_MS = 1_000;
/** Somebody watches for so long (ms) after figures were read; an open page reads them every 15 s. */
export const WATCHED_FOR_MS = 30_000;

// Next loads a module once a bundle layer: what a page notes, the API's routes must know.
const key = Symbol.for('roundtrip.figures-read');
const holder = globalThis as typeof globalThis & { [key]?: number };

/** Notes that somebody reads figures; `now` in ms of the monotonic clock. */
export function noteFiguresRead(now = performance.now()): void {
  holder[key] = now;
}

/** How long (ms) a prober should wait before its next batch that is not full. */
export function nextBatchMs(now = performance.now()): number {
  const readAt = holder[key];
  return readAt !== undefined && now - readAt <= WATCHED_FOR_MS ? WATCHED_BATCH_MS : BATCH_MS;
}
