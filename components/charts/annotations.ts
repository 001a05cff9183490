import type { Chart, Plugin } from 'chart.js';
import { colour, faded } from './colours.ts';
import { FONT } from './common.options.ts';

/** What is drawn over a chart in time. Instants in ms, values in the chart's own unit before its scale; `token` a colour. */
export type Annotation =
  | { kind: 'line'; at: number; label: string; token: string; dashed?: boolean }
  | { kind: 'span'; from: number; to: number; label: string; token: string }
  | { kind: 'level'; from: number; to: number; value: number; label: string; token: string }
  | { kind: 'failure'; from: number; to: number; label: string; text: string; token: string };

const FLAG = 16;
/** Flags closer to each other than this are set one below the other, in px. */
const CROWDED = FLAG + 2;
const ROWS = 3;

/** Draws what the input says beside its data: under the lines what lasts, over them what happened at an instant. */
export function annotationPlugin<Input extends { annotations: Annotation[]; scale: number }>(
  input: () => Input,
): Plugin<'line'> {
  return {
    id: 'annotations',
    beforeDatasetsDraw: (chart) => {
      for (const each of input().annotations) if (each.kind === 'span') drawSpan(chart, each);
    },
    afterDatasetsDraw: (chart) => {
      const { annotations, scale } = input();
      for (const each of annotations) if (each.kind === 'level') drawLevel(chart, each, scale);
      for (const each of annotations) if (each.kind === 'failure') drawFailure(chart, each);
      drawLines(
        chart,
        annotations.filter(isPoint).toSorted((a, b) => start(a) - start(b)),
      );
    },
  };
}

type Point = Extract<Annotation, { kind: 'line' | 'span' }>;
const isPoint = (annotation: Annotation): annotation is Point =>
  annotation.kind === 'line' || annotation.kind === 'span';
const start = (point: Point) => (point.kind === 'line' ? point.at : point.from);

/** Highest value of the levels, so that an axis can hold them. */
export const highestLevel = (annotations: Annotation[], scale: number): number | undefined => {
  const values = annotations.flatMap((each) => (each.kind === 'level' ? [each.value * scale] : []));
  return values.length > 0 ? Math.max(...values) : undefined;
};

/** Where an instant stands, in px, no further out than the plot; null where none of it is in the plot. */
function between(chart: Chart, from: number, to: number): { left: number; right: number } | null {
  const { left, right } = chart.chartArea;
  const x = chart.scales.x;
  if (!x || to < x.min || from > x.max) return null;
  return {
    left: Math.max(left, x.getPixelForValue(from)),
    right: Math.min(right, x.getPixelForValue(to)),
  };
}

function drawSpan(chart: Chart, { from, to, token }: Extract<Annotation, { kind: 'span' }>): void {
  const box = between(chart, from, to);
  if (!box) return;
  const { top, bottom } = chart.chartArea;
  chart.ctx.save();
  chart.ctx.fillStyle = faded(token, 0.12);
  chart.ctx.fillRect(box.left, top, Math.max(box.right - box.left, 2), bottom - top);
  chart.ctx.restore();
}

function drawLevel(chart: Chart, level: Extract<Annotation, { kind: 'level' }>, scale: number): void {
  const box = between(chart, level.from, level.to);
  const y = chart.scales.y?.getPixelForValue(level.value * scale);
  if (!box || y === undefined) return;
  const { ctx } = chart;
  ctx.save();
  ctx.strokeStyle = colour(level.token);
  ctx.lineWidth = 2;
  ctx.setLineDash([6, 4]);
  ctx.beginPath();
  ctx.moveTo(box.left, y);
  ctx.lineTo(box.right, y);
  ctx.stroke();
  ctx.font = `600 ${FONT.size}px ${FONT.family}`;
  const width = ctx.measureText(level.label).width;
  // A level that begins at the right edge has its name before its start, so that no line runs through the name.
  const fits = box.left + 6 + width <= chart.chartArea.right;
  const x = fits ? box.left + 6 : Math.max(chart.chartArea.left, box.left - width - 8);
  const above = y - chart.chartArea.top > FONT.size + 8;
  drawOutlined(ctx, level.label, { x, y: above ? y - 6 : y + FONT.size + 6, token: level.token });
  ctx.restore();
}

