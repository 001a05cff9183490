import china from './china.json' with { type: 'json' };

/** A place in the map's plane, that of an Albers projection, whose y goes up. */
export type Point = readonly [x: number, y: number];
/** Closed outlines; where the label stands, and half the height of the largest that fits. */
export type Province = { rings: Point[][]; x: number; y: number; room: number };

/** The file is TopoJSON: an arc is a chain of whole steps, a ring names its arcs, and ~n is arc n the other way round. */
const [scaleX = 0, scaleY = 0] = china.transform.scale;
const [left = 0, bottom = 0] = china.transform.translate;
const arcs = china.arcs.map((steps) => {
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

/** The outlines of China's 34 regions by ISO 3166-2 code. */
export const PROVINCES: ReadonlyMap<string, Province> = new Map(
  china.objects.provinces.geometries.map(({ id, arcs: polygons, properties }) => [
    id,
    { rings: polygons.flat().map(ringOf), ...properties },
  ]),
);

/** The box of the South China Sea at the lower right, in the same plane: coast, islands, its line and its frame. */
export const SEA: Point[][] = china.sea.map((ring) => ring.map(([x = 0, y = 0]): Point => [x, y]));
