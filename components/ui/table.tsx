import Link from 'next/link';
import type { ReactNode } from 'react';
import { Define } from './define.tsx';
import { ScrollBox } from './scroll-box.tsx';

/** One column of a table of `Row`s. */
export type Column<Row> = {
  /** Unique within the table. */
  key: string;
  /** Null leaves the corner over the names of the rows empty. */
  head: ReactNode;
  /** What the head means, one hover, tap or Tab away. */
  definition?: string;
  cell: (row: Row, index: number) => ReactNode;
  /** Where the head orders the rows by this column, and whether they are: how their values go downwards. */
  sort?: { href: string; order: 'ascending' | 'descending' | null };
  /** The cell names its row: a row header for screen readers. */
  rowHead?: boolean;
  /** Figures: to the right, digit under digit. */
  numeric?: boolean;
  /** Hidden on a phone. */
  wideOnly?: boolean;
  /** The head is there for screen readers alone, as over buttons. */
  hiddenHead?: boolean;
  /** Of each cell, not of the head. */
  className?: string | ((row: Row) => string);
  title?: (row: Row) => string | undefined;
  /** How many columns the cell takes; 0 where the cell before it covers it. */
  span?: (row: Row) => number;
};

const DENSITIES = {
  normal: '',
  compact: '[&_td]:px-2 [&_th]:px-2',
  dense: 'text-[0.92rem] [&_td]:px-1.5 [&_td]:py-1 [&_th]:px-1.5 [&_th]:py-1',
  /** Rows of 32 px. */
  rows: '[&_tr]:h-[32px] [&_td]:px-2 [&_td]:py-0 [&_th]:px-2 [&_th]:py-0 max-sm:[&_td]:px-1.5 max-sm:[&_th]:px-1.5',
};

type Props<Row> = {
  /** Names the box for screen readers. */
  label: string;
  /** What the table says beyond its label, for screen readers. */
  caption?: string;
  /** In their order; null where a column is left out. */
  columns: readonly (Column<Row> | null)[];
  rows: readonly Row[];
  rowKey: (row: Row, index: number) => string;
  /** Of the table. */
  id?: string;
  density?: keyof typeof DENSITIES;
  /** Of the box around the table. */
  className?: string;
  /** The colour of the row's left edge, or null. */
  stripe?: (row: Row) => Stripe | null;
};

/** A table that scrolls within its own box, so that the page never does. The caller says what stands where it is empty. */
export function Table<Row>({
  label,
  caption,
  id,
  density = 'normal',
  className,
  rows,
  rowKey,
  stripe,
  ...props
}: Props<Row>) {
  const columns = props.columns.filter((column) => column !== null);
  return (
    <ScrollBox label={label} className={className}>
      <table id={id} className={`table ${DENSITIES[density]}`}>
        {caption ? <caption className="sr-only">{caption}</caption> : null}
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.key} column={column} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => {
            const colour = stripe?.(row);
            return (
              <tr key={rowKey(row, index)} className={colour ? EDGES[colour] : undefined}>
                {columns.map((column) => (
                  <Cell key={column.key} column={column} row={row} index={index} />
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </ScrollBox>
  );
}

/** What a row's left edge can say. */
export type Stripe = 'good' | 'warn' | 'bad';

// Style attributes are what the content security policy forbids.
const EDGES: Record<Stripe, string> = {
  good: 'edged [--edge:var(--good)]',
  warn: 'edged [--edge:var(--warn)]',
  bad: 'edged [--edge:var(--bad)]',
};

const placement = ({ numeric, wideOnly }: Pick<Column<never>, 'numeric' | 'wideOnly'>) =>
  [numeric ? 'num' : '', wideOnly ? 'hidden sm:table-cell' : ''].filter(Boolean).join(' ') || undefined;

function Head<Row>({ column }: { column: Column<Row> }) {
  const { head, definition, hiddenHead, sort, numeric = false } = column;
  if (head === null) return <td className={placement(column)} />;
  if (sort)
    return (
      <th scope="col" className={placement(column)} aria-sort={sort.order ?? undefined}>
        <Link href={sort.href} prefetch={false} scroll={false} title={definition} className="hover:underline">
          {head}
          {sort.order ? <span aria-hidden="true">{sort.order === 'ascending' ? ' ↑' : ' ↓'}</span> : null}
        </Link>
      </th>
    );
  return (
    <th scope="col" className={placement(column)}>
      {definition ? <Define term={head} definition={definition} end={numeric} /> : null}
      {!definition && hiddenHead ? <span className="sr-only">{head}</span> : null}
      {definition || hiddenHead ? null : head}
    </th>
  );
}

type CellProps<Row> = { column: Column<Row>; row: Row; index: number };

function Cell<Row>({ column, row, index }: CellProps<Row>) {
  const { cell, className, rowHead, title, span } = column;
  const columns = span?.(row) ?? 1;
  if (columns === 0) return null;
  const own = typeof className === 'function' ? className(row) : className;
  const classes = [placement(column), own].filter(Boolean).join(' ');
  const said = title?.(row);
  // What is undefined is sent along as well, for each cell.
  const shared = {
    ...(classes ? { className: classes } : {}),
    ...(said ? { title: said } : {}),
    ...(columns === 1 ? {} : { colSpan: columns }),
  };
  return rowHead ? (
    <th scope="row" {...shared}>
      {cell(row, index)}
    </th>
  ) : (
    <td {...shared}>{cell(row, index)}</td>
  );
}
