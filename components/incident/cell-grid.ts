import type { IncidentCell } from '#contract/incident.ts';
import { orderCarriers, orderRegions } from '#contract/location.ts';
import { medianOf } from '#contract/median.ts';

/** What an incident's cells of one place come to: the middle of their relative changes, how many, and how many are over. */
export type GridCell = { change: number | null; differenceMs: number | null; n: number; recovered: number };
export type Grid = { regions: string[]; carriers: string[]; at: (region: string, carrier: string) => GridCell | null };

/** Cells by region and carrier, both in their usual order; only places that are affected have a row or a column. */
export function cellGrid(cells: IncidentCell[]): Grid {
  const places = Map.groupBy(cells, ({ region, carrier }) => `${region} ${carrier}`);
  return {
    regions: orderRegions(cells.flatMap(({ region }) => region ?? [])),
    carriers: orderCarriers(cells.flatMap(({ carrier }) => carrier ?? [])),
    at: (region, carrier) => {
      const here = places.get(`${region} ${carrier}`);
      return here ? summary(here) : null;
    },
  };
}

function summary(cells: IncidentCell[]): GridCell {
  const known = cells.flatMap(({ beforeMs, afterMs }) =>
    beforeMs === null || afterMs === null ? [] : [{ beforeMs, afterMs }],
  );
  return {
    change: medianOf(known.flatMap(({ beforeMs, afterMs }) => (beforeMs > 0 ? [afterMs / beforeMs - 1] : []))),
    differenceMs: medianOf(known.map(({ beforeMs, afterMs }) => afterMs - beforeMs)),
    n: cells.length,
    recovered: cells.filter((cell) => cell.recoveredAt !== null).length,
  };
}