/** What failed at an instant (ms): what a tooltip says of it. */
export const failureTexts = (annotations: Annotation[], at: number): string[] =>
  annotations.flatMap((each) => (each.kind === 'failure' && at >= each.from && at < each.to ? [each.text] : []));

const STRIP = 9;
const STROKES = 5;

/** A hatched strip along the foot of the plot, with the reason over it where there is room. */
function drawFailure(chart: Chart, { from, to, label, token }: Extract<Annotation, { kind: 'failure' }>): void {
  const box = between(chart, from, to);
  if (!box) return;
  const { ctx } = chart;
  const { bottom } = chart.chartArea;
  const width = Math.max(box.right - box.left, 3);
  ctx.save();
  ctx.beginPath();
  ctx.rect(box.left, bottom - STRIP, width, STRIP);
  ctx.fillStyle = faded(token, 0.35);
  ctx.fill();
  ctx.save();
  ctx.clip();
  ctx.strokeStyle = colour(token);
  ctx.lineWidth = 1.5;
  ctx.beginPath();
  for (let x = box.left - STRIP; x < box.left + width; x += STROKES) {
    ctx.moveTo(x, bottom);
    ctx.lineTo(x + STRIP, bottom - STRIP);
  }
  ctx.stroke();
  ctx.restore();
  ctx.font = `600 ${FONT.size}px ${FONT.family}`;
  if (ctx.measureText(label).width + 8 < width)
    drawOutlined(ctx, label, { x: box.left + 4, y: bottom - STRIP - 5, token });
  ctx.restore();
}

/** Text with a rim of the page's own surface, so that lines under it do not cross it out. */
function drawOutlined(ctx: CanvasRenderingContext2D, text: string, at: { x: number; y: number; token: string }) {
  ctx.setLineDash([]);
  ctx.lineWidth = 4;
  ctx.lineJoin = 'round';
  ctx.strokeStyle = colour('--surface');
  ctx.strokeText(text, at.x, at.y);
  ctx.fillStyle = colour(at.token);
  ctx.fillText(text, at.x, at.y);
}

function drawLines(chart: Chart, points: Point[]): void {
  const taken: number[] = [];
  for (const point of points) {
    const box = between(chart, start(point), start(point));
    if (!box) continue;
    const width = flagWidth(chart.ctx, point.label);
    const row = freeRow(taken, box.left);
    taken[row] = box.left + width - FLAG;
    drawLine(chart, point, { x: box.left, row, width });
  }
}

/** The first row whose last flag is not in the way; the last where all are. */
function freeRow(taken: number[], x: number): number {
  for (let row = 0; row < ROWS; row += 1) if (x - (taken[row] ?? -CROWDED) >= CROWDED) return row;
  return ROWS - 1;
}

function flagWidth(ctx: CanvasRenderingContext2D, label: string): number {
  ctx.font = `600 11px ${FONT.family}`;
  return Math.max(FLAG, ctx.measureText(label).width + 8);
}

function drawLine(chart: Chart, point: Point, { x, row, width }: { x: number; row: number; width: number }): void {
  const { ctx } = chart;
  const { top, bottom, right } = chart.chartArea;
  ctx.save();
  ctx.strokeStyle = colour(point.token);
  ctx.lineWidth = 1.2;
  if (point.kind === 'line' && point.dashed) ctx.setLineDash([3, 3]);
  ctx.beginPath();
  ctx.moveTo(x, top);
  ctx.lineTo(x, bottom);
  ctx.stroke();
  const left = Math.min(x, right - width);
  const y = top + row * (FLAG + 1);
  ctx.setLineDash([]);
  ctx.fillStyle = colour(point.token);
  ctx.fillRect(left, y, width, FLAG);
  ctx.font = `600 11px ${FONT.family}`;
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  ctx.fillStyle = colour('--surface');
  ctx.fillText(point.label, left + width / 2, y + FLAG / 2 + 0.5);
  ctx.restore();
}
