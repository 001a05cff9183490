import { type Chart, DatasetController, Element, type Plugin, Tooltip } from 'chart.js';
import type { ChartKind } from './chart.tsx';
import { colour } from './colours.ts';
import type { OutlineMap, Point } from './outlines.ts';
import {
  caption,
  FLAG,
  flag,
  hatch,
  type MapInput,
  type MapRegion,
  regionColour,
  regionOptions,
} from './region-marks.ts';

/** Pixels: a region less wide and high than this has a dot, and is hit so far around it. */
const SMALL = 20;
const DOT = 4.5;
const HIT = 12;
/** Pixels of half a label's height from which name and value, or the name alone, stand on a region. */
const ROOM_FOR_VALUE = 10.5;
const ROOM_FOR_NAME = 7;
/** Pixels around the map. */
const PADDING = 2;

/** How the map's plane lies on the canvas: pixels a unit, and where a point of it is. */
type Plane = { scale: number; place: (point: Point) => Point };

type Box = { x: number; y: number; width: number; height: number };
type Drawn = OutlineMap & { whole: Box };

function boxOf(points: readonly Point[]): Box {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const [x, y] of points) {
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  }
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** In the middle of the chart, as large as fits. */
function planeIn({ chartArea: { left, top, width, height } }: Chart, { whole }: Drawn): Plane {
  const scale = Math.min((width - 2 * PADDING) / whole.width, (height - 2 * PADDING) / whole.height);
  const x0 = left + (width - scale * whole.width) / 2 - scale * whole.x;
  const y0 = top + (height + scale * whole.height) / 2 + scale * whole.y;
  return { scale, place: ([x, y]) => [x0 + scale * x, y0 - scale * y] };
}

function pathOf(rings: readonly (readonly Point[])[]): Path2D {
  const path = new Path2D();
  for (const ring of rings) for (const [index, [x, y]] of ring.entries()) path[index === 0 ? 'moveTo' : 'lineTo'](x, y);
  return path;
}

function dotAt(x: number, y: number): Path2D {
  const dot = new Path2D();
  dot.arc(x, y, DOT, 0, 2 * Math.PI);
  return dot;
}

class OutlineElement extends Element {
  static id = 'outline';
  declare outline: Path2D;
  declare box: Box;
  /** Half the height of the largest label that fits, px. */
  declare room: number;
  declare region: MapRegion;

  /** Too small to be seen or hit by its outline alone. */
  get isSmall(): boolean {
    return Math.max(this.box.width, this.box.height) < SMALL;
  }

  getCenterPoint() {
    return { x: this.x, y: this.y };
  }

  inRange(x: number, y: number): boolean {
    return isWithin(this.outline, x, y) || (this.isSmall && Math.hypot(x - this.x, y - this.y) <= HIT);
  }

  draw(ctx: CanvasRenderingContext2D): void {
    this.paint(ctx, this.outline);
  }

  paint(ctx: CanvasRenderingContext2D, path: Path2D): void {
    ctx.save();
    ctx.fillStyle = regionColour(this.region);
    ctx.fill(path);
    ctx.strokeStyle = colour(this.active ? '--ink' : '--muted');
    ctx.lineWidth = this.active ? 2 : 1;
    ctx.stroke(path);
    ctx.restore();
  }

  drawDot(ctx: CanvasRenderingContext2D): void {
    this.paint(ctx, dotAt(this.x, this.y));
  }
}

// The canvas of a chart has more pixels than the page where the screen has.
let plain: CanvasRenderingContext2D | null = null;
function isWithin(path: Path2D, x: number, y: number): boolean {
  plain ??= document.createElement('canvas').getContext('2d');
  return plain?.isPointInPath(path, x, y) ?? false;
}

declare module 'chart.js' {
  interface ChartTypeRegistry {
    outlines: Omit<ChartTypeRegistry['doughnut'], 'defaultDataPoint' | 'datasetOptions'> & {
      defaultDataPoint: MapRegion;
      datasetOptions: { map: Drawn };
    };
  }
}

/** Chart.js has scales for numbers alone; a map needs none. */
class OutlineController extends DatasetController<'outlines', OutlineElement> {
  static id = 'outlines';
  static defaults = { dataElementType: OutlineElement.id, drawActiveElementsOnTop: true };

  override linkScales(): void {}

  override parse(): void {}

  override update(): void {
    const { map, data: regions } = this.getDataset() as unknown as { map: Drawn; data: MapRegion[] };
    const { scale, place } = planeIn(this.chart, map);
    for (const [index, element] of this._cachedMeta.data.entries()) {
      const region = regions[index];
      const shape = region && map.outlines.get(region.region);
      if (!shape) continue;
      const rings = shape.rings.map((ring) => ring.map(place));
      const [x, y] = place([shape.x, shape.y]);
      const drawn =
        rings.length > 0
          ? { outline: pathOf(rings), box: boxOf(rings.flat()) }
          : { outline: dotAt(x, y), box: { x: x - DOT, y: y - DOT, width: 2 * DOT, height: 2 * DOT } };
      Object.assign(element, { region, x, y, room: scale * shape.room, ...drawn });
    }
  }
}

/** A map of outlines: the regions that it is given are coloured, the others pale. */
export function outlineKind(map: OutlineMap): ChartKind<'outlines', MapInput> {
  const all = [...map.outlines.values()].flatMap(({ rings }) => rings);
  const drawn = { ...map, whole: boxOf([...all, ...map.sea].flat()) };
  return {
    parts: [OutlineController, OutlineElement, Tooltip],
    data: ({ regions }) => ({
      datasets: [{ map: drawn, data: regions.filter(({ region }) => map.outlines.has(region)) }],
    }),
    build: (input) => ({ type: 'outlines', plugins: [marks(drawn, input)], options: regionOptions(input) }),
  };
}

/** Draws what has no data and the South China Sea, then names, values, hatches and flags on the regions that have room for them. */
function marks(map: Drawn, input: () => MapInput): Plugin<'outlines'> {
  return {
    id: 'marks',
    beforeDatasetsDraw: (chart) => {
      const { ctx } = chart;
      const { place } = planeIn(chart, map);
      const pathFor = (rings: Point[][]) => pathOf(rings.map((ring) => ring.map(place)));
      const given = new Set(input().regions.map(({ region }) => region));
      ctx.save();
      ctx.strokeStyle = colour('--line');
      for (const [code, { rings }] of map.outlines) if (!given.has(code)) ctx.stroke(pathFor(rings));
      ctx.fillStyle = colour('--muted');
      ctx.fill(pathFor(map.sea));
      ctx.restore();
    },
    afterDatasetsDraw: (chart) => {
      for (const element of chart.getDatasetMeta(0).data as unknown as OutlineElement[]) {
        const { region, x, y, room, box, outline } = element;
        if (element.isSmall) element.drawDot(chart.ctx);
        if (region.few) hatch(chart, region, box, outline);
        if (room >= ROOM_FOR_NAME) caption(chart, region, x, y, 4 * room, room < ROOM_FOR_VALUE ? '' : region.value);
        if (region.marked) flag(chart, x + Math.min(room, FLAG), y - FLAG - Math.min(room, FLAG) / 2, FLAG / 2);
      }
    },
  };
}
