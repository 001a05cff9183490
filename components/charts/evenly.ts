/** Rows of a table of a chart's values. */
const MOST = 60;

/** One of how many points is in such a table. */
export const oneIn = (count: number): number => Math.max(1, Math.ceil(count / MOST));

/** The indexes of so many points that are in it, evenly, the last among them. */
export function evenly(count: number): number[] {
  const every = oneIn(count);
  return Array.from({ length: Math.ceil(count / every) }, (_, row) => count - 1 - row * every).toReversed();
}
