'use client';

import {
  Filler,
  LinearScale,
  LineController,
  LineElement,
  LogarithmicScale,
  type Plugin,
  PointElement,
  type Scale,
  type ScaleOptions,
  Tooltip,
} from 'chart.js';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { formatTime } from '#i18n/time.ts';
import { type Annotation, annotationPlugin, failureTexts, highestLevel } from './annotations.ts';
import { brushPlugin, type Zoom } from './brush.ts';
import { type ChartKind, ChartView } from './chart.tsx';
import { colour, faded } from './colours.ts';
import { FONT, tooltipLook } from './common.options.ts';
import { cursorPlugin, moveCursor } from './cursor.ts';
import { evenly } from './evenly.ts';
import { forgetHidden, useHiddenLines } from './hidden-lines.ts';
import { logTicks } from './log-axis.ts';
import { panelChart } from './panel-chart.ts';
import type { LineStyle } from './styles.ts';
import { timeScale } from './time-axis.ts';
import { useZoom } from './use-zoom.ts';
import { ValuesTable } from './values-table.tsx';

/**
 * A line over time: `points` are instants (ms) and values, null where nothing was measured. `band`: the room between it and the line before it
 * is filled; `off`: it is hidden until it is asked for.
 */
export type TrendLine = LineStyle & { name: string; points: [number, number | null][]; band?: true; off?: true };
export type TrendInput = {
  lines: TrendLine[];
  stacked: boolean;
  /** Values stand at their logarithms. */
  log: boolean;
  from: number;
  to: number;
  zone: string;
  /** Longest time without a value that a line goes over, in ms: a target probed rarely has no gap at each empty step. */
  bridgeMs: number;
  locale: string;
  /** Set after every number. */
  unit: string;
  /** Said of an instant without a value. */
  noData: string;
  /** Values are multiplied by it before they are shown: 100 for ratios. */
  scale: number;
  /** Markers, changes and levels drawn over the lines. */
  annotations: Annotation[];
  /** Of the table of its values: what opens it, the head of the times, and how many of them it has. */
  table: { label: string; time: string; note: string };
};

const MARKS_A_LINE = 12;

