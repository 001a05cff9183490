'use client';

import { LinearScale, type Plugin, Tooltip } from 'chart.js';
import { MatrixController, MatrixElement } from 'chartjs-chart-matrix';
import { type ChartKind, ChartView } from './chart.tsx';
import { colour } from './colours.ts';
import { MAP_COLUMNS, MAP_ROWS, TILE_POSITIONS } from './map-layout.ts';
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

const GAP = 3;

/** The tile map of China. A click on a tile goes to its region; the table that describes it has the same links. */
export function TileMapChart({ regions, ...described }: MapProps) {
  return <ChartView kind={tileKind} input={useMapInput(regions)} {...described} className="h-full" />;
}

const tileKind: ChartKind<'matrix', MapInput> = {
  parts: [MatrixController, MatrixElement, LinearScale, Tooltip],
  data: ({ regions }) => ({
    datasets: [
      {
        data: regions.map(({ region }) => {
          const { column = -1, row = -1 } = TILE_POSITIONS.get(region) ?? {};
          return { x: column, y: row, v: 0 };
        }),
        backgroundColor: ({ dataIndex }) => regionColour(regions[dataIndex]),
        hoverBackgroundColor: ({ dataIndex }) => regionColour(regions[dataIndex]),
        borderWidth: 1,
        borderColor: () => colour('--line'),
        hoverBorderColor: () => colour('--ink'),
        borderRadius: 5,
        width: ({ chart }) => (chart.chartArea?.width ?? 0) / MAP_COLUMNS - GAP,
        height: ({ chart }) => (chart.chartArea?.height ?? 0) / MAP_ROWS - GAP,
      },
    ],
  }),
  build: (input) => ({
    type: 'matrix',
    plugins: [captions(input)],
    options: {
      ...regionOptions(input),
      scales: {
        x: { type: 'linear', display: false, min: -0.5, max: MAP_COLUMNS - 0.5, offset: false },
        y: { type: 'linear', display: false, min: -0.5, max: MAP_ROWS - 0.5, offset: false, reverse: true },
      },
    },
  }),
};

type Box = { x: number; y: number; width: number; height: number };

/** Writes name and value on every tile, hatches those with too few probes and flags those with an incident. */
function captions(input: () => MapInput): Plugin<'matrix'> {
  return {
    id: 'captions',
    afterDatasetsDraw: (chart) => {
      const elements = chart.getDatasetMeta(0).data;
      input().regions.forEach((region, index) => {
        const element = elements[index];
        if (!element) return;
        const box = element.getProps(['x', 'y', 'width', 'height'] as never[]) as Box;
        const { x, y, width, height } = box;
        const tile = new Path2D();
        tile.rect(x, y, width, height);
        if (region.few) hatch(chart, region, box, tile);
        caption(chart, region, x + width / 2, y + height / 2, width - 4, region.value);
        if (region.marked) flag(chart, x + width - FLAG, y, [0, 5, 0, 5]);
      });
    },
  };
}
