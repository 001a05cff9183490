import type { Chart, Plugin } from 'chart.js';
import { colour, faded } from './colours.ts';

/** Takes the ends of a selected range, ms since 1970; `reset` goes back to the range before. */
export type Zoom = { select(from: number, to: number): void; reset(): void };

/** Least distance in px that is a selection and no click, by a mouse and by a finger. */
const LEAST_PX = { mouse: 6, touch: 24 };

/**
 * Selects a time range by dragging over the plot of a chart whose `x` is a time axis, and goes back by a double click; `zoom` returns null
 * where nothing can be selected. Escape gives up; a finger that moves up or down scrolls the page.
 */
export function brushPlugin(zoom: () => Zoom | null): Plugin {
  let drag: { start: number; end: number } | null = null;
  let isSelection = false;
  const listening = new AbortController();

  const listen = (chart: Chart, canvas: HTMLCanvasElement) => {
    const { signal } = listening;
    const stop = () => {
      drag = null;
      chart.draw();
    };
    canvas.style.touchAction = 'pan-y pinch-zoom';
    canvas.addEventListener(
      'pointerdown',
      (event) => {
        isSelection = false;
        const { left, right, top, bottom } = chart.chartArea;
        const [x, y] = [event.offsetX, event.offsetY];
        if (event.button !== 0 || !event.isPrimary || !zoom()) return;
        if (x < left || x > right || y < top || y > bottom) return;
        drag = { start: x, end: x };
        canvas.setPointerCapture(event.pointerId);
      },
      { signal },
    );
    canvas.addEventListener(
      'pointermove',
      (event) => {
        if (!drag) return;
        const { left, right } = chart.chartArea;
        drag.end = Math.min(Math.max(event.offsetX, left), right);
        const least = event.pointerType === 'touch' ? LEAST_PX.touch : LEAST_PX.mouse;
        isSelection = Math.abs(drag.end - drag.start) >= least;
        chart.draw();
      },
      { signal },
    );
    canvas.addEventListener(
      'pointerup',
      () => {
        const range = drag && isSelection ? rangeOf(chart, drag) : null;
        stop();
        if (range) zoom()?.select(...range);
      },
      { signal },
    );
    canvas.addEventListener('pointercancel', stop, { signal });
    canvas.addEventListener('dblclick', () => zoom()?.reset(), { signal });
    // The click that ends a selection is none; before the listeners of Chart.js.
    canvas.addEventListener('click', (event) => isSelection && event.stopImmediatePropagation(), {
      signal,
      capture: true,
    });
    document.addEventListener('keydown', ({ key }) => drag && key === 'Escape' && stop(), { signal });
  };

  return {
    id: 'brush',
    afterInit: (chart) => listen(chart, chart.canvas),
    afterDestroy: () => listening.abort(),
    afterDraw: (chart) => {
      if (!drag || !isSelection) return;
      const { ctx, chartArea } = chart;
      const [left, right] = [Math.min(drag.start, drag.end), Math.max(drag.start, drag.end)];
      ctx.save();
      ctx.fillStyle = faded('--accent', 0.2);
      ctx.fillRect(left, chartArea.top, right - left, chartArea.height);
      ctx.fillStyle = colour('--accent');
      for (const edge of [left, right]) ctx.fillRect(edge - 1, chartArea.top, 2, chartArea.height);
      ctx.restore();
    },
  };
}

function rangeOf(chart: Chart, { start, end }: { start: number; end: number }): [from: number, to: number] | null {
  const axis = chart.scales.x;
  const ends = [start, end].map((px) => axis?.getValueForPixel(px)).filter((at) => at !== undefined);
  const [from, to] = ends.toSorted((a, b) => a - b);
  return from === undefined || to === undefined ? null : [from, to];
}
