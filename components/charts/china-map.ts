import { topojson } from 'chartjs-chart-geo';
import type { Feature, MultiPolygon } from 'geojson';
import type { GeometryCollection, Topology } from 'topojson-specification';
import china from './china.json' with { type: 'json' };

/** Where a province's label stands, and half the height of the largest that fits, in degrees of the map's plane. */
type Label = { x: number; y: number; room: number };
export type Province = Feature<MultiPolygon, Label>;

const map = china as unknown as Topology<{ provinces: GeometryCollection<Label> }>;

/** The outlines of China's 34 regions by ISO 3166-2 code, in the plane that scripts/china-map.mjs puts them on. */
export const PROVINCES: ReadonlyMap<string, Province> = new Map(
  topojson.feature(map, map.objects.provinces).features.map((feature) => [String(feature.id), feature as Province]),
);

/** The box of the South China Sea at the lower right, in the same plane: coast, islands, its line and its frame. */
export const SEA: MultiPolygon = { type: 'MultiPolygon', coordinates: china.sea.map((ring) => [ring]) };
