import Link from 'next/link';
import { INCIDENT_KINDS, REGRESSION_ORDERS, SEVERITIES } from '#contract/incident.ts';
import { CHINA_REGIONS } from '#contract/place.ts';
import { KNOWN_CARRIERS } from '#contract/vocabulary.ts';
import { carrierName, regionName } from '#i18n/names.ts';
import type { Ui } from '#i18n/ui.ts';
import { AutoSubmit } from '../filters/auto-submit.tsx';
import { Choices } from '../filters/choices.tsx';
import { DIRECTIONS, type IncidentFilter, isNarrowed, STATES } from './incident-filter.ts';

type Named = { id: string; name: string };
type Props = { ui: Ui; path: string; filter: IncidentFilter; targets: Named[]; list: 'incidents' | 'regressions' };

/** Everything that the lists of incidents and of regressions can be narrowed by. */
export function IncidentFilterBar({ ui, path, filter, targets, list }: Props) {
  const { t } = ui;
  return (
    <search className="mb-3" aria-label={t('filter.label')}>
      <AutoSubmit key={JSON.stringify(filter)} path={path} label={t('filter.label')}>
        <Select
          name="state"
          label={t('incidents.state')}
          value={filter.state}
          options={STATES.map((value) => ({ value, label: t(`incidents.${value}`) }))}
        />
        {list === 'incidents' ? <KindFields ui={ui} filter={filter} /> : <EffectFields ui={ui} filter={filter} />}
        <Select
          name="target"
          label={t('incidents.target')}
          value={filter.target ?? ''}
          options={[
            { value: '', label: t('incidents.anyTarget') },
            ...targets.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
        <PlaceFields ui={ui} filter={filter} />
        <noscript>
          <button type="submit" className="btn">
            {t('common.apply')}
          </button>
        </noscript>
        {isNarrowed(filter) ? (
          <Link href={`${path}?state=${filter.state}`} prefetch={false} className="link px-1 py-1.5">
            {t('common.clear')}
          </Link>
        ) : null}
      </AutoSubmit>
    </search>
  );
}

type SelectProps = { name: string; label: string; value: string; options: { value: string; label: string }[] };

function Select({ name, label, value, options }: SelectProps) {
  return (
    <select name={name} aria-label={label} className="btn max-w-[min(45vw,16rem)]" defaultValue={value}>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}

function KindFields({ ui: { t }, filter }: { ui: Ui; filter: IncidentFilter }) {
  return (
    <>
      <Select
        name="kind"
        label={t('incidents.kind')}
        value={filter.kind ?? ''}
        options={[
          { value: '', label: t('incidents.anyKind') },
          ...INCIDENT_KINDS.map((value) => ({ value, label: t(`incident.kind.${value}`) })),
        ]}
      />
      <Select
        name="severity"
        label={t('incidents.severity')}
        value={filter.severity ?? ''}
        options={[
          { value: '', label: t('incidents.anySeverity') },
          ...SEVERITIES.map((value) => ({ value, label: t(`severity.${value}`) })),
        ]}
      />
    </>
  );
}

function EffectFields({ ui: { t }, filter }: { ui: Ui; filter: IncidentFilter }) {
  const orders = { ms: t('regressions.byMs'), ratio: t('regressions.byRatio') };
  return (
    <>
      <Select
        name="direction"
        label={t('regressions.direction')}
        value={filter.direction}
        options={DIRECTIONS.map((value) => ({ value, label: t(`regressions.${value}`) }))}
      />
      <Select
        name="order"
        label={t('regressions.order')}
        value={filter.order}
        options={REGRESSION_ORDERS.map((value) => ({ value, label: orders[value] }))}
      />
    </>
  );
}

function PlaceFields({ ui, filter }: { ui: Ui; filter: IncidentFilter }) {
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
    </>
  );
}
