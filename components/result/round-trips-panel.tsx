import type { RoundTrips } from '#contract/result.ts';
import { formatNumber, formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { Define } from '../ui/define.tsx';

const PHASES = ['tcp', 'tls', 'firstPacket', 'firstByte'] as const;

/** How many round trips each phase took and should have taken, and where the extra ones sit. */
export function RoundTripsPanel({ ui, roundTrips }: { ui: Ui; roundTrips: RoundTrips }) {
  const { t } = ui;
  const names = {
    tcp: t('metric.tcp'),
    tls: t('metric.tls'),
    firstPacket: t('result.firstPacket'),
    firstByte: t('result.firstUsable'),
  };
  return (
    <section className="panel min-w-0 p-4" aria-labelledby="trips-title">
      <h2 id="trips-title">
        <Define term={t('result.trips')} definition={t('result.tripsDef')} />
      </h2>
      <table className="mt-2 w-full">
        <caption className="sr-only">{t('result.tripsCaption')}</caption>
        <thead className="text-muted">
          <tr>
            <th scope="col" className="py-1 pr-3 text-left font-medium">
              {t('result.phase')}
            </th>
            <th scope="col" className="num font-medium">
              {t('result.took')}
            </th>
            <th scope="col" className="num pl-3 font-medium">
              {t('result.shouldTake')}
            </th>
            <th scope="col" className="num pl-3 font-medium">
              {t('result.extra')}
            </th>
          </tr>
        </thead>
        <tbody>
          {PHASES.map((phase) => (
            <Row key={phase} ui={ui} name={names[phase]} {...roundTrips[phase]} />
          ))}
        </tbody>
      </table>
      <Waits ui={ui} waits={roundTrips.waits} />
    </section>
  );
}

type RowProps = { ui: Ui; name: string; took: number | null; expected: number | null };

function Row({ ui, name, took, expected }: RowProps) {
  const { t } = ui;
  const extra = took === null || expected === null ? null : Math.max(0, took - expected);
  const shown = (value: number | null) => formatQuantity(ui, value, 'roundTrips');
  return (
    <tr className="border-line border-t">
      <th scope="row" className="py-1 pr-3 text-left font-medium">
        {name}
      </th>
      <td className="num">{shown(took)}</td>
      <td className="num pl-3">{shown(expected)}</td>
      <td className={extra ? 'num pl-3 font-semibold text-warn' : 'num pl-3 text-muted'}>
        {extra === 0 ? t('result.extraNone') : extra === null ? t('common.noValue') : `+${shown(extra)}`}
      </td>
    </tr>
  );
}

function Waits({ ui, waits }: { ui: Ui; waits: RoundTrips['waits'] }) {
  const { t, locale } = ui;
  if (waits.length === 0) return null;
  return (
    <>
      <h3 className="mt-3 font-medium">{t('result.waits')}</h3>
      <ul className="mt-1 list-disc pl-5">
        {waits.map(({ phase, atMs, waitMs, afterBytes }) => (
          <li key={`${phase} ${atMs}`}>
            {t('result.waitText', {
              phase: t(`metric.${phase}`),
              at: formatQuantity(ui, atMs, 'ms'),
              wait: formatQuantity(ui, waitMs, 'ms'),
              bytes: formatNumber(locale, afterBytes),
            })}
          </li>
        ))}
      </ul>
    </>
  );
}
