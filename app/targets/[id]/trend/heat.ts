import { ALIKE_MS } from '#components/charts/change-scale.ts';
import type { HeatData } from '#components/charts/heat-panel.tsx';
import type { Filter } from '#components/filters/filter.ts';
import type { Series } from '#contract/query.ts';
import { locationName } from '#i18n/names.ts';
import type { Ui } from '#i18n/ui.ts';
import { buildHeatmap, type Heatmap } from '#server/figures/heatmap.ts';

/** Series in the table beside the heatmap. */
const LISTED = 10;

/** The heatmap of series by region and carrier: rows by carrier and region, or by how long they were slow. */
export function heatOf(ui: Ui, series: Series, { sort }: Pick<Filter, 'sort'>): HeatData {
  const heat = buildHeatmap(series);
  const byChange = orderByChange(heat.rows);
  const order = sort === 'change' ? byChange : heat.rows.map((_, row) => row);
  const pick = <Item>(items: readonly Item[]) =>
    order.flatMap((row) => (row < items.length ? [items[row] as Item] : []));
  return {
    unit: heat.unit,
    start: heat.start,
    stepMs: heat.stepSeconds * 1_000,
    columns: heat.columns,
    least: heat.unit === 'ms' ? ALIKE_MS : 0,
    rows: pick(heat.rows).map(({ region, carrier, values, isUsual }) => ({
      name: locationName(ui, region, carrier),
      region,
      carrier,
      values,
      isUsual,
    })),
    levels: heat.levels.map(pick),
    levelsAt: heat.levelsAt,
    notable: byChange.slice(0, LISTED).flatMap((row) => {
      const { region = '', carrier = '', slower = null, change = null, peak = null } = heat.rows[row] ?? {};
      if (slower === null || change === null || peak === null) return [];
      const at = heat.start + peak.column * heat.stepSeconds * 1_000;
      return [{ region, carrier, slower, change, peak: { at, change: peak.change } }];
    }),
  };
}

/** Indexes of rows: those that were slow for the largest share of the time first, then by their median change. */
const orderByChange = (rows: Heatmap['rows']): number[] =>
  rows
    .map(({ slower, change }, row) => ({ row, slower: slower ?? -1, change: change ?? -1 }))
    .toSorted((a, b) => b.slower - a.slower || b.change - a.change)
    .map(({ row }) => row);
