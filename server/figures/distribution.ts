import { binTogether } from '#analysis/distribution.ts';
import { emptySummary, statisticOf } from '#analysis/summary.ts';
import type { Distribution, DistributionQuery } from '#contract/distribution.ts';
import type { MeasuredVariant, Metric } from '#contract/vocabulary.ts';
import { readRanges } from '#server/rollups/read.ts';
import { targetRef, type WatchedTarget } from '#server/targets/target-ref.ts';
import { type Places, readPlaces } from '#server/vantages/labels.ts';
import { instantOf, type Range, resolveRange } from './range.ts';
import { groupVantages } from './series.ts';

/** More bars than this in one chart are too thin. */
const BARS = 48;

/** As `readDistribution`, by what a query names. Throws `not_found` for an unknown target. */
export async function queryDistribution(query: DistributionQuery): Promise<Distribution> {
  return await readDistribution(await targetRef(query.target), query, await readPlaces(query));
}

type Asked = { from?: string | undefined; to?: string | undefined; metric: Metric; variant: MeasuredVariant };

/**
 * How long a metric took in a range, ms, and in the window before it, which is as long and ends where it begins: shares (0 to 1) in the same
 * bins (binTogether), over all selected vantages together. Throws `invalid` for a range that is none.
 */
export async function readDistribution(
  target: WatchedTarget,
  { metric, variant, ...asked }: Asked,
  places: Places,
): Promise<Distribution> {
  const { from, to } = resolveRange(asked);
  const windows = { now: { from, to }, before: { from: 2 * from - to, to: from } };
  const { all, groups } = groupVantages(places, []);
  const whole = { targetId: target.id, step: null, metric, variant, groups: all ? null : groups };
  const [now, before] = await readRanges([windows.now, windows.before].map((range) => ({ ...whole, ...range })));
  const summaries = [now, before].map((cells) => cells?.[0]?.summary ?? emptySummary());
  const histograms = summaries.map(({ histogram }) => histogram);
  const { edges, shares } = binTogether(histograms, BARS);
  const side = (index: 0 | 1, range: Range) => {
    const summary = summaries[index] ?? emptySummary();
    const { value: p50, n } = statisticOf(summary, metric, 'p50');
    const { value: p95 } = statisticOf(summary, metric, 'p95');
    const own = (shares[index] ?? []).map((share) => Math.round(share * 1e5) / 1e5);
    return { from: instantOf(range.from), to: instantOf(range.to), n, p50, p95, shares: own };
  };
  return {
    edges: edges.map((edge) => Number(edge.toPrecision(5))),
    now: side(0, windows.now),
    before: side(1, windows.before),
  };
}
