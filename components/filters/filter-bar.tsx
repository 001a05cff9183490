import Link from 'next/link';
import { ADVICE_CLIENTS } from '#contract/advice.ts';
import type { MeasuredVariant } from '#contract/vocabulary.ts';
import type { Ui } from '#i18n/ui.ts';
import { optionsOf } from '../ui/options.ts';
import { AutoSubmit } from './auto-submit.tsx';
import { CHOICES, type Filter, filterEntries, filterHref, measuredVariant, metricsOf, statsOf } from './filter.ts';
import { FilterSelect, LocationFields } from './filter-fields.tsx';
import { type AutoRange, RangeLinks } from './range-links.tsx';

type Props = {
  ui: Ui;
  path: string;
  filter: Filter;
  /** `figures` chooses metric and statistic, `results` the outcome and which handshakes of a run, `advice` who gains. */
  kind: 'figures' | 'results' | 'advice';
  /** The handshakes that the target's settings ask for; figures can be of each. */
  variants: readonly MeasuredVariant[];
  auto: AutoRange;
};

/** Everything that a target's page can be narrowed by. */
export function FilterBar({ ui, path, filter, kind, variants, auto }: Props) {
  const { t } = ui;
  const narrowed =
    filter.regions.length + filter.carriers.length > 0 ||
    filter.outcome !== 'any' ||
    filter.variant !== 'all' ||
    filter.access !== 'any';
  return (
    <search className="mb-4 flex flex-wrap items-end justify-between gap-2" aria-label={t('filter.label')}>
      <AutoSubmit key={filterHref(path, filter)} path={path} label={t('filter.label')}>
        <KeptFields kind={kind} filter={filter} />
        {kind === 'figures' ? <FigureFields ui={ui} filter={filter} variants={variants} /> : null}
        {kind === 'results' ? <ResultFields ui={ui} filter={filter} /> : null}
        {kind === 'advice' ? <ClientField ui={ui} filter={filter} /> : null}
        <LocationFields ui={ui} chosen={filter} />
        <AccessField ui={ui} filter={filter} />
        <noscript>
          <button type="submit" className="btn">
            {t('common.apply')}
          </button>
        </noscript>
        {narrowed ? (
          <Link
            href={filterHref(path, filter, {
              regions: [],
              carriers: [],
              access: 'any',
              outcome: 'any',
              variant: 'all',
            })}
            prefetch={false}
            className="link px-1 py-1.5"
          >
            {t('common.clear')}
          </Link>
        ) : null}
      </AutoSubmit>
      <RangeLinks ui={ui} path={path} filter={filter} auto={auto} />
    </search>
  );
}

type FieldsProps = { ui: Ui; filter: Filter };

/** The names of the fields that the form has. */
const FIELDS: Record<Props['kind'], readonly string[]> = {
  figures: ['variant', 'metric', 'stat'],
  results: ['outcome', 'variant'],
  advice: ['client'],
};

/** What the form must carry on though it has no field for it. */
export function KeptFields({ kind, filter }: Pick<Props, 'kind' | 'filter'>) {
  const fields = [...FIELDS[kind], 'region', 'carrier', 'access'];
  return filterEntries(filter)
    .filter(([name]) => !fields.includes(name))
    .map(([name, value]) => <input key={name} type="hidden" name={name} value={value} />);
}

function FigureFields({ ui: { t }, filter, variants }: FieldsProps & Pick<Props, 'variants'>) {
  const { metric, stat } = filter;
  const variant = measuredVariant(filter);
  const offered = new Set<MeasuredVariant>(['main', ...variants, variant]);
  return (
    <>
      {offered.size > 1 ? (
        <FilterSelect
          name="variant"
          label={t('filter.variant')}
          title={t(`variantDef.${variant}`)}
          value={variant}
          options={optionsOf([...offered], (value) => t('filter.variantChoice', { name: t(`variant.${value}`) }))}
        />
      ) : null}
      <FilterSelect
        name="metric"
        label={t('filter.metric')}
        title={t(`metricDef.${metric}`)}
        value={metric}
        options={optionsOf(metricsOf(variant), (value) => t(`metric.${value}`))}
      />
      <FilterSelect
        name="stat"
        label={t('filter.stat')}
        title={t(`statDef.${stat}`)}
        value={stat}
        options={optionsOf(statsOf(metric), (value) => t(`statOption.${value}`))}
      />
    </>
  );
}

function ResultFields({ ui: { t }, filter }: FieldsProps) {
  const names = { any: t('filter.anyOutcome'), ok: t('filter.onlyOk'), failed: t('filter.onlyFailed') };
  return (
    <>
      <FilterSelect
        name="outcome"
        label={t('filter.outcome')}
        value={filter.outcome}
        options={optionsOf(CHOICES.outcome, (value) => names[value])}
      />
      <FilterSelect
        name="variant"
        label={t('filter.variant')}
        value={filter.variant}
        options={optionsOf(CHOICES.variant, (value) =>
          value === 'all' ? t('filter.anyVariant') : t(`variant.${value}`),
        )}
      />
    </>
  );
}

function ClientField({ ui: { t }, filter }: FieldsProps) {
  return (
    <FilterSelect
      name="client"
      label={t('advice.clientLabel')}
      title={t(`advice.clientDef.${filter.client}`)}
      value={filter.client}
      options={optionsOf(ADVICE_CLIENTS, (value) => t(`advice.client.${value}`))}
    />
  );
}

function AccessField({ ui: { t }, filter }: FieldsProps) {
  return (
    <FilterSelect
      name="access"
      label={t('filter.access')}
      value={filter.access}
      options={optionsOf(CHOICES.access, (value) => (value === 'any' ? t('filter.anyAccess') : t(`access.${value}`)))}
    />
  );
}
