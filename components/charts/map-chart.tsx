'use client';

import { type Chart, LinearScale, type Plugin, Tooltip } from 'chart.js';
import { MatrixController, MatrixElement } from 'chartjs-chart-matrix';
import { useRouter } from 'next/navigation';
import { useMemo } from 'react';
import { type ChartKind, ChartView } from './chart.tsx';
import { colour, faded } from './colours.ts';
import { FONT, tooltipLook } from './common.options.ts';
import { MAP_COLUMNS, MAP_ROWS } from './map-layout.ts';

/** One region: its names, what stands on the tile, and the lines of its tooltip. `tone` is a colour of palette.css, null without data; `marked` where an incident goes on. */
export type Tile = {
  column: number;
  row: number;
  short: string;
  name: string;
  value: string;
  tone: string | null;
  few: boolean;
  marked: boolean;
  lines: string[];
  href: string;
};
type MapInput = { tiles: Tile[]; open: (href: string) => void };

const GAP = 3;

/** The tile map of China. A click on a tile goes to its region; the table that describes it has the same links. */
export function MapChart({ tiles, label, describedBy }: { tiles: Tile[]; label: string; describedBy: string }) {
  const router = useRouter();
  const input = useMemo(() => ({ tiles, open: (href: string) => router.push(href) }), [tiles, router]);
  return (
    <ChartView
      kind={mapKind}
      input={input}
      label={label}
      describedBy={describedBy}
      className="h-[22rem] xl:h-[25rem]"
    />
  );
}

const mapKind: ChartKind<'matrix', MapInput> = {
  parts: [MatrixController, MatrixElement, LinearScale, Tooltip],
  data: ({ tiles }) => ({
    datasets: [
      {
        data: tiles.map((tile) => ({ x: tile.column, y: tile.row, v: 0 })),
        backgroundColor: ({ dataIndex }) => tileColour(tiles[dataIndex]),
        hoverBackgroundColor: ({ dataIndex }) => tileColour(tiles[dataIndex]),
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
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      font: FONT,
      onClick: (_event, elements) => {
        const tile = input().tiles[elements[0]?.index ?? -1];
        if (tile) input().open(tile.href);
      },
      plugins: {
        tooltip: {
          ...tooltipLook,
          displayColors: false,
          callbacks: {
            title: (items) => input().tiles[items[0]?.dataIndex ?? -1]?.name ?? '',
            label: (item) => input().tiles[item.dataIndex]?.lines ?? '',
          },
        },
      },
      scales: {
        x: { type: 'linear', display: false, min: -0.5, max: MAP_COLUMNS - 0.5, offset: false },
        y: { type: 'linear', display: false, min: -0.5, max: MAP_ROWS - 0.5, offset: false, reverse: true },
      },
    },
  }),
};

const tileColour = (tile: Tile | undefined) => colour(tile?.tone ? `--${tile.tone}` : '--raised');

/** Writes name and value on every tile, hatches those with too few probes and flags those with an incident. */
function captions(input: () => MapInput): Plugin<'matrix'> {
  return {
    id: 'captions',
    afterDatasetsDraw: (chart) => {
      const elements = chart.getDatasetMeta(0).data;
      input().tiles.forEach((tile, index) => {
        const element = elements[index];
        if (!element) return;
        const { x, y, width, height } = element.getProps(['x', 'y', 'width', 'height'] as never[]) as Box;
        if (tile.few) hatch(chart, tile, { x, y, width, height });
        caption(chart, tile, { x, y, width, height });
        if (tile.marked) flag(chart, { x, y, width });
      });
    },
  };
}

const inkOf = (tile: Tile) => (tile.tone === null ? '--muted' : `--${tile.tone}-ink`);

type Box = { x: number; y: number; width: number; height: number };

function caption({ ctx }: Chart, tile: Tile, box: Box): void {
  const middle = box.x + box.width / 2;
  ctx.save();
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  ctx.fillStyle = colour(inkOf(tile));
  ctx.font = `600 12px ${FONT.family}`;
  ctx.fillText(tile.short, middle, box.y + box.height / 2 - (tile.value ? 7 : 0), box.width - 4);
  ctx.font = `400 11px ${FONT.family}`;
  if (tile.value) ctx.fillText(tile.value, middle, box.y + box.height / 2 + 8, box.width - 4);
  ctx.restore();
}

function hatch({ ctx }: Chart, tile: Tile, { x, y, width, height }: Box): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(x, y, width, height);
  ctx.clip();
  ctx.strokeStyle = faded(inkOf(tile), 0.22);
  ctx.beginPath();
  for (let offset = -height; offset < width; offset += 6) {
    ctx.moveTo(x + offset, y + height);
    ctx.lineTo(x + offset + height, y);
  }
  ctx.stroke();
  ctx.restore();
}

const FLAG = 13;

/** A `!` in the corner, in the page's ink: to be seen without colour. */
function flag({ ctx }: Chart, { x, y, width }: Omit<Box, 'height'>): void {
  ctx.save();
  ctx.fillStyle = colour('--ink');
  ctx.beginPath();
  ctx.roundRect(x + width - FLAG, y, FLAG, FLAG, [0, 5, 0, 5]);
  ctx.fill();
  ctx.fillStyle = colour('--surface');
  ctx.font = `700 10px ${FONT.family}`;
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  ctx.fillText('!', x + width - FLAG / 2, y + FLAG / 2 + 0.5);
  ctx.restore();
}
