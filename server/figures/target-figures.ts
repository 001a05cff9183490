import { emptySummary, mergeSummary, statisticOf } from '#analysis/summary.ts';
import { orderCarriers, orderRegions } from '#contract/location.ts';
import { presetRange } from '#contract/query.ts';
import type { TargetFigures, TargetFiguresQuery } from '#contract/target-figures.ts';
import { unitOf } from '#contract/vocabulary.ts';
import { type RollupCell, takeRanges } from '#server/rollups/read.ts';
import { listTargets } from '#server/targets/targets.ts';
import { holdImported, measuringPlaces, readPlaces } from '#server/vantages/labels.ts';
import { generatedUntil, importedUntilOf, instantOf, resolveRange } from './range.ts';
import { groupVantages } from './series.ts';

/** So many targets are read in one go: others get their turn in between. */
const READ_AT_ONCE = 50;

/**
 * One figure of each of a page of targets over a range, the margin of its matrix: percentiles come from merged histograms. Throws `invalid`
 * for a range or cursor that is none.
 */
export async function queryTargetFigures(query: TargetFiguresQuery): Promise<TargetFigures> {
  const { metric, stat, groupBy } = query;
  const range = resolveRange(query.range ? presetRange(query.range, Date.now()) : query);
  const [{ data: targets, nextCursor }, allPlaces, generated] = await Promise.all([
    listTargets(query),
    readPlaces({}),
    generatedUntil({ demo: true }, range),
  ]);
  // As in a matrix.
  const places = stat === 'availability' ? measuringPlaces(allPlaces) : allPlaces;
  const ids = targets.map(({ id }) => id);
  const imported = holdImported(places) ? await importedUntilOf(ids, range) : null;
  const { groups, labels, all } = groupVantages(places, groupBy === 'none' ? [] : [groupBy]);
  const figuresOf = (cells: readonly RollupCell[]) => {
    const sum = emptySummary();
    for (const { summary } of cells) mergeSummary(sum, summary);
    const figure = statisticOf(sum, metric, stat);
    if (groupBy === 'none') return { ...figure, groups: [] };
    const byName = new Map(cells.map(({ group, summary }) => [labels[group]?.[groupBy] ?? '', summary]));
    const names = groupBy === 'region' ? orderRegions(byName.keys()) : orderCarriers(byName.keys());
    const ofName = (name: string) => statisticOf(byName.get(name) ?? emptySummary(), metric, stat);
    return { ...figure, groups: names.map((name) => ({ [groupBy]: name, ...ofName(name) })) };
  };
  const data: TargetFigures['data'] = [];
  for (let first = 0; first < targets.length; first += READ_AT_ONCE) {
    const some = targets.slice(first, first + READ_AT_ONCE);
    const ranges = some.map(({ id }) => ({ targetId: id, ...range, step: null, metric, groups: all ? null : groups }));
    const figures = await takeRanges(ranges, figuresOf);
    for (const [index, { id, name, demo }] of some.entries()) {
      const figure = figures[index] ?? figuresOf([]);
      data.push({
        id,
        name,
        demo,
        generatedUntil: demo ? generated : null,
        importedUntil: imported?.get(id) ?? null,
        ...figure,
      });
    }
  }
  const shown = { metric, stat, unit: unitOf(metric, stat), from: instantOf(range.from), to: instantOf(range.to) };
  return { ...shown, data, nextCursor };
}
