'use client';

import { type Plugin, Tooltip } from 'chart.js';
import { ChoroplethController, ColorScale, GeoFeature, ProjectionScale } from 'chartjs-chart-geo';
import { type ChartKind, ChartView } from './chart.tsx';
import { PROVINCES, SEA } from './china-map.ts';
import { colour } from './colours.ts';
import {
  caption,
  FLAG,
  flag,
  hatch,
  type MapInput,
  type MapProps,
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

class ProvinceElement extends GeoFeature {
  static override id = 'province';

  /** Too small to be seen or hit by its outline alone. */
  get isSmall(): boolean {
    const { width, height } = this.getBounds();
    return Math.max(width, height) < SMALL;
  }

  override inRange(x: number, y: number): boolean {
    const middle = this.getCenterPoint();
    return super.inRange(x, y) || (this.isSmall && Math.hypot(x - middle.x, y - middle.y) <= HIT);
  }

  drawDot(ctx: CanvasRenderingContext2D): void {
    const { x, y } = this.getCenterPoint();
    ctx.save();
    ctx.beginPath();
    ctx.arc(x, y, DOT, 0, 2 * Math.PI);
    ctx.fillStyle = String(this.options.backgroundColor);
    ctx.fill();
    ctx.strokeStyle = colour(this.active ? '--ink' : '--muted');
    ctx.stroke();
    ctx.restore();
  }
}

declare module 'chart.js' {
  interface ChartTypeRegistry {
    provinces: ChartTypeRegistry['choropleth'];
  }
}

const ProvinceController = Object.assign(class extends ChoroplethController {}, {
  id: 'provinces',
  defaults: { ...ChoroplethController.defaults, dataElementType: ProvinceElement.id },
});

const provinceKind: ChartKind<'provinces', MapInput> = {
  parts: [ProvinceController, ProvinceElement, ProjectionScale, ColorScale, Tooltip],
  data: ({ regions }) => ({
    datasets: [
      {
        outline: [...PROVINCES.values(), { type: 'Feature', properties: {}, geometry: SEA }],
        data: regions.flatMap(({ region }) => {
          const feature = PROVINCES.get(region);
          if (!feature) return [];
          const { x, y } = feature.properties;
          return [{ feature, value: 0, center: { longitude: x, latitude: y } }];
        }),
        backgroundColor: ({ dataIndex }) => regionColour(regions[dataIndex]),
        hoverBackgroundColor: ({ dataIndex }) => regionColour(regions[dataIndex]),
        borderWidth: 1,
        borderColor: () => colour('--muted'),
        hoverBorderColor: () => colour('--ink'),
        hoverBorderWidth: 2,
      },
    ],
  }),
  build: (input) => ({
    type: 'provinces',
    plugins: [marks(input)],
    options: {
      ...regionOptions(input),
      scales: {
        projection: { axis: 'x', projection: 'equirectangular', padding: 2 },
        color: { axis: 'x', display: false },
      },
    },
  }),
};

/** Draws the South China Sea's box, then names, values, hatches and flags on the provinces that have room for them. */
function marks(input: () => MapInput): Plugin<'provinces'> {
  return {
    id: 'marks',
    beforeDatasetsDraw: (chart) => {
      const { ctx } = chart;
      ctx.save();
      ctx.fillStyle = colour('--muted');
      ctx.beginPath();
      projectionOf(chart.scales).geoPath.context(ctx)(SEA);
      ctx.fill();
      ctx.restore();
    },
    afterDatasetsDraw: (chart) => {
      const { geoPath, projection } = projectionOf(chart.scales);
      const pixels = (projection.scale() * Math.PI) / 180;
      const elements = chart.getDatasetMeta(0).data as unknown as ProvinceElement[];
      // Its border is drawn again, as provinces drawn after it cover a part.
      for (const element of elements) if (element.active) element.draw(chart.ctx);
      input().regions.forEach((region, index) => {
        const element = elements[index];
        const province = PROVINCES.get(region.region);
        if (!element || !province) return;
        const { x, y } = element.getCenterPoint();
        const room = province.properties.room * pixels;
        if (element.isSmall) element.drawDot(chart.ctx);
        if (region.few) hatch(chart, region, element.getBounds(), () => geoPath.context(chart.ctx)(province));
        if (room >= ROOM_FOR_NAME) caption(chart, region, x, y, 4 * room, room < ROOM_FOR_VALUE ? '' : region.value);
        if (region.marked) flag(chart, x + Math.min(room, FLAG), y - FLAG - Math.min(room, FLAG) / 2, FLAG / 2);
      });
    },
  };
}

const projectionOf = (scales: Record<string, unknown>) => scales.projection as ProjectionScale;
