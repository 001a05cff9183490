import Link from 'next/link';
import { CHINA_REGIONS } from '#contract/place.ts';
import { KNOWN_CARRIERS, METRICS, STATS } from '#contract/vocabulary.ts';
import { carrierName, regionName } from '#i18n/names.ts';
import type { Ui } from '#i18n/ui.ts';
import { AutoSubmit } from './auto-submit.tsx';
import { Choices } from './choices.tsx';
import { ACCESS_CHOICES, type Filter, filterHref, OUTCOMES, VARIANT_CHOICES } from './filter.ts';
import { RangeLinks } from './range-links.tsx';

type Props = {
  ui: Ui;
  path: string;
  filter: Filter;
  /** `figures` chooses metric and statistic, `results` the outcome and which handshakes of a run. */
  kind: 'figures' | 'results';
};

/** Everything that a target's page can be narrowed by. */
export function FilterBar({ ui, path, filter, kind }: Props) {
  const { t } = ui;
  const narrowed =
    filter.regions.length + filter.carriers.length > 0 ||
    filter.outcome !== 'any' ||
    filter.variant !== 'all' ||
    filter.access !== 'any';
  return (
    <search className="mb-4 flex flex-wrap items-end justify-between gap-2" aria-label={t('filter.label')}>
      <AutoSubmit key={filterHref(path, filter)} path={path} label={t('filter.label')}>
        <RangeFields filter={filter} />
        {kind === 'figures' ? <FigureFields ui={ui} filter={filter} /> : <ResultFields ui={ui} filter={filter} />}
        <PlaceFields ui={ui} filter={filter} />
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
      <RangeLinks ui={ui} path={path} filter={filter} />
    </search>
  );
}

/** What the form must carry on though it has no field for it. */
function RangeFields({ filter }: { filter: Filter }) {
  return (
    <>
      {filter.range === 'custom' ? (
        <>
          <input type="hidden" name="from" value={filter.from} />
          <input type="hidden" name="to" value={filter.to} />
        </>
      ) : (
        <input type="hidden" name="range" value={filter.range} />
      )}
      {filter.sort === 'name' ? null : <input type="hidden" name="sort" value={filter.sort} />}
    </>
  );
}

function FigureFields({ ui, filter }: { ui: Ui; filter: Filter }) {
  const { t } = ui;
  return (
    <>
      <select
        name="metric"
        aria-label={t('filter.metric')}
        title={t(`metricDef.${filter.metric}`)}
        className="btn"
        defaultValue={filter.metric}
      >
        {METRICS.map((metric) => (
          <option key={metric} value={metric}>
            {t(`metric.${metric}`)}
          </option>
        ))}
      </select>
      <select
        name="stat"
        aria-label={t('filter.stat')}
        title={t(`statDef.${filter.stat}`)}
        className="btn"
        defaultValue={filter.stat}
      >
        {STATS.map((stat) => (
          <option key={stat} value={stat}>
            {t(`statOption.${stat}`)}
          </option>
        ))}
      </select>
    </>
  );
}

function ResultFields({ ui: { t }, filter }: { ui: Ui; filter: Filter }) {
  const names = { any: t('filter.anyOutcome'), ok: t('filter.onlyOk'), failed: t('filter.onlyFailed') };
  return (
    <>
      <select name="outcome" aria-label={t('filter.outcome')} className="btn" defaultValue={filter.outcome}>
        {OUTCOMES.map((outcome) => (
          <option key={outcome} value={outcome}>
            {names[outcome]}
          </option>
        ))}
      </select>
      <select name="variant" aria-label={t('filter.variant')} className="btn" defaultValue={filter.variant}>
        {VARIANT_CHOICES.map((variant) => (
          <option key={variant} value={variant}>
            {variant === 'all' ? t('filter.anyVariant') : t(`variant.${variant}`)}
          </option>
        ))}
      </select>
    </>
  );
}

function PlaceFields({ ui, filter }: { ui: Ui; filter: Filter }) {
  const { t } = ui;
  const regions = [...new Set<string>([...CHINA_REGIONS, ...filter.regions])];
  const carriers = [...new Set<string>([...KNOWN_CARRIERS, ...filter.carriers])];
  return (
    <>
      <Choices
        name="region"
        label={t('filter.region')}
        summary={t('filter.regions', { n: filter.regions.length })}
        apply={t('common.apply')}
        options={regions.map((region) => ({ value: region, label: regionName(ui, region) }))}
        chosen={filter.regions}
      />
      <Choices
        name="carrier"
        label={t('filter.carrier')}
        summary={t('filter.carriers', { n: filter.carriers.length })}
        apply={t('common.apply')}
        options={carriers.map((carrier) => ({ value: carrier, label: carrierName(ui, carrier) }))}
        chosen={filter.carriers}
      />
      <select name="access" aria-label={t('filter.access')} className="btn" defaultValue={filter.access}>
        {ACCESS_CHOICES.map((access) => (
          <option key={access} value={access}>
            {access === 'any' ? t('filter.anyAccess') : t(`access.${access}`)}
          </option>
        ))}
      </select>
    </>
  );
}
