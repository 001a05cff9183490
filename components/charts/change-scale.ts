/** Upper edges of the first six of seven steps of a relative change, from far below to far above: the scale is fixed at +-50%. */
export const CHANGE_EDGES = [-0.5, -0.25, -0.1, 0.1, 0.25, 0.5];
export const AS_USUAL = 3;
/** Times that differ by less are alike, ms: users do not notice it, and a handful of results does not show it. */
export const ALIKE_MS = 3;

/**
 * The step, 0 (far below) to 6 (far above), of a value against its level; 3 where they differ by less than `alike`, in their unit; null
 * where one of them is not known.
 */
export function stepOf(value: number | null, level: number | null, alike: number): number | null {
  if (value === null || level === null || level <= 0) return null;
  if (Math.abs(value - level) < alike) return AS_USUAL;
  const step = CHANGE_EDGES.findIndex((edge) => value / level - 1 < edge);
  return step < 0 ? CHANGE_EDGES.length : step;
}
