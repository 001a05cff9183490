import type { Chart, Plugin } from 'chart.js';
import { colour } from './colours.ts';

// One cursor over all time charts of a page: pointing at one of them marks the same instant in each.

let instant: number | null = null;
let isDue = false;
const charts = new Set<Chart>();

/** Moves the cursor of all charts to an instant, ms since 1970, or removes it, and redraws them with the next frame. */
export function moveCursor(at: number | null): void {
  instant = at;
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    for (const chart of charts) chart.draw();
  });
}

/** Draws the cursor, and moves it with the pointer; for charts whose `x` is a time axis. */
export const cursorPlugin: Plugin = {
  id: 'cursor',
  afterInit: (chart) => {
    charts.add(chart);
  },
  afterDestroy: (chart) => {
    charts.delete(chart);
  },
  afterEvent: (chart, { event, inChartArea }) => {
    if (event.type === 'mouseout') moveCursor(null);
    if (event.type === 'mousemove')
      moveCursor(inChartArea ? (chart.scales.x?.getValueForPixel(event.x ?? 0) ?? null) : null);
  },
  afterDraw: (chart) => {
    const axis = chart.scales.x;
    if (instant === null || !axis || instant < axis.min || instant > axis.max) return;
    const { ctx, chartArea } = chart;
    const x = Math.round(axis.getPixelForValue(instant)) + 0.5;
    ctx.save();
    ctx.strokeStyle = colour('--line-strong');
    ctx.lineWidth = 1;
    ctx.beginPath();
    ctx.moveTo(x, chartArea.top);
    ctx.lineTo(x, chartArea.bottom);
    ctx.stroke();
    ctx.restore();
  },
};
