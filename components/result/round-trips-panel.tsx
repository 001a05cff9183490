import type { RoundTrips } from '#contract/result.ts';
import { formatNumber, formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { Define } from '../ui/define.tsx';
import { Table } from '../ui/table.tsx';
import { extraTrips } from './trips.ts';

const PHASES = ['tcp', 'tls', 'firstPacket', 'firstByte', 'firstBody', 'download'] as const;

/** How many round trips each phase took and should have taken, and where the extra ones sit. */
export function RoundTripsPanel({ ui, roundTrips }: { ui: Ui; roundTrips: RoundTrips }) {
  const { t } = ui;
  const names = {
    tcp: t('metric.tcp'),
    tls: t('metric.tls'),
    firstPacket: t('result.firstPacket'),
    firstByte: t('result.firstUsable'),
    firstBody: t('metric.firstBody'),
    download: t('result.download'),
  };
  const shown = (value: number | null) => formatQuantity(ui, value, 'roundTrips');
  const rows = PHASES.flatMap((phase) => {
    const counts = roundTrips[phase];
    return counts ? [{ phase, counts }] : [];
  });
  const { serverWindow: window = null } = roundTrips;
  return (
    <section className="panel min-w-0 p-4">
      <h2>
        <Define term={t('result.trips')} definition={t('result.tripsDef')} />
      </h2>
      <Table
        label={t('result.trips')}
        caption={t('result.tripsCaption')}
        density="dense"
        className="mt-2"
        rows={rows}
        rowKey={({ phase }) => phase}
        columns={[
          {
            key: 'phase',
            head: t('result.phase'),
            cell: ({ phase }) => names[phase],
            rowHead: true,
            className: 'font-medium',
          },
          { key: 'took', head: t('result.took'), cell: ({ counts }) => shown(counts.took), numeric: true },
          {
            key: 'expected',
            head: t('result.shouldTake'),
            cell: ({ counts }) => shown(counts.expected),
            numeric: true,
          },
          {
            key: 'extra',
            head: t('result.extra'),
            cell: ({ counts }) => <Extra ui={ui} n={extraTrips(counts)} />,
            numeric: true,
          },
        ]}
      />
      {window ? (
        <p className="mt-2">
          <Define term={t('result.serverWindow')} definition={t('result.serverWindowDef')} />{' '}
          {t('result.serverWindowText', {
            segments: window.segments,
            bytes: formatNumber(ui.locale, window.bytes),
            exact: String(window.exact),
          })}
        </p>
      ) : null}
      <Waits ui={ui} waits={roundTrips.waits} />
    </section>
  );
}

/** The round trips beyond those that a phase takes; null where they could not be counted. */
function Extra({ ui, n }: { ui: Ui; n: number | null }) {
  if (n) return <span className="font-semibold text-warn">+{formatQuantity(ui, n, 'roundTrips')}</span>;
  return <span className="text-muted">{ui.t(n === 0 ? 'result.extraNone' : 'common.noValue')}</span>;
}

function Waits({ ui, waits }: { ui: Ui; waits: RoundTrips['waits'] }) {
  const { t, locale } = ui;
  if (waits.length === 0) return null;
  return (
    <>
      <h3 className="mt-3 font-medium">{t('result.waits')}</h3>
      <ul className="mt-1 list-disc pl-5">
        {waits.map(({ phase, atMs, waitMs, afterBytes, segments, heldBy = 'unknown' }) => (
          <li key={`${phase} ${atMs}`}>
            {t('result.waitText', {
              phase: t(`metric.${phase}`),
              at: formatQuantity(ui, atMs, 'ms'),
              wait: formatQuantity(ui, waitMs, 'ms'),
              bytes: formatNumber(locale, afterBytes),
              segments: segments ?? 0,
              cause: heldBy,
            })}
          </li>
        ))}
      </ul>
    </>
  );
}
