// Makes components/charts/china.json, the outlines of China's provinces, of the map that echarts 4.9.0 ships (NOTICE):
//   npm pack echarts@4.9.0 && tar xzf echarts-4.9.0.tgz && node scripts/china-map.mjs package && rm -r package echarts-4.9.0.tgz
// The file is TopoJSON in the plane of an Albers projection: its numbers are no longitudes and latitudes, so a chart has nothing to project.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { geoConicEqualArea, topojson } from 'chartjs-chart-geo';
import { topology } from 'topojson-server';
import { presimplify, quantile, simplify } from 'topojson-simplify';

/** Half the width of the map in the file's degrees, and the steps over its width on which points lie. */
const HALF = 2;
const STEPS = 8_192;
/** Which part of the points is left out. An island stays that covers more than this part of the map's square, or is named here. */
const LEFT_OUT = 0.5;
const LEAST_ISLAND = 5e-6;
/** Corners that each island keeps; a province of fewer points than this keeps all. */
const CORNERS = 4;
const FEW_POINTS = 100;
/** How much wider than high a label is, and how many places along a province's width are tried for it. */
const LABEL_RATIO = 1.5;
const PLACES = 60;
/** The South China Sea's box, beside Taiwan: its width, and how far it reaches over the right edge of the provinces and below them. */
const BOX_WIDTH = 0.46;
const BOX_OUT = 0.1;
const BOX_BELOW = 0.02;

const ROOT = path.join(import.meta.dirname, '..');
const source = process.argv[2];
if (!source) throw new Error('name the folder of the unpacked package echarts 4.9.0');
const read = (...names) => readFileSync(path.join(...names), 'utf8');

const codes = new Map(
  Object.entries(JSON.parse(read(ROOT, 'i18n/zh-CN.json')).region).map(([code, name]) => [name, code]),
);
const provinces = JSON.parse(read(source, 'map/json/china.json')).features.map(({ properties, geometry }) => {
  const { coordinates, encodeOffsets } = geometry;
  const isOne = geometry.type === 'Polygon';
  const [texts, offsets] = isOne ? [coordinates, encodeOffsets] : [coordinates.flat(), encodeOffsets.flat(1)];
  return { id: codes.get(properties.name), rings: texts.map((text, index) => unpack(text, offsets[index])) };
});
const islands = pointsOf('diaoyuIsland.js');
const sea = pointsOf('nanhai.js');

/** echarts packs a ring into a string: zigzag differences in 1/1,024 of a degree, from an offset on. */
function unpack(text, offset) {
  let [x, y] = offset;
  const step = (index) => {
    const code = text.charCodeAt(index) - 64;
    return (code >> 1) ^ -(code & 1);
  };
  return Array.from({ length: text.length / 2 }, (_, index) => {
    x += step(2 * index);
    y += step(2 * index + 1);
    return [x / 1_024, y / 1_024];
  });
}

function pointsOf(file) {
  const [, points] = /var points = (\[.*\]);/.exec(read(source, 'lib/coord/geo/fix', file)) ?? [];
  if (!points) throw new Error(`${file} of echarts has no points: is it version 4.9.0?`);
  return JSON.parse(points);
}

const areaOf = (ring) =>
  ring.reduce((sum, [x, y], index) => {
    const [nextX, nextY] = ring[(index + 1) % ring.length];
    return sum + (x * nextY - nextX * y) / 2;
  }, 0);
/** Closed, and clockwise with north up, as d3 wants outer rings. */
function tidy(ring) {
  const open = String(ring[0]) === String(ring.at(-1)) ? ring.slice(0, -1) : ring;
  const turned = areaOf(open) > 0 ? open.reverse() : open;
  return [...turned, turned[0]];
}

// Into the plane: x to the east from -HALF to HALF, y to the north.
const albers = geoConicEqualArea().parallels([25, 47]).rotate([-105, 0]).scale(1).translate([0, 0]);
const flat = provinces.map(({ id, rings }) => ({
  id,
  rings: [...rings, ...(id === 'CN-TW' ? islands : [])].map((ring) => ring.map((point) => albers(point))),
}));
const extent = (points, axis) => [Math.min(...points.map((p) => p[axis])), Math.max(...points.map((p) => p[axis]))];
const all = flat.flatMap(({ rings }) => rings.flat());
const [west, east] = extent(all, 0);
const [top, bottom] = extent(all, 1);
const scale = (2 * HALF) / (east - west);
const place = ([x, y]) => [(x - (west + east) / 2) * scale, ((top + bottom) / 2 - y) * scale];
const half = ((bottom - top) / 2) * scale;

