'use client';

import { type Chart, LinearScale, LineController, type Plugin, type Scale, type ScaleOptions } from 'chart.js';
import { useRouter } from 'next/navigation';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { brushPlugin, type Zoom } from './brush.ts';
import { stepOf } from './change-scale.ts';
import { type ChartKind, ChartView } from './chart.tsx';
import { colour } from './colours.ts';
import { FONT } from './common.options.ts';
import { cursorPlugin, moveCursor } from './cursor.ts';
import { type Cell, cellText, type HeatInput, hrefOf, sizeOf, timeOf } from './heat-cells.ts';
import { timeScale } from './time-axis.ts';
import { useZoom } from './use-zoom.ts';

type Live = HeatInput & {
  zoom: Zoom | null;
  /** The cell under the pointer or the keyboard's cursor. */
  active: { current: Cell | null };
  point: (cell: Cell | null) => void;
  open: (cell: Cell) => void;
};

type Props = { input: HeatInput; label: string; describedBy: string; zoom?: string };

/**
 * Series over time as a grid of coloured cells. Pointing at a cell, or moving to it with the arrow keys, gives its place, time and
 * values as text; a click or Enter opens the trend of its place. `zoom` is the address from which that of a selected range is made.
 */
export function HeatChart({ input, label, describedBy, zoom: base }: Props) {
  const router = useRouter();
  const zoom = useZoom(base);
  const [cell, setCell] = useState<Cell | null>(null);
  const active = useRef<Cell | null>(null);
  const live = useMemo<Live>(() => {
    const point = (next: Cell | null) => {
      if (next?.row === active.current?.row && next?.column === active.current?.column) return;
      active.current = next;
      setCell(next);
    };
    const open = (at: Cell) => {
      const href = hrefOf(input, at);
      if (href !== null) router.push(href);
    };
    return { ...input, zoom, active, point, open };
  }, [input, zoom, router]);
  const moveTo = (next: Cell | null) => {
    live.point(next);
    moveCursor(next && timeOf(input, next) + input.stepMs / 2);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Alt with an arrow is the browser's own.
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const from = active.current ?? lastColumn(input);
    const next = KEYS[event.key]?.(from, input);
    if (next) moveTo({ row: clamp(next.row, input.rows.length), column: clamp(next.column, input.columns) });
    else if (event.key === 'Enter') live.open(from);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <p role="status" className="min-h-6 text-[0.92rem] tabular-nums">
        {cell ? cellText(input, cell) : <span className="text-muted">{input.texts.hint}</span>}
      </p>
      <div
        role="application"
        aria-label={label}
        aria-describedby={describedBy}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move a cursor in it
        tabIndex={0}
        className="cursor-crosshair"
        onKeyDown={onKeyDown}
        onFocus={(event) => {
          if (event.currentTarget.matches(':focus-visible')) moveTo(lastColumn(input));
        }}
        onBlur={() => moveTo(null)}
      >
        <ChartView
          kind={heatKind}
          input={live}
          label={label}
          describedBy={describedBy}
          className={sizeOf(input.rows.length).chart}
        />
      </div>
    </>
  );
}

const lastColumn = ({ columns }: HeatInput): Cell => ({ row: 0, column: columns - 1 });
const clamp = (index: number, count: number) => Math.min(Math.max(index, 0), count - 1);

const PAGE = 10;
const KEYS: Record<string, (from: Cell, input: HeatInput) => Cell> = {
  ArrowLeft: ({ row, column }) => ({ row, column: column - 1 }),
  ArrowRight: ({ row, column }) => ({ row, column: column + 1 }),
  ArrowUp: ({ row, column }) => ({ row: row - 1, column }),
  ArrowDown: ({ row, column }) => ({ row: row + 1, column }),
  PageUp: ({ row, column }) => ({ row: row - PAGE, column }),
  PageDown: ({ row, column }) => ({ row: row + PAGE, column }),
  Home: ({ row }) => ({ row, column: 0 }),
  End: ({ row }, { columns }) => ({ row, column: columns - 1 }),
};

const heatKind: ChartKind<'line', Live> = {
  parts: [LineController, LinearScale],
  data: () => ({ datasets: [] }),
  build: (input) => ({
    type: 'line',
    plugins: [cellsPlugin(input), cursorPlugin as Plugin<'line'>, brushPlugin(() => input().zoom) as Plugin<'line'>],
    options: {
      font: FONT,
      onClick: (event, _elements, chart) => {
        const cell = cellAt(chart, input(), event.x ?? -1, event.y ?? -1);
        if (cell) input().open(cell);
      },
      plugins: { tooltip: { enabled: false } },
      scales: { x: timeScale(input), y: rowScale(input) },
    },
  }),
};

/** Heights in px: of a row that has room for its name, of a block of rows that has room for one, and of the time axis. */
const [NAMED_ROW, NAMED_BLOCK, TIME_AXIS] = [13, 14, 40];
/** Width in px of a chart that has room for long names of its rows, and the longest names, characters, of it and of one that is narrower. */
const WIDE = 560;
const LONGEST_NAME = { wide: 28, narrow: 12 };

