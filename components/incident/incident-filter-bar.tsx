import Link from 'next/link';
import { REGRESSION_ORDERS } from '#contract/incident.ts';
import { INCIDENT_KINDS, SEVERITIES } from '#contract/incident-vocabulary.ts';
import type { Ui } from '#i18n/ui.ts';
import { AutoSubmit } from '../filters/auto-submit.tsx';
import { FilterSelect, LocationFields } from '../filters/filter-fields.tsx';
import { optionsOf } from '../ui/options.ts';
import { DIRECTIONS, type IncidentFilter, isNarrowed, STATES } from './incident-filter.ts';

type Named = { id: string; name: string };
type Props = { ui: Ui; path: string; filter: IncidentFilter; targets: Named[]; list: 'incidents' | 'regressions' };

/** Everything that the lists of incidents and of regressions can be narrowed by. */
export function IncidentFilterBar({ ui, path, filter, targets, list }: Props) {
  const { t } = ui;
  return (
    <search className="mb-3" aria-label={t('filter.label')}>
      <AutoSubmit key={JSON.stringify(filter)} path={path} label={t('filter.label')}>
        <FilterSelect
          name="state"
          label={t('incidents.state')}
          value={filter.state}
          options={optionsOf(STATES, (value) => t(`incidents.${value}`))}
        />
        {list === 'incidents' ? <KindFields ui={ui} filter={filter} /> : <EffectFields ui={ui} filter={filter} />}
        <FilterSelect
          name="target"
          label={t('incidents.target')}
          value={filter.target ?? ''}
          options={[
            { value: '', label: t('incidents.anyTarget') },
            ...targets.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
        <LocationFields ui={ui} chosen={filter} />
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

function KindFields({ ui: { t }, filter }: { ui: Ui; filter: IncidentFilter }) {
  return (
    <>
      <FilterSelect
        name="kind"
        label={t('incidents.kind')}
        value={filter.kind ?? ''}
        options={optionsOf(INCIDENT_KINDS, (value) => t(`incident.kind.${value}`), t('incidents.anyKind'))}
      />
      <FilterSelect
        name="severity"
        label={t('incidents.severity')}
        value={filter.severity ?? ''}
        options={optionsOf(SEVERITIES, (value) => t(`severity.${value}`), t('incidents.anySeverity'))}
      />
    </>
  );
}

function EffectFields({ ui: { t }, filter }: { ui: Ui; filter: IncidentFilter }) {
  const orders = { ms: t('regressions.byMs'), ratio: t('regressions.byRatio') };
  return (
    <>
      <FilterSelect
        name="direction"
        label={t('regressions.direction')}
        value={filter.direction}
        options={optionsOf(DIRECTIONS, (value) => t(`regressions.${value}`))}
      />
      <FilterSelect
        name="order"
        label={t('regressions.order')}
        value={filter.order}
        options={optionsOf(REGRESSION_ORDERS, (value) => orders[value])}
      />
    </>
  );
}
