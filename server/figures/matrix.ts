import { changeOf, emptySummary, type Summary, statisticOf } from '#analysis/summary.ts';
import type { Matrix, MatrixQuery, Measured } from '#contract/query.ts';
import { type Metric, type Stat, unitOf } from '#contract/vocabulary.ts';
import { watchedTarget } from '#server/targets/watched-target.ts';
import { generatedUntil } from './generated.ts';
import { orderCarriers, orderRegions } from './location-order.ts';
import { assignedGroups, type Cells, cellKey, matrixPlaces, type Places, readCells } from './matrix-cells.ts';
import { instantOf, type Range, resolveRange } from './range.ts';

/** What is shown of each cell; `before` is the range compared with. */
export type Shown = { metric: Metric; stat: Stat; range: Range; demo: boolean; generatedUntil: string | null };

/**
 * Regions by carriers over a range, with margins, and the same of another range to compare with. Percentiles come from
 * merged histograms, also in the margins: these weigh a place by how many results it has. Every region meets every
 * carrier; a cell without data has value null and n 0.
 */
export async function queryMatrix(query: MatrixQuery): Promise<Matrix> {
  const { metric, stat } = query;
  const target = await watchedTarget(query.target);
  const range = resolveRange(query);
  const before =
    query.compareFrom === undefined
      ? null
      : resolveRange({ from: query.compareFrom, to: query.compareTo }, { from: 'compareFrom', to: 'compareTo' });
  const places = await matrixPlaces(query);
  const [now, compared, assigned] = await Promise.all([
    readCells(target.id, metric, range, places),
    before && readCells(target.id, metric, before, places),
    assignedGroups(target.id, places),
  ]);
  const shown = {
    metric,
    stat,
    range,
    demo: target.demo,
    generatedUntil: await generatedUntil(target, before ?? range),
  };
  return buildMatrix(shown, placesShown(places, now, assigned), now, compared);
}

/** The regions and carriers of a matrix: those assigned to the target and those it has results from. */
export function placesShown(places: Places, now: Cells, assigned: number[]): { regions: string[]; carriers: string[] } {
  const cells = assigned.flatMap((group) => places.cells[group] ?? []);
  return {
    regions: orderRegions([...cells.map((cell) => cell.region), ...now.byRegion.keys()]),
    carriers: orderCarriers([...cells.map((cell) => cell.carrier), ...now.byCarrier.keys()]),
  };
}

/** The matrix of summaries that are already read. */
export function buildMatrix(
  { metric, stat, range, demo, generatedUntil }: Shown,
  { regions, carriers }: { regions: string[]; carriers: string[] },
  now: Cells,
  before: Cells | null,
): Matrix {
  const show = (summary: Summary | undefined, compared: Summary | undefined) =>
    measure(summary, before ? (compared ?? emptySummary()) : null, metric, stat);
  return {
    metric,
    stat,
    unit: unitOf(metric, stat),
    from: instantOf(range.from),
    to: instantOf(range.to),
    demo,
    generatedUntil,
    unclean: now.all.unclean,
    regions,
    carriers,
    cells: regions.flatMap((region) =>
      carriers.map((carrier) => {
        const key = cellKey(region, carrier);
        return { region, carrier, ...show(now.byCell.get(key), before?.byCell.get(key)) };
      }),
    ),
    margins: {
      regions: regions.map((region) => ({ region, ...show(now.byRegion.get(region), before?.byRegion.get(region)) })),
      carriers: carriers.map((carrier) => ({
        carrier,
        ...show(now.byCarrier.get(carrier), before?.byCarrier.get(carrier)),
      })),
      all: show(now.all, before?.all),
    },
  };
}

function measure(summary: Summary | undefined, before: Summary | null, metric: Metric, stat: Stat): Measured {
  const { value, n } = statisticOf(summary ?? emptySummary(), metric, stat);
  if (!before) return { value, n, compare: null };
  const compared = statisticOf(before, metric, stat);
  return { value, n, compare: { ...compared, change: changeOf(value, compared.value) } };
}