/** Lines or stacked areas over time. */
export function TrendChart({ input, narrow, zoom: base, ...view }: ViewProps) {
  const zoom = useZoom(base);
  const pressed = useHiddenLines(view.describedBy);
  const live = useMemo<Live>(() => {
    const hidden = pressed ?? new Set(input.lines.filter(({ off }) => off).map(({ name }) => name));
    return { ...input, zoom, hidden };
  }, [input, zoom, pressed]);
  const names = input.lines.map(({ name }) => name).join('\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was pressed is of these lines
  useEffect(() => forgetHidden(view.describedBy), [view.describedBy, names]);
  const [spoken, setSpoken] = useState('');
  const at = useRef<number | null>(null);
  const moveTo = (index: number | null) => {
    at.current = index;
    setSpoken(pointAt(view.describedBy, live, index));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Alt with an arrow is the browser's own.
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const last = Math.max(0, ...input.lines.map(({ points }) => points.length - 1));
    const next = KEYS[event.key]?.(at.current ?? last + 1, last);
    if (next === undefined) return;
    moveTo(Math.min(Math.max(next, 0), last));
    event.preventDefault();
  };
  return (
    <div className="min-w-0">
      <div
        role="application"
        aria-label={view.label}
        aria-describedby={view.describedBy}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move a cursor in it
        tabIndex={0}
        onKeyDown={onKeyDown}
        onBlur={() => at.current !== null && moveTo(null)}
      >
        <p role="status" className="sr-only">
          {spoken}
        </p>
        <ChartView key={`${input.log}`} kind={trendKind} input={live} {...view} className={narrow ? 'h-52' : 'h-72'} />
      </div>
      <ValuesTable label={input.table.label} note={input.table.note} make={() => valuesOf(input)} />
    </div>
  );
}

/** Values over the whole course, of all lines, also of hidden ones. */
function valuesOf(input: TrendInput) {
  const { lines, zone, table, noData } = input;
  const [first] = lines;
  return {
    heads: [table.time, ...lines.map(({ name }) => name)],
    rows: evenly(first?.points.length ?? 0).map((index) => [
      formatTime(first?.points[index]?.[0] ?? 0, zone, 'minute'),
      ...lines.map(({ points }) => {
        const value = points[index]?.[1] ?? null;
        return value === null ? noData : amount(input, value * input.scale);
      }),
    ]),
  };
}

const PAGE = 10;
const KEYS: Record<string, (index: number, last: number) => number> = {
  ArrowLeft: (index) => index - 1,
  ArrowRight: (index) => index + 1,
  PageUp: (index) => index - PAGE,
  PageDown: (index) => index + PAGE,
  Home: () => 0,
  End: (_index, last) => last,
};

/** Moves the cursor of all charts to a point, shows the values there as pointing at it would, and returns them as a text. */
function pointAt(panel: string, input: Live, index: number | null): string {
  const chart = panelChart(panel);
  const shown =
    index === null
      ? []
      : (chart?.data.datasets ?? []).flatMap(({ data }, datasetIndex) =>
          Number.isNaN(data[index]?.y ?? Number.NaN) || !chart?.isDatasetVisible(datasetIndex)
            ? []
            : [{ datasetIndex, index }],
        );
  const time = index === null ? null : (input.lines[0]?.points[index]?.[0] ?? null);
  moveCursor(time);
  const { chartArea, scales } = chart ?? {};
  // It is drawn with the cursor.
  chart?.tooltip?.setActiveElements(shown, { x: scales?.x?.getPixelForValue(time ?? 0) ?? 0, y: chartArea?.top ?? 0 });
  if (time === null) return '';
  const values = shown.map(({ datasetIndex }) => {
    const { label = '', data } = chart?.data.datasets[datasetIndex] ?? { data: [] };
    return `${label} ${amount(input, data[index ?? 0]?.y ?? 0)}`;
  });
  return `${formatTime(time, input.zone, 'minute')}: ${values.join(', ') || input.noData}`;
}

/** `narrow`: it has half a page, and is lower. `zoom`: the address from which that of a selected range is made, where there is one. */
type ViewProps = { input: TrendInput; label: string; describedBy: string; narrow: boolean; zoom: string | undefined };
type Live = TrendInput & { zoom: Zoom | null; hidden: ReadonlySet<string> };

const trendKind: ChartKind<'line', Live> = {
  parts: [LineController, LineElement, PointElement, LinearScale, LogarithmicScale, Filler, Tooltip],
  data: (input) => ({
    datasets: input.lines.map((line, index) => ({
      label: line.name,
      hidden: input.hidden.has(line.name),
      data: line.points.map(([x, value]) => ({ x, y: value === null ? Number.NaN : value * input.scale })),
      borderColor: () => colour(line.token),
      backgroundColor: () =>
        input.stacked || line.band ? faded(line.token, line.band ? 0.15 : 0.55) : colour(line.token),
      borderDash: line.dash,
      borderWidth: input.stacked ? 1 : 1.8,
      fill: input.stacked && index === 0 ? 'origin' : input.stacked || line.band ? '-1' : false,
      pointStyle: line.marker,
      pointRadius: ({ dataIndex }: { dataIndex: number }) =>
        marked(dataIndex, line.points.length) || alone(line.points, dataIndex) ? 3 : 0,
      pointHoverRadius: 4,
      spanGaps: input.bridgeMs,
    })),
  }),
  build: (input) => ({
    type: 'line',
    plugins: [
      annotationPlugin(input),
      cursorPlugin as Plugin<'line'>,
      brushPlugin(() => input().zoom) as Plugin<'line'>,
    ],
    options: {
      parsing: false,
      normalized: true,
      font: FONT,
      interaction: { mode: 'index', intersect: false },
      plugins: { tooltip: { ...tooltipLook, callbacks: tooltipTexts(input) } },
      scales: { x: timeScale(input), y: input().log ? logScale(input) : valueScale(input) },
    },
  }),
};

/** A line's marker stands on some of its points: enough to tell it by its shape, few enough to read. */
function marked(index: number, count: number): boolean {
  const every = Math.max(1, Math.floor(count / MARKS_A_LINE));
  return index % every === Math.floor(every / 2);
}

/** A point without a neighbour has no line through it: without a marker it would not be seen. */
function alone(points: TrendLine['points'], index: number): boolean {
  const missing = (at: number) => points[at] === undefined || points[at][1] === null;
  return missing(index - 1) && missing(index + 1);
}

function valueScale(input: () => TrendInput): ScaleOptions<'linear'> {
  return {
    type: 'linear',
    get stacked() {
      return input().stacked;
    },
    get beginAtZero() {
      return input().scale === 1 || input().stacked;
    },
    get suggestedMax() {
      return highestLevel(input().annotations, input().scale);
    },
    // Room around a flat line is made on both sides of it, whether or not there is anything.
    afterDataLimits: (axis: Scale) => {
      axis.min = Math.max(axis.min, 0);
      if (input().scale !== 1) axis.max = Math.min(axis.max, input().scale);
    },
    ...VALUE_LOOK,
    ticks: {
      ...VALUE_LOOK.ticks,
      maxTicksLimit: 6,
      callback: (value: number | string) => amount(input(), Number(value)),
    },
  };
}

/** From one tick to another, so that it holds all values above zero that are drawn; a zero stands at its foot. */
export function logScale(input: () => Omit<Live, 'zoom'>): ScaleOptions<'logarithmic'> {
  return {
    type: 'logarithmic',
    bounds: 'data',
    // Of values that are flat or have a zero Chart.js gives whole powers of ten around them.
    afterDataLimits: (axis: Scale) => {
      const { lines, hidden, annotations, scale } = input();
      const values = lines
        .filter(({ name }) => !hidden.has(name))
        .flatMap(({ points }) => points.map(([, value]) => (value ?? 0) * scale))
        .filter((value) => value > 0);
      const low = values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
      const high = values.reduce((most, value) => Math.max(most, value), highestLevel(annotations, scale) ?? 0);
      const ticks = logTicks(low, high);
      axis.min = ticks[0] ?? axis.min;
      axis.max = ticks.at(-1) ?? axis.max;
    },
    afterBuildTicks: (axis: Scale) => {
      axis.ticks = logTicks(axis.min, axis.max).map((value) => ({ value }));
    },
    ...VALUE_LOOK,
    ticks: {
      ...VALUE_LOOK.ticks,
      callback: (value: number | string) => {
        const { locale, unit } = input();
        return `${new Intl.NumberFormat(locale, { maximumSignificantDigits: 1 }).format(Number(value))} ${unit}`;
      },
    },
  };
}

const VALUE_LOOK = {
  grid: { color: () => colour('--line') },
  ticks: { color: () => colour('--muted'), font: FONT },
};

function tooltipTexts(input: () => TrendInput) {
  return {
    title: (items: { parsed: { x: number | null } }[]) =>
      `${formatTime(items[0]?.parsed.x ?? 0, input().zone, 'minute')} ${input().zone}`,
    label: (item: { dataset: { label?: string }; parsed: { y: number | null } }) =>
      `${item.dataset.label ?? ''}  ${amount(input(), item.parsed.y ?? 0)}`,
    footer: (items: { parsed: { x: number | null } }[]) => failureTexts(input().annotations, items[0]?.parsed.x ?? 0),
  };
}

/** A value with its unit: to a tenth below 100, and where small ones have room of their own, to three digits below 1. */
export function amount({ locale, unit, log }: Pick<TrendInput, 'locale' | 'unit' | 'log'>, value: number): string {
  const digits = log && value < 1 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: value < 100 ? 1 : 0 };
  return `${new Intl.NumberFormat(locale, digits).format(value)} ${unit}`;
}
