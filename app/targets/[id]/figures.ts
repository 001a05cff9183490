import { compareRange, type Filter } from '#components/filters/filter.ts';
import type { CarrierFigures } from '#components/target/carrier-cards.tsx';
import type { FigureValue } from '#components/ui/figure.tsx';
import type { Matrix, Measured } from '#contract/query.ts';
import { type Metric, type Stat, unitOf } from '#contract/vocabulary.ts';
import type { Ui } from '#i18n/ui.ts';
import { queryMatrix } from '#server/figures/matrix.ts';

/** All the numbers of a target's overview, under one filter. */
export type TargetFigures = { matrix: Matrix; figures: FigureValue[]; carriers: CarrierFigures[] };

const FIGURES: { metric: Metric; stat: Stat }[] = [
  { metric: 'tls', stat: 'p50' },
  { metric: 'tls', stat: 'p95' },
  { metric: 'tls', stat: 'availability' },
  { metric: 'roundTrips', stat: 'mean' },
  { metric: 'total', stat: 'p50' },
];

/** Asks for the matrices once each; the figures and cards are their margins, so all numbers of the page agree. */
export async function targetFigures(ui: Ui, target: string, filter: Filter): Promise<TargetFigures> {
  const ask = (metric: Metric, stat: Stat) =>
    queryMatrix({ target, metric, stat, ...narrowed(filter), ...compareRange(filter) });
  const known = FIGURES.findIndex(({ metric, stat }) => metric === filter.metric && stat === filter.stat);
  const [chosen, ...matrices] = await Promise.all([
    known < 0 ? ask(filter.metric, filter.stat) : null,
    ...FIGURES.map(({ metric, stat }) => ask(metric, stat)),
  ]);
  const matrix = chosen ?? matrices[known];
  if (!matrix) throw new Error('no matrix was asked for');
  return {
    matrix,
    figures: matrices.map((entry) => figureOf(ui, entry)),
    carriers: carrierFigures(matrices),
  };
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
  };
}

function carrierFigures([p50, p95, availability]: Matrix[]): CarrierFigures[] {
  const find = (matrix: Matrix | undefined, carrier: string): Measured | undefined =>
    matrix?.margins.carriers.find((margin) => margin.carrier === carrier);
  return (p50?.carriers ?? []).map((carrier) => {
    const median = find(p50, carrier);
    return {
      carrier,
      p50: median?.value ?? null,
      p95: find(p95, carrier)?.value ?? null,
      availability: find(availability, carrier)?.value ?? null,
      n: find(availability, carrier)?.n ?? 0,
      change: median?.compare?.change ?? null,
    };
  });
}
