import { changeOf, emptySummary, statisticOf } from '#analysis/summary.ts';
import type { Matrix } from '#contract/query.ts';
import type { WorstCell } from '#contract/target-summary.ts';
import type { Metric, Stat } from '#contract/vocabulary.ts';
import { watchedTarget } from '#server/targets/watched-target.ts';
import { generatedUntil } from './generated.ts';
import { buildMatrix, placesShown } from './matrix.ts';
import { assignedGroups, matrixPlaces, readCells } from './matrix-cells.ts';
import { type Range, resolveRange } from './range.ts';
import { worstCells } from './worst-cells.ts';

export { listTargetSummaries } from './target-summaries.ts';

/** What the overview page of a target asks for; `from` and `to` are RFC 3339, the last 24 hours where left out. */
export type OverviewQuery = { metric: Metric; stat: Stat; from?: string | undefined; to?: string | undefined };

/**
 * One carrier over all regions. `p50` and `p95` are of the metric asked for (ms, or round trips); `availability` is a
 * ratio; `n` counts clean successful results; `changeVsYesterday` is relative, of the p50, against 24 hours earlier.
 */
export type CarrierCard = {
  carrier: string;
  availability: number | null;
  p50: number | null;
  p95: number | null;
  n: number;
  changeVsYesterday: number | null;
};

/** `matrix` is compared with 24 hours earlier. Times are those really used (whole minutes, UTC). */
export type Overview = {
  targetId: string;
  from: string;
  to: string;
  demo: boolean;
  all: Omit<CarrierCard, 'carrier'>;
  carriers: CarrierCard[];
  matrix: Matrix;
  worst: WorstCell[];
};

/** How many of the worst cells are shown. */
const WORST = 5;
const DAY = 86_400;

/** All that a target's overview page shows. Throws `not_found`, or `invalid` for a range that is none. */
export async function queryOverview(targetId: string, query: OverviewQuery): Promise<Overview> {
  const { metric, stat } = query;
  const target = await watchedTarget(targetId);
  const range = resolveRange(query);
  const places = await matrixPlaces({});
  const [now, before, assigned] = await Promise.all([
    readCells(target.id, metric, range, places),
    readCells(target.id, metric, dayBefore(range), places),
    assignedGroups(target.id, places),
  ]);
  const matrix = buildMatrix(
    { metric, stat, range, demo: target.demo, generatedUntil: await generatedUntil(target, dayBefore(range)) },
    placesShown(places, now, assigned),
    now,
    before,
  );
  return {
    targetId: target.id,
    from: matrix.from,
    to: matrix.to,
    demo: target.demo,
    all: cardOf(now.all, before.all, metric),
    carriers: matrix.carriers.map((carrier) => ({
      carrier,
      ...cardOf(now.byCarrier.get(carrier), before.byCarrier.get(carrier), metric),
    })),
    matrix,
    worst: worstCells(matrix, WORST),
  };
}

function dayBefore({ from, to }: Range): Range {
  return { from: from - DAY, to: to - DAY };
}

function cardOf(now = emptySummary(), before = emptySummary(), metric: Metric): Omit<CarrierCard, 'carrier'> {
  const p50 = statisticOf(now, metric, 'p50');
  return {
    availability: statisticOf(now, metric, 'availability').value,
    p50: p50.value,
    p95: statisticOf(now, metric, 'p95').value,
    n: p50.n,
    changeVsYesterday: changeOf(p50.value, statisticOf(before, metric, 'p50').value),
  };
}
