import type { ComparisonInterval, Direction } from '#contract/comparison.ts';
import { signed } from '#i18n/comparison.ts';
import { formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import type { Column } from '../ui/table.tsx';

const SIGNS: Record<Direction, string> = { faster: '▼', slower: '▲', unclear: '' };
const TONES: Record<Direction, string> = { faster: 'badge-good', slower: 'badge-bad', unclear: '' };

type IntervalProps = { ui: Ui; interval: ComparisonInterval; digits?: number };

/** A shift with its sign, and its interval in small figures below. */
export function Shift({ ui, interval, digits = 1 }: IntervalProps) {
  const figure = (value: number) => signed(ui, value, digits);
  return (
    <span className="inline-block">
      <span className="block">{figure(interval.value)}</span>
      <span className="block text-[0.8rem] text-muted">
        {ui.t('comparison.interval', { low: figure(interval.low), high: figure(interval.high) })}
      </span>
    </span>
  );
}

/** A row with a shift; of a few rows it is unknown. */
type Shifted = { shift: ComparisonInterval | null };

/** The column of shifts, ms; `unknown` stands where there is none. */
export function shiftColumn<Row extends Shifted>(ui: Ui, unknown = ui.t('common.noValue')): Column<Row> {
  return {
    key: 'shift',
    head: `${ui.t('comparison.shift')} (ms)`,
    cell: ({ shift }) => (shift ? <Shift ui={ui} interval={shift} /> : unknown),
    numeric: true,
  };
}

/** Levels before and after, and the shift between them, ms; on a phone the shift alone. */
export function levelColumns<Row extends Shifted & { before: number; after: number }>(ui: Ui): Column<Row>[] {
  const level = (side: 'before' | 'after'): Column<Row> => ({
    key: side,
    head: ui.t(`comparison.${side}`),
    cell: (row) => formatQuantity(ui, row[side], 'ms'),
    numeric: true,
    wideOnly: true,
  });
  return [level('before'), level('after'), shiftColumn(ui)];
}

/** Faster, slower or unclear: in words, with a sign and a colour beside them. */
export function DirectionBadge({ ui, direction }: { ui: Ui; direction: Direction }) {
  return (
    <span className={`badge ${TONES[direction]}`}>
      <span aria-hidden="true">{SIGNS[direction]}</span> {ui.t(`comparison.direction.${direction}`)}
    </span>
  );
}

/** The sign alone, for cells that have no room for words; it is said to those who cannot see it. */
export function DirectionSign({ ui, direction }: { ui: Ui; direction: Direction }) {
  const name = ui.t(`comparison.direction.${direction}`);
  return (
    <span
      className={direction === 'faster' ? 'text-good' : direction === 'slower' ? 'text-bad' : 'text-muted'}
      title={name}
    >
      <span aria-hidden="true">{SIGNS[direction]}</span>
      <span className="sr-only">{name}</span>
    </span>
  );
}

/** Part of a comparison's page. */
export function Part({
  id,
  title,
  note,
  children,
}: {
  id: string;
  title: string;
  note?: string;
  children: React.ReactNode;
}) {
  return (
    <section className="panel mb-4 min-w-0 break-inside-avoid p-4">
      <h2 id={id}>{title}</h2>
      {note ? <p className="mt-1 mb-2 text-[0.86rem] text-muted">{note}</p> : null}
      {children}
    </section>
  );
}