/** Names rows, or where these are too low the blocks of a carrier. */
function rowScale(input: () => HeatInput): ScaleOptions<'linear'> {
  let names = new Map<number, string>();
  return {
    type: 'linear',
    bounds: 'data',
    reverse: true,
    afterDataLimits: (axis: Scale) => {
      axis.min = 0;
      axis.max = input().rows.length;
    },
    afterBuildTicks: (axis: Scale) => {
      names = rowNames(input(), axis.chart.height, axis.chart.width);
      axis.ticks = [...names.keys()].map((value) => ({ value }));
    },
    grid: { display: false },
    ticks: {
      color: () => colour('--muted'),
      font: FONT,
      autoSkip: false,
      callback: (value: number | string) => names.get(Number(value)) ?? '',
    },
  };
}

const shorten = (name: string, longest: number) => (name.length > longest ? `${name.slice(0, longest - 1)}…` : name);

function rowNames({ rows, blocks }: HeatInput, height: number, width: number): Map<number, string> {
  const rowHeight = (height - TIME_AXIS) / Math.max(rows.length, 1);
  const longest = LONGEST_NAME[width >= WIDE ? 'wide' : 'narrow'];
  if (rowHeight >= NAMED_ROW) return new Map(rows.map(({ name }, row) => [row + 0.5, shorten(name, longest)]));
  const high = blocks.filter(({ from, to }) => (to - from) * rowHeight >= NAMED_BLOCK);
  return new Map(high.map(({ name, from, to }) => [(from + to) / 2, name]));
}

/** Draws the cells from a picture of one pixel each, so that a redraw costs the same for any number of them. */
function cellsPlugin(input: () => Live): Plugin<'line'> {
  let picture: HTMLCanvasElement | null = null;
  return {
    id: 'cells',
    // After new data and after a change of the theme.
    afterUpdate: () => {
      picture = paintCells(input());
    },
    beforeDatasetsDraw: (chart) => {
      const { ctx, chartArea, scales } = chart;
      const { start, stepMs, columns, blocks, active } = input();
      const { x, y } = scales;
      if (!picture || !x || !y || columns === 0) return;
      const { left, top, width, height } = chartArea;
      const first = x.getPixelForValue(start);
      ctx.save();
      ctx.beginPath();
      ctx.rect(left, top, width, height);
      ctx.clip();
      ctx.imageSmoothingEnabled = false;
      ctx.drawImage(picture, first, top, x.getPixelForValue(start + columns * stepMs) - first, height);
      ctx.fillStyle = colour('--surface');
      for (const { from } of blocks.slice(1)) ctx.fillRect(left, y.getPixelForValue(from) - 1, width, 2);
      if (active.current) outlineCell(chart, input(), active.current);
      ctx.restore();
    },
    afterEvent: (chart, { event, inChartArea }) => {
      if (event.type === 'mouseout') input().point(null);
      if (event.type !== 'mousemove') return;
      input().point(inChartArea ? cellAt(chart, input(), event.x ?? -1, event.y ?? -1) : null);
    },
  };
}

function paintCells({ rows, columns, levels, levelsAt, least }: HeatInput): HTMLCanvasElement {
  const picture = document.createElement('canvas');
  picture.width = Math.max(columns, 1);
  picture.height = Math.max(rows.length, 1);
  const ctx = picture.getContext('2d');
  const colours = [0, 1, 2, 3, 4, 5, 6].map((step) => colour(`--change-${step}`));
  for (const [row, { values }] of rows.entries())
    for (const [column, value] of values.entries()) {
      const step = stepOf(value, levels[levelsAt[column] ?? -1]?.[row] ?? null, least);
      if (!ctx || step === null) continue;
      ctx.fillStyle = colours[step] ?? '';
      ctx.fillRect(column, row, 1, 1);
    }
  return picture;
}

function outlineCell({ ctx, scales: { x, y } }: Chart, { start, stepMs }: HeatInput, { row, column }: Cell): void {
  if (!x || !y) return;
  const [left, right] = [column, column + 1].map((at) => x.getPixelForValue(start + at * stepMs)) as [number, number];
  const [top, bottom] = [row, row + 1].map((at) => y.getPixelForValue(at)) as [number, number];
  ctx.strokeStyle = colour('--ink');
  ctx.lineWidth = 2;
  ctx.strokeRect(left - 1, top - 1, right - left + 2, bottom - top + 2);
}

/** The cell at a point of the chart, px; null outside of the cells. */
function cellAt({ scales, chartArea }: Chart, input: HeatInput, left: number, top: number): Cell | null {
  if (!scales.x || !scales.y || left < chartArea.left || left > chartArea.right) return null;
  const column = Math.floor(((scales.x.getValueForPixel(left) ?? 0) - input.start) / input.stepMs);
  const row = Math.floor(scales.y.getValueForPixel(top) ?? -1);
  const isInside = column >= 0 && column < input.columns && row >= 0 && row < input.rows.length;
  return isInside ? { row, column } : null;
}
