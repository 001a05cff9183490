import { Chart, type ChartDataset } from 'chart.js';
import { csvText } from '#contract/csv.ts';

type Drawn = ChartDataset<'line', { x: number; y: number }[]>;

/** The chart of lines whose table has this id; undefined where it is not drawn. */
export function panelChart(panel: string): Chart<'line', { x: number; y: number }[]> | undefined {
  const canvas = document.querySelector<HTMLCanvasElement>(`canvas[aria-describedby="${CSS.escape(panel)}"]`);
  return (canvas ? Chart.getChart(canvas) : undefined) as ReturnType<typeof panelChart>;
}

/** The lines of a panel that are shown, as they are drawn: instants in ms, values in the unit of its axis, NaN for none. */
const shownLines = (panel: string): Drawn[] => {
  const chart = panelChart(panel);
  return (chart?.data.datasets ?? []).filter((_line, index) => chart?.isDatasetVisible(index));
};

/**
 * What a panel shows as CSV (RFC 4180): instants in UTC, or values in the unit `axis`, whose logarithms are drawn; then a column a line, with an
 * empty field where nothing was measured.
 */
export function panelCsv(panel: string, unit: string, axis?: string): string {
  const lines = shownLines(panel);
  const times = [...new Set(lines.flatMap(({ data }) => data.map(({ x }) => x)))].sort((a, b) => a - b);
  const columns = lines.map(({ data }) => new Map(data.map(({ x, y }) => [x, y])));
  const head = [axis ?? 'time', ...lines.map(({ label }) => `${label} (${unit})`)];
  const rows = times.map((time) => [
    axis === undefined ? new Date(time).toISOString() : `${Number(Math.exp(time).toPrecision(5))}`,
    ...columns.map((column) => column.get(time) ?? Number.NaN).map((value) => (Number.isNaN(value) ? '' : `${value}`)),
  ]);
  return [head.map(csvText), ...rows].map((row) => `${row.join(',')}\r\n`).join('');
}

/** What a panel shows as a picture (PNG) of the size and colours of the screen, its title above it. */
export async function panelPicture(panel: string, title: string): Promise<Blob | null> {
  const canvas = panelChart(panel)?.canvas;
  const picture = document.createElement('canvas');
  const context = picture.getContext('2d');
  if (!canvas || !context) return null;
  const ratio = canvas.width / canvas.clientWidth;
  const { backgroundColor, color, fontFamily } = getComputedStyle(canvas.closest('.panel') ?? document.body);
  picture.width = canvas.width;
  picture.height = canvas.height + TITLE_PX * ratio;
  context.fillStyle = backgroundColor;
  context.fillRect(0, 0, picture.width, picture.height);
  context.fillStyle = color;
  context.font = `600 ${15 * ratio}px ${fontFamily}`;
  context.fillText(title, 8 * ratio, 24 * ratio, picture.width - 16 * ratio);
  context.drawImage(canvas, 0, TITLE_PX * ratio);
  return new Promise((resolve) => picture.toBlob(resolve));
}

const TITLE_PX = 36;

/** Has the browser save a file. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  Object.assign(document.createElement('a'), { href: address, download: name }).click();
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
