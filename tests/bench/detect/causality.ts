import type { Detection } from './detection.ts';
import { Random } from './world/random.ts';
import type { Series } from './world/world.ts';

/** A detection that a file cut off at `cut` (epoch seconds) has and the whole file has not, or the other way round. */
export type Difference = { cut: number; detection: string; only: 'whole' | 'cut' };

/** Instants within the time of a world at which its file is cut off. */
export function drawCuts(world: readonly Series[], count: number, seed: number): number[] {
  const from = Math.min(...world.map(({ label }) => label.warmUpEnd));
  const to = Math.max(...world.map(({ label }) => label.to));
  const random = new Random(seed).fork('cuts');
  return Array.from({ length: count }, () => Math.floor(random.uniform(from, to)));
}

/** Compares what was raised up to a cut, from the whole file and from the file cut off: order does not matter, all else does. */
export function compareAt(cut: number, whole: readonly Detection[], cutOff: readonly Detection[]): Difference[] {
  const early = (detections: readonly Detection[]) =>
    detections.filter(({ at }) => at <= cut).map((detection) => JSON.stringify(sorted(detection)));
  const [a, b] = [early(whole), early(cutOff)];
  const late = cutOff.filter(({ at }) => at > cut).map((detection) => JSON.stringify(sorted(detection)));
  return [
    ...without(a, b).map((detection) => ({ cut, detection, only: 'whole' as const })),
    ...[...without(b, a), ...late].map((detection) => ({ cut, detection, only: 'cut' as const })),
  ];
}

function sorted(detection: Detection): Record<string, unknown> {
  return Object.fromEntries(Object.entries(detection).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Those of `all` that `others` has not, each counted. */
function without(all: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const other of others) left.set(other, (left.get(other) ?? 0) + 1);
  return all.filter((one) => {
    const count = left.get(one) ?? 0;
    left.set(one, count - 1);
    return count <= 0;
  });
}
