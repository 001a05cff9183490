/** A place in a map's plane, whose y goes up. */
export type Point = readonly [x: number, y: number];
/** Closed outlines, none of a place that is a dot; where the label stands, and half the height of the largest that fits. */
export type Outline = { rings: Point[][]; x: number; y: number; room: number };
/** Outlines by code, in the order in which they are drawn, and what stands beside them without being a place, filled. */
export type OutlineMap = { outlines: ReadonlyMap<string, Outline>; sea: Point[][] };

/** TopoJSON: an arc is a chain of whole steps, a ring names its arcs, and ~n is arc n the other way round. */
type File = {
  transform: { scale: number[]; translate: number[] };
  arcs: number[][][];
  sea: number[][][];
};
type Shape = { id: string; arcs: number[][][]; properties: { x: number; y: number; room: number } };

/** The map of a file of `shapes`. */
export function readOutlines({ transform, arcs: chains, sea }: File, shapes: readonly Shape[]): OutlineMap {
  const [scaleX = 0, scaleY = 0] = transform.scale;
  const [left = 0, bottom = 0] = transform.translate;
  const arcs = chains.map((steps) => {
    let [x, y] = [0, 0];
    return steps.map(([dx = 0, dy = 0]): Point => {
      x += dx;
      y += dy;
      return [x * scaleX + left, y * scaleY + bottom];
    });
  });
  const arcAt = (index: number): Point[] => (index < 0 ? (arcs[~index] ?? []).toReversed() : (arcs[index] ?? []));
  // Each begins where the one before it ends.
  const ringOf = (indices: number[]): Point[] =>
    indices.flatMap((index, place) => (place === 0 ? arcAt(index) : arcAt(index).slice(1)));
  return {
    outlines: new Map(
      shapes.map(({ id, arcs: polygons, properties }) => [id, { rings: polygons.flat().map(ringOf), ...properties }]),
    ),
    sea: sea.map((ring) => ring.map(([x = 0, y = 0]): Point => [x, y])),
  };
}
