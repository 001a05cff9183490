import Link from 'next/link';
import type { Result } from '#contract/result.ts';
import { PHASES } from '#contract/vocabulary.ts';
import { locationName } from '#i18n/names.ts';
import { formatNumber, formatQuantity } from '#i18n/numbers.ts';
import { formatTime, zoneOffset } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import { Badge, DemoBadge, ImportedBadge } from '../ui/badge.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { StapleBadge } from './staple-badge.tsx';
import { allTrips } from './trips.ts';
import { VariantBadge } from './variant-badge.tsx';

/** Single results, one a row. */
export function ResultTable({ ui, results }: { ui: Ui; results: Result[] }) {
  const { t } = ui;
  return (
    <Table
      label={t('results.title')}
      className="panel"
      rows={results}
      rowKey={({ id }) => id}
      columns={[
        {
          key: 'time',
          head: (
            <>
              {t('results.time')} <span className="font-normal">({zoneOffset(ui.timeZone)})</span>
            </>
          ),
          cell: (result) => (
            <Link
              href={`/results/${result.id}`}
              prefetch={false}
              className="link"
              aria-label={t('results.open', {
                time: formatTime(result.startedAt, ui.timeZone, 'millisecond'),
                vantage: locationOf(ui, result),
              })}
            >
              <Time ui={ui} at={result.startedAt} detail="millisecond" />
            </Link>
          ),
          rowHead: true,
        },
        {
          key: 'vantage',
          head: t('results.vantage'),
          cell: (result) => (
            <>
              {locationOf(ui, result)} {result.demo ? <DemoBadge ui={ui} /> : null}{' '}
              {result.engineVersion === 0 ? <ImportedBadge ui={ui} /> : null}{' '}
              <VariantBadge ui={ui} variant={result.variant} />
            </>
          ),
          className: 'whitespace-nowrap',
          title: ({ vantage }) => vantage?.name,
        },
        {
          key: 'outcome',
          head: t('results.outcome'),
          cell: (result) => <OutcomeBadge ui={ui} result={result} />,
          className: 'whitespace-nowrap',
        },
        ...[...PHASES, 'total' as const].map(
          (phase): Column<Result> => ({
            key: phase,
            head: head(t(`metric.${phase}`), t(`metricDef.${phase}`)),
            cell: ({ phases }) => formatQuantity(ui, phases[phase], 'ms'),
            numeric: true,
            className: phase === 'tls' ? 'font-semibold' : '',
          }),
        ),
        {
          key: 'trips',
          head: head(t('results.trips'), t('results.tripsDef')),
          cell: (result) => <Trips ui={ui} result={result} />,
          numeric: true,
        },
        {
          key: 'tlsVersion',
          head: t('results.tlsVersion'),
          cell: ({ tls }) => tls?.version ?? t('common.noValue'),
          className: 'whitespace-nowrap',
        },
        { key: 'alpn', head: t('results.alpn'), cell: ({ tls }) => tls?.alpn ?? t('common.noValue') },
        {
          key: 'staple',
          head: t('results.staple'),
          cell: ({ tls }) =>
            tls ? <StapleBadge ui={ui} status={tls.staple.status} why={tls.staple.why} /> : t('common.noValue'),
        },
      ]}
    />
  );
}

const head = (label: string, definition: string) => (
  <abbr title={definition} className="no-underline">
    {label}
  </abbr>
);

/** Where a result was taken. */
export const locationOf = (ui: Ui, { vantage }: Result) =>
  vantage ? locationName(ui, vantage.region, vantage.carrier) : ui.t('common.noValue');

/** Round trips from the SYN to the first usable byte, and how many of them were wasted; a dash where one is not known. */
function Trips({ ui, result: { roundTrips } }: { ui: Ui; result: Result }) {
  const { took, extra } = allTrips(roundTrips);
  if (took === null) return ui.t('common.noValue');
  return (
    <>
      {extra > 0 ? (
        <Badge tone="warn" title={ui.t('results.extraTripsDef', { n: extra })}>
          +{formatNumber(ui.locale, extra)}
        </Badge>
      ) : null}{' '}
      {formatNumber(ui.locale, took)}
    </>
  );
}

/** ok, or why not; and whether the prober was overloaded. */
export function OutcomeBadge({ ui, result: { failure, prober } }: { ui: Ui; result: Result }) {
  const { t } = ui;
  return (
    <span className="inline-flex gap-1">
      {failure ? (
        <Badge tone={failure.source === 'prober' ? 'warn' : 'bad'} title={failure.message}>
          <span aria-hidden="true">✕</span> {t(`failure.${failure.reason}`)}
        </Badge>
      ) : (
        <Badge tone="good">
          <span aria-hidden="true">✓</span> {t('common.ok')}
        </Badge>
      )}
      {prober.clean ? null : (
        <Badge tone="warn" title={t('results.uncleanDef')}>
          {t('results.uncleanTag')}
        </Badge>
      )}
    </span>
  );
}