const isKept = (id) => (ring, index, rings) =>
  -areaOf(ring) > LEAST_ISLAND * 4 * HALF * HALF ||
  (id === 'CN-TW' && index === rings.length - 1) ||
  ring === largest(rings);
const largest = (rings) => rings.reduce((most, ring) => (-areaOf(ring) > -areaOf(most) ? ring : most));
const outlines = flat.map(({ id, rings }) => ({
  id,
  rings: rings.map((ring) => tidy(ring.map(place))).filter(isKept(id)),
}));

const seaWidth = Math.max(...sea.flat().map(([x]) => x));
const seaHeight = Math.max(...sea.flat().map(([, y]) => y));
const zoom = BOX_WIDTH / seaWidth;
const rounded = (value) => Number(value.toFixed(4));
const box = sea.map((ring) =>
  tidy(ring.map(([x, y]) => [HALF + BOX_OUT - (seaWidth - x) * zoom, (seaHeight - y) * zoom - half - BOX_BELOW])).map(
    (point) => point.map(rounded),
  ),
);

/** The middle of the largest label that fits into a province, and half of that label's height. */
function labelOf({ id, rings }) {
  const outer = largest(rings);
  const others = outlines.filter((other) => other.id !== id).map((other) => largest(other.rings));
  const [[left, right], [low, high]] = [extent(outer, 0), extent(outer, 1)];
  const near = others.filter((ring) => ring.some(([x, y]) => x > left && x < right && y > low && y < high));
  let best = { room: 0 };
  const step = (right - left) / PLACES;
  for (let x = left; x <= right; x += step) {
    for (let y = low; y <= high; y += step) {
      if (!isInside(outer, x, y) || near.some((ring) => isInside(ring, x, y))) continue;
      const room = Math.min(...[outer, ...near].map((ring) => roomTo(ring, x, y)));
      if (room > best.room) best = { x, y, room };
    }
  }
  return Object.fromEntries(Object.entries(best).map(([key, value]) => [key, rounded(value)]));
}

function isInside(ring, x, y) {
  let inside = false;
  for (let index = 1; index < ring.length; index += 1) {
    const [[ax, ay], [bx, by]] = [ring[index - 1], ring[index]];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
  }
  return inside;
}

/** The distance to the nearest corner of a ring, where what is beside counts less than what is above. */
const roomTo = (ring, x, y) => Math.min(...ring.map((point) => Math.hypot((point[0] - x) / LABEL_RATIO, point[1] - y)));

const full = topology(
  {
    provinces: {
      type: 'FeatureCollection',
      features: outlines.map((outline) => ({
        type: 'Feature',
        id: outline.id,
        properties: labelOf(outline),
        geometry: { type: 'MultiPolygon', coordinates: outline.rings.map((ring) => [ring]) },
      })),
    },
  },
  STEPS,
);
const weighed = presimplify(full);
const small = new Set(outlines.filter(({ rings }) => rings.flat().length < FEW_POINTS).map(({ id }) => id));
const arcsOf = ({ arcs }) => arcs.flat(Infinity).map((arc) => weighed.arcs[arc < 0 ? ~arc : arc]);
for (const { id, ...shape } of weighed.objects.provinces.geometries) {
  if (small.has(id)) for (const point of arcsOf(shape).flat()) point[2] = Number.POSITIVE_INFINITY;
}
for (const arc of weighed.arcs) {
  if (arc[0][0] !== arc.at(-1)[0] || arc[0][1] !== arc.at(-1)[1]) continue;
  for (const point of [...arc].sort((a, b) => b[2] - a[2]).slice(0, CORNERS + 1)) point[2] = Number.POSITIVE_INFINITY;
}
const made = topojson.quantize(simplify(weighed, quantile(weighed, LEFT_OUT)), STEPS);
writeFileSync(path.join(ROOT, 'components/charts/china.json'), `${JSON.stringify({ ...made, sea: box })}\n`);
