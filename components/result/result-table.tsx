import Link from 'next/link';
import type { Result } from '#contract/result.ts';
import { PHASES } from '#contract/vocabulary.ts';
import { lineName } from '#i18n/names.ts';
import { formatNumber, formatQuantity } from '#i18n/numbers.ts';
import { formatTime, zoneOffset } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import { Badge, DemoBadge } from '../ui/badge.tsx';
import { ScrollBox } from '../ui/scroll-box.tsx';
import { Time } from '../ui/time.tsx';
import { StapleBadge } from './staple-badge.tsx';
import { allTrips } from './trips.ts';
import { VariantBadge } from './variant-badge.tsx';

/** Single results, one a row. */
export function ResultTable({ ui, results }: { ui: Ui; results: Result[] }) {
  const { t } = ui;
  return (
    <ScrollBox label={t('results.title')} className="panel">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">
              {t('results.time')} <span className="font-normal">({zoneOffset(ui.timeZone)})</span>
            </th>
            <th scope="col">{t('results.vantage')}</th>
            <th scope="col">{t('results.outcome')}</th>
            {[...PHASES, 'total' as const].map((phase) => (
              <th key={phase} scope="col" className="num">
                <abbr title={t(`metricDef.${phase}`)} className="no-underline">
                  {t(`metric.${phase}`)}
                </abbr>
              </th>
            ))}
            <th scope="col" className="num">
              <abbr title={t('results.tripsDef')} className="no-underline">
                {t('results.trips')}
              </abbr>
            </th>
            <th scope="col">{t('results.tlsVersion')}</th>
            <th scope="col">{t('results.alpn')}</th>
            <th scope="col">{t('results.staple')}</th>
          </tr>
        </thead>
        <tbody>
          {results.map((result) => (
            <Row key={result.id} ui={ui} result={result} />
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

/** Where a result was taken: the line's name, or the vantage's own abroad. */
export const placeOf = (ui: Ui, { vantage }: Result) =>
  vantage ? lineName(ui, vantage.region, vantage.carrier) : ui.t('common.noValue');

function Row({ ui, result }: { ui: Ui; result: Result }) {
  const { t } = ui;
  const place = placeOf(ui, result);
  return (
    <tr>
      <th scope="row">
        <Link
          href={`/results/${result.id}`}
          prefetch={false}
          className="link"
          aria-label={t('results.open', { time: formatTime(result.startedAt, ui.timeZone), vantage: place })}
        >
          <Time ui={ui} at={result.startedAt} detail="millisecond" />
        </Link>
      </th>
      <td className="whitespace-nowrap" title={result.vantage?.name}>
        {place} {result.demo ? <DemoBadge ui={ui} /> : null} <VariantBadge ui={ui} variant={result.variant} />
      </td>
      <td className="whitespace-nowrap">
        <OutcomeBadge ui={ui} result={result} />
      </td>
      {[...PHASES, 'total' as const].map((phase) => (
        <td key={phase} className={phase === 'tls' ? 'num font-semibold' : 'num'}>
          {formatQuantity(ui, result.phases[phase], 'ms')}
        </td>
      ))}
      <td className="num whitespace-nowrap">
        <Trips ui={ui} result={result} />
      </td>
      <td className="whitespace-nowrap">{result.tls?.version ?? t('common.noValue')}</td>
      <td>{result.tls?.alpn ?? t('common.noValue')}</td>
      <td>{result.tls ? <StapleBadge ui={ui} status={result.tls.staple.status} /> : t('common.noValue')}</td>
    </tr>
  );
}

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
