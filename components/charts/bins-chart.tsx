'use client';

import { type Bins, binLines, binText } from './bins.ts';
import { DistributionChart, type DistributionProps } from './distribution-chart.tsx';
import { type ValuesProps, ValuesTable } from './values-table.tsx';

export type BinsProps = Omit<DistributionProps, 'input'> & {
  input: Bins & Omit<DistributionProps['input'], 'lines'> & { bins: 'bars' | 'cumulative' };
  table: Omit<ValuesProps, 'make'>;
  failed: string;
};

/** A distribution in bins, with the shares of all in a table to open. */
export function BinsChart({ input: { edges, lines, ...input }, table, label, describedBy }: BinsProps) {
  const { format } = new Intl.NumberFormat(input.locale, { maximumFractionDigits: 2 });
  const make = () => ({
    heads: [input.value, ...lines.map(({ name }) => `${name} (%)`)],
    rows: edges
      .slice(1)
      .map((_, bin) => [
        binText(input.locale, edges, bin),
        ...lines.map(({ shares }) => format(100 * (shares[bin] ?? 0))),
      ]),
  });
  return (
    <>
      <DistributionChart
        input={{ ...input, lines: binLines({ edges, lines }, input.bins) }}
        label={label}
        describedBy={describedBy}
      />
      <ValuesTable {...table} make={make} />
    </>
  );
}
