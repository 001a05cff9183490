import { emptySummary, mergeSummary, type Summary } from '#analysis/summary.ts';
import { countryOf } from '#contract/location.ts';
import { getPool } from '#server/database/database.ts';
import type { RollupCell } from '#server/rollups/read.ts';
import type { Places } from '#server/vantages/labels.ts';

/** Summaries by region and carrier, and the margins: sums over all cells, so that every sample weighs the same. */
export type Cells = {
  byCell: Map<string, Summary>;
  byRegion: Map<string, Summary>;
  byCarrier: Map<string, Summary>;
  all: Summary;
};

/** Regions and carriers by vantage group, ready for `readCells`; `all` where no vantage is left out. */
export type Locations = Pick<Places, 'labels'> & {
  all: boolean;
  groups: Map<string, number>;
  cells: { region: string; carrier: string }[];
};

export function cellKey(region: string, carrier: string): string {
  return `${region} ${carrier}`;
}

/** The places that a filter selects, one group for each region and carrier. */
export function locationsOf({ labels, selected }: Places): Locations {
  const groups = new Map<string, number>();
  const cells = new Map<string, { index: number; region: string; carrier: string }>();
  for (const id of selected ?? labels.keys()) {
    const place = labels.get(id);
    if (!place) continue;
    const key = cellKey(place.region, place.carrier);
    const cell = cells.get(key) ?? { index: cells.size, region: place.region, carrier: place.carrier };
    cells.set(key, cell);
    groups.set(id, cell.index);
  }
  return { labels, all: selected === null, groups, cells: [...cells.values()] };
}

/** Summaries by group as cells and margins. */
export function cellsOf(rows: readonly RollupCell[], locations: Locations): Cells {
  const cells: Cells = { byCell: new Map(), byRegion: new Map(), byCarrier: new Map(), all: emptySummary() };
  for (const { group, summary } of rows) {
    const place = locations.cells[group];
    if (!place) continue;
    cells.byCell.set(cellKey(place.region, place.carrier), summary);
    mergeSummary(sumOf(cells.byRegion, place.region), summary);
    mergeSummary(sumOf(cells.byCarrier, place.carrier), summary);
    mergeSummary(cells.all, summary);
  }
  return cells;
}

/** The margins by country. A single country has that of all: most installations have no other. */
export function countriesOf({ byRegion, all }: Cells): Map<string, Summary> {
  const regions = Map.groupBy([...byRegion], ([region]) => countryOf(region));
  const sum = (own: [string, Summary][]) => {
    const summary = emptySummary();
    for (const [, each] of own) mergeSummary(summary, each);
    return summary;
  };
  return new Map([...regions].map(([country, own]) => [country, regions.size === 1 ? all : sum(own)]));
}

function sumOf(sums: Map<string, Summary>, name: string): Summary {
  const sum = sums.get(name) ?? emptySummary();
  sums.set(name, sum);
  return sum;
}

/** Groups of the places that are to probe the target now, whether or not they have. */
export async function assignedGroups(targetId: string, locations: Locations): Promise<number[]> {
  const { rows } = await getPool().query<{ id: string }>(
    'select vantage_id as id from "check" where target_id = $1 and deleted_at is null',
    [targetId],
  );
  return rows.flatMap((row) => locations.groups.get(row.id) ?? []);
}
