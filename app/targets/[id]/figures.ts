import { compareRange, type Filter, measuredVariant } from '#components/filters/filter.ts';
import type { CarrierFigures } from '#components/target/carrier-cards.tsx';
import type { Phases } from '#components/target/phase-bars.tsx';
import type { FigureValue } from '#components/ui/figure.tsx';
import type { TargetFailures } from '#contract/failure.ts';
import type { Matrix, Measured } from '#contract/query.ts';
import { type Metric, type Stat, unitOf } from '#contract/vocabulary.ts';
import type { Ui } from '#i18n/ui.ts';
import { failuresOf } from '#server/figures/failures.ts';
import { readTarget, type TargetReader } from '#server/figures/figures.ts';
import { againstUsual, matrixOf, phaseMedians } from '#server/figures/matrix.ts';
import { isSlowerThan } from '#server/figures/usual.ts';
import type { WatchedTarget } from '#server/targets/target-ref.ts';

/** All the numbers of a target's overview, under one filter. */
export type TargetFigures = {
  matrix: Matrix;
  figures: FigureValue[];
  carriers: CarrierFigures[];
  phases: Phases;
  failures: TargetFailures;
  /** Up to when some of these figures were imported (RFC 3339). */
  importedUntil: string | null;
  /** Since when TLS time has been slower than usual (RFC 3339), and what both are, ms; null where it is not. */
  slower: { since: string; value: number; usual: number } | null;
};

const FIGURES: { metric: Metric; stat: Stat }[] = [
  { metric: 'tls', stat: 'p50' },
  { metric: 'tls', stat: 'p95' },
  { metric: 'tls', stat: 'availability' },
  { metric: 'roundTrips', stat: 'mean' },
  { metric: 'total', stat: 'p50' },
];

/** The figures and cards are margins of the matrices, so all numbers of the page agree. Throws as `readTarget` does. */
export async function targetFigures(ui: Ui, target: WatchedTarget, filter: Filter): Promise<TargetFigures> {
  const variant = measuredVariant(filter);
  const compared = filter.against === 'day' ? compareRange(filter) : {};
  const reader = await readTarget(target, { ...narrowed(filter), ...compared, variant });
  // A check fails by its main handshake, whichever the figures are of.
  const main = variant === 'main' ? reader : await readTarget(target, narrowed(filter));
  const matrixAgainst = async (asked: Pick<Filter, 'metric' | 'stat'>) => {
    const matrix = await matrixOf(reader, asked);
    return filter.against === 'usual' ? againstUsual(matrix) : matrix;
  };
  const [matrix, matrices, phases, failures] = await Promise.all([
    matrixAgainst(filter),
    Promise.all(FIGURES.map(matrixAgainst)),
    phaseMedians(reader),
    failuresOf(main),
  ]);
  return {
    matrix,
    figures: matrices.map((entry) => figureOf(ui, entry)),
    carriers: carrierFigures(matrices),
    phases,
    failures,
    importedUntil: await reader.imported(),
    slower: await slowerOf(matrices[0], reader),
  };
}

async function slowerOf(tls: Matrix | undefined, reader: TargetReader): Promise<TargetFigures['slower']> {
  const { value = null, usual = null } = tls?.margins.all ?? {};
  if (value === null || usual === null || !isSlowerThan(value, usual)) return null;
  const since = (await reader.usual()).slowerSince(reader.locations.groups.keys(), 'tls');
  return since === null ? null : { since, value, usual };
}

/** The part of a filter that the queries take. */
export const narrowed = ({ from, to, regions, carriers, access }: Filter) => ({
  from,
  to,
  ...(regions.length > 0 ? { region: regions } : {}),
  ...(carriers.length > 0 ? { carrier: carriers } : {}),
  ...(access === 'any' ? {} : { access: [access] }),
});

function figureOf({ t }: Ui, { metric, stat, margins: { all } }: Matrix): FigureValue {
  const availability = stat === 'availability';
  return {
    label: availability ? t('stat.availability') : `${t(`metric.${metric}`)} ${t(`stat.${stat}`)}`,
    definition: availability ? t('statDef.availability') : `${t(`metricDef.${metric}`)} ${t(`statDef.${stat}`)}`,
    unit: unitOf(metric, stat),
    value: all.value,
    n: all.n,
    change: all.compare?.change,
    usual: all.usual,
  };
}

function carrierFigures([p50, p95, availability]: Matrix[]): CarrierFigures[] {
  const find = (matrix: Matrix | undefined, carrier: string): Measured | undefined =>
    matrix?.margins.carriers.find((margin) => margin.carrier === carrier);
  return (p50?.carriers ?? []).map((carrier) => {
    const [median, available] = [find(p50, carrier), find(availability, carrier)];
    return {
      carrier,
      p50: median?.value ?? null,
      p95: find(p95, carrier)?.value ?? null,
      availability: available?.value ?? null,
      // What the times are of, imported ones included; where there are none, what failed.
      n: median?.n || (available?.n ?? 0),
      change: median?.compare?.change ?? null,
    };
  });
}
