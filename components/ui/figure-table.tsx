import type { ReactNode } from 'react';

/** `key` is unique within the table; `values` has one for each column. */
export type FigureRow = { key: string; name: ReactNode; values: ReactNode[] };

type Props = { caption?: string; corner?: string; columns: string[]; rows: FigureRow[]; className?: string };

const NAME = 'py-1 pr-3 text-left font-medium';
const FIGURE = 'num pl-3';

/** A small table of figures: a thing a row, a figure a column. `corner` heads the names of the rows. */
export function FigureTable({ caption, corner, columns, rows, className = 'w-full' }: Props) {
  return (
    <table className={`mt-2 ${className}`}>
      {caption ? <caption className="sr-only">{caption}</caption> : null}
      <thead className="text-muted">
        <tr>
          {corner ? (
            <th scope="col" className={NAME}>
              {corner}
            </th>
          ) : (
            <td />
          )}
          {columns.map((column) => (
            <th key={column} scope="col" className={`${FIGURE} font-medium`}>
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, name, values }) => (
          <tr key={key} className="border-line border-t">
            <th scope="row" className={NAME}>
              {name}
            </th>
            {columns.map((column, index) => (
              <td key={column} className={FIGURE}>
                {values[index]}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
