'use client';

import { type Chart, DatasetController, Element, type Plugin, Tooltip } from 'chart.js';
import { type ChartKind, ChartView } from './chart.tsx';
import { type Point, PROVINCES, SEA } from './china-map.ts';
import { colour } from './colours.ts';
import {
  caption,
  FLAG,
  flag,
  hatch,
  type MapInput,
  type MapProps,
  type MapRegion,
  regionColour,
  regionOptions,
} from './region-marks.ts';
import { useMapInput } from './use-map-input.ts';

/** The map of China by province. A click on a province goes to it; the table that describes the map has the same links. */
export function ProvinceMapChart({ regions, ...described }: MapProps) {
  return <ChartView kind={provinceKind} input={useMapInput(regions)} {...described} className="h-full" />;
}

/** Pixels: a province less wide and high than this has a dot, and is hit so far around it. */
const SMALL = 20;
const DOT = 4.5;
const HIT = 12;
/** Pixels of half a label's height from which name and value, or the name alone, stand on a province. */
const ROOM_FOR_VALUE = 10.5;
const ROOM_FOR_NAME = 7;
/** Pixels around the map. */
const PADDING = 2;

/** How the map's plane lies on the canvas: pixels a unit, and where a point of it is. */
type Plane = { scale: number; place: (point: Point) => Point };

function boxOf(points: readonly Point[]) {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const [x, y] of points) {
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  }
  return { x: left, y: top, width: right - left, height: bottom - top };
}

const WHOLE = boxOf([...[...PROVINCES.values()].flatMap(({ rings }) => rings), ...SEA].flat());

/** In the middle of the chart, as large as fits. */
function planeIn({ chartArea: { left, top, width, height } }: Chart): Plane {
  const scale = Math.min((width - 2 * PADDING) / WHOLE.width, (height - 2 * PADDING) / WHOLE.height);
  const x0 = left + (width - scale * WHOLE.width) / 2 - scale * WHOLE.x;
  const y0 = top + (height + scale * WHOLE.height) / 2 + scale * WHOLE.y;
  return { scale, place: ([x, y]) => [x0 + scale * x, y0 - scale * y] };
}

function pathOf(rings: readonly (readonly Point[])[]): Path2D {
  const path = new Path2D();
  for (const ring of rings) for (const [index, [x, y]] of ring.entries()) path[index === 0 ? 'moveTo' : 'lineTo'](x, y);
  return path;
}

class ProvinceElement extends Element {
  static id = 'province';
  declare outline: Path2D;
  declare box: ReturnType<typeof boxOf>;
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
    const dot = new Path2D();
    dot.arc(this.x, this.y, DOT, 0, 2 * Math.PI);
    this.paint(ctx, dot);
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
    provinces: Omit<ChartTypeRegistry['doughnut'], 'defaultDataPoint'> & { defaultDataPoint: MapRegion };
  }
}

/** Chart.js has scales for numbers alone; a map needs none. */
class ProvinceController extends DatasetController<'provinces', ProvinceElement> {
  static id = 'provinces';
  static defaults = { dataElementType: ProvinceElement.id, drawActiveElementsOnTop: true };

  override linkScales(): void {}

  override parse(): void {}

  override update(): void {
    const { scale, place } = planeIn(this.chart);
    const regions = this.getDataset().data as unknown as MapRegion[];
    for (const [index, element] of this._cachedMeta.data.entries()) {
      const region = regions[index];
      const province = region && PROVINCES.get(region.region);
      if (!province) continue;
      const rings = province.rings.map((ring) => ring.map(place));
      const [x, y] = place([province.x, province.y]);
      const room = scale * province.room;
      Object.assign(element, { region, x, y, room, outline: pathOf(rings), box: boxOf(rings.flat()) });
    }
  }
}

const provinceKind: ChartKind<'provinces', MapInput> = {
  parts: [ProvinceController, ProvinceElement, Tooltip],
  data: ({ regions }) => ({ datasets: [{ data: regions.filter(({ region }) => PROVINCES.has(region)) }] }),
  build: (input) => ({ type: 'provinces', plugins: [marks()], options: regionOptions(input) }),
};

/** Draws the South China Sea's box, then names, values, hatches and flags on the provinces that have room for them. */
function marks(): Plugin<'provinces'> {
  return {
    id: 'marks',
    beforeDatasetsDraw: (chart) => {
      const { ctx } = chart;
      ctx.save();
      ctx.fillStyle = colour('--muted');
      const { place } = planeIn(chart);
      ctx.fill(pathOf(SEA.map((ring) => ring.map(place))));
      ctx.restore();
    },
    afterDatasetsDraw: (chart) => {
      for (const element of chart.getDatasetMeta(0).data as unknown as ProvinceElement[]) {
        const { region, x, y, room, box, outline } = element;
        if (element.isSmall) element.drawDot(chart.ctx);
        if (region.few) hatch(chart, region, box, outline);
        if (room >= ROOM_FOR_NAME) caption(chart, region, x, y, 4 * room, room < ROOM_FOR_VALUE ? '' : region.value);
        if (region.marked) flag(chart, x + Math.min(room, FLAG), y - FLAG - Math.min(room, FLAG) / 2, FLAG / 2);
      }
    },
  };
}
