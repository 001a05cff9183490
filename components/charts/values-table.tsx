'use client';

import { useState } from 'react';
import { ScrollBox } from '../ui/scroll-box.tsx';

export type ValuesProps = {
  label: string;
  /** What of the values is in it. */
  note: string;
  /** Heads of all columns, and rows whose first cell names them. */
  make: () => { heads: string[]; rows: string[][] };
};

/** The values of a chart as a table to open, which is made only then: a page is no larger for it. */
export function ValuesTable({ label, note, make }: ValuesProps) {
  const [isOpen, setOpen] = useState(false);
  const { heads, rows } = isOpen ? make() : { heads: [], rows: [] };
  return (
    <details className="mt-1 text-[0.86rem]" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="link w-fit">{label}</summary>
      <ScrollBox label={`${label}: ${note}`} className="mt-1 max-h-72 overflow-y-auto">
        <table className="table [&_td]:px-1.5 [&_td]:py-0.5 [&_th]:px-1.5 [&_th]:py-0.5">
          <caption className="text-left text-muted">{note}</caption>
          <thead>
            <tr>
              {heads.map((head, column) => (
                <th key={head} scope="col" className={column > 0 ? 'num' : undefined}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([name = '', ...cells]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {cells.map((cell, column) => (
                  <td key={heads[column + 1]} className="num">
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </details>
  );
}
