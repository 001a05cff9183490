import Link from 'next/link';
import { type Metric, unitOf } from '#contract/vocabulary.ts';
import { locationName } from '#i18n/names.ts';
import { formatQuantity } from '#i18n/numbers.ts';
import { formatTime } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';

type Slow = {
  id: string;
  at: string;
  region: string;
  carrier: string;
  value: number;
  extraTrips: number;
  lost: number;
};

/** Names what a handshake waited for, as far as its packets say: round trips beyond those due, packets that were lost. */
function waitedText({ t }: Ui, { extraTrips, lost }: Slow): string {
  const parts = [
    extraTrips > 0 ? t('trend.waitedTrips', { n: extraTrips }) : null,
    lost > 0 ? t('trend.waitedLost', { n: lost }) : null,
  ].filter((part) => part !== null);
  return parts.join(t('punctuation.list')) || t('common.noValue');
}

/** The slowest handshakes of a range, each with a link to it; renders nothing if there are none. */
export function SlowestTable({ ui, metric, slowest }: { ui: Ui; metric: Metric; slowest: readonly Slow[] }) {
  const { t } = ui;
  if (slowest.length === 0) return null;
  const title = t('trend.slowest', { metric: t(`metric.${metric}`) });
  return (
    <section className="panel mb-4 min-w-0 p-4">
      <h2>{title}</h2>
      <Table
        label={title}
        density="compact"
        className="mt-1 max-w-3xl"
        rows={slowest}
        rowKey={({ id }) => id}
        columns={[
          {
            key: 'time',
            head: t('results.time'),
            cell: ({ id, at, region, carrier }) => (
              <Link
                href={`/results/${id}`}
                prefetch={false}
                className="link"
                aria-label={t('results.open', {
                  time: formatTime(at, ui.timeZone),
                  vantage: locationName(ui, region, carrier),
                })}
              >
                <Time ui={ui} at={at} detail="second" />
              </Link>
            ),
            rowHead: true,
          },
          {
            key: 'vantage',
            head: t('results.vantage'),
            cell: ({ region, carrier }) => locationName(ui, region, carrier),
          },
          {
            key: 'value',
            head: t(`metric.${metric}`),
            cell: ({ value }) => formatQuantity(ui, value, unitOf(metric, 'p50')),
            numeric: true,
            className: 'font-semibold',
          },
          { key: 'waited', head: t('trend.waited'), cell: (each) => waitedText(ui, each) },
        ]}
      />
      <p className="mt-2 text-[0.86rem] text-muted">{t('trend.slowestNote')}</p>
    </section>
  );
}
