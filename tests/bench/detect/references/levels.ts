/** A successful probe as the references see it: epoch seconds and milliseconds. */
export type Point = { at: number; tlsMs: number; tcpMs: number };

export function medianOf(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/** Median absolute deviation, scaled to the deviation of a normal distribution. */
export function madOf(values: readonly number[], median: number): number {
  return 1.4826 * medianOf(values.map((value) => Math.abs(value - median)));
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

export function deviationOf(values: readonly number[], mean: number): number {
  return Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2)));
}

/** Points of a time window [from, to) of a rising series, at most `most` of them, evenly thinned. */
export function windowOf(points: readonly Point[], from: number, to: number, most: number): Point[] {
  const low = firstFrom(points, from);
  const high = firstFrom(points, to);
  const step = Math.max(1, Math.ceil((high - low) / most));
  const chosen: Point[] = [];
  for (let index = low; index < high; index += step) {
    const point = points[index];
    if (point) chosen.push(point);
  }
  return chosen;
}

function firstFrom(points: readonly Point[], at: number): number {
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle]?.at ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
