import type { LineStyle, Marker } from './styles.ts';

const SHAPES: Record<Marker, string> = {
  circle: 'M11 7m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0',
  triangle: 'M11 3.4L14.4 10H7.6Z',
  rect: 'M8.2 4.2H13.8V9.8H8.2Z',
  rectRot: 'M11 3L15 7L11 11L7 7Z',
  cross: 'M11 3V11M7 7H15',
  star: 'M11 3V11M7 7H15M8 4L14 10M14 4L8 10',
};

/** How a line looks in the chart: its colour, its dashes, its marker. */
export function LineSwatch({ style }: { style: LineStyle }) {
  const stroke = `var(${style.token})`;
  return (
    <svg width="22" height="14" viewBox="0 0 22 14" aria-hidden="true" className="shrink-0">
      <path d="M0 7H22" stroke={stroke} strokeWidth="2" strokeDasharray={style.dash.join(' ') || undefined} />
      <path d={SHAPES[style.marker]} fill={stroke} stroke={stroke} strokeWidth="1.2" />
    </svg>
  );
}
