import { formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';

const WIDTH = 104;
const HEIGHT = 24;
const PAD = 3;

/** `at` is RFC 3339. */
type Point = { at: string; value: number | null };
/** Something that happened at an instant (ms), and the colour that it has on charts. */
export type SparkMark = { at: number; token: string };

/** `said` puts lowest, highest and latest into words. */
type Props = {
  ui: Ui;
  points: Point[];
  marks?: SparkMark[];
  said: (values: { min: string; max: string; last: string }) => string;
};

/** A line of milliseconds over equal steps of time, drawn by the server. Steps without data are gaps; what happened is a stroke. */
export function Sparkline({ ui, points, marks = [], said }: Props) {
  const values = points.flatMap((point) => (point.value === null ? [] : [point.value]));
  const last = values.at(-1);
  if (last === undefined) return <span className="text-muted">{ui.t('common.noValue')}</span>;
  const min = Math.min(...values);
  const max = Math.max(...values);
  const shown = (value: number) => formatQuantity(ui, value, 'ms');
  const placed = marks.flatMap((mark) => placedIn(points, mark));
  const line = said({ min: shown(min), max: shown(max), last: shown(last) });
  const label = placed.length > 0 ? `${line}. ${ui.t('targets.sparkMarks', { n: placed.length })}` : line;
  const { path, end } = trace(points, min, max);
  return (
    <svg width={WIDTH} height={HEIGHT} className="spark" role="img">
      <title>{label}</title>
      {placed.map(({ x, token, key }) => (
        <line
          key={key}
          x1={x}
          x2={x}
          y1="0"
          y2={HEIGHT}
          stroke={`var(${token})`}
          strokeWidth="1.2"
          strokeOpacity="0.75"
        />
      ))}
      <path d={path} />
      <circle cx={end.x} cy={end.y} r="2.4" />
    </svg>
  );
}

/** Where a mark stands; nowhere, where it is before the first step. A step's value stands at its beginning. */
function placedIn(points: Point[], { at, token }: SparkMark): { x: number; token: string; key: string }[] {
  const [first, second] = points;
  if (!first || !second) return [];
  const start = Date.parse(first.at);
  const steps = (at - start) / (Date.parse(second.at) - start);
  if (steps < 0) return [];
  const x = round(PAD + Math.min(1, steps / (points.length - 1)) * (WIDTH - 2 * PAD));
  return [{ x, token, key: `${at} ${token}` }];
}

/** The floor is never above half the highest value: a flat line with a little noise must look flat. */
function trace(points: Point[], min: number, max: number): { path: string; end: { x: number; y: number } } {
  const floor = Math.min(min, max / 2);
  const span = max - floor || 1;
  const step = (WIDTH - 2 * PAD) / Math.max(points.length - 1, 1);
  let path = '';
  let pen = false;
  let end = { x: 0, y: 0 };
  points.forEach((point, index) => {
    if (point.value === null) {
      pen = false;
      return;
    }
    end = {
      x: round(PAD + index * step),
      y: round(HEIGHT - PAD - ((point.value - floor) / span) * (HEIGHT - 2 * PAD)),
    };
    path += `${pen ? 'L' : 'M'}${end.x} ${end.y}`;
    pen = true;
  });
  return { path, end };
}

const round = (value: number) => Math.round(value * 10) / 10;
