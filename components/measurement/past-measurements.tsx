import Link from 'next/link';
import type { ListedMeasurement } from '#contract/measurement.ts';
import type { Ui } from '#i18n/ui.ts';
import { DemoBadge } from '../ui/badge.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { failuresOf } from './answer.ts';

/** The measurements that are kept, each with a link to its answers; renders nothing if there are none. */
export function PastMeasurements({ ui, past }: { ui: Ui; past: readonly ListedMeasurement[] }) {
  const { t } = ui;
  if (past.length === 0) return null;
  return (
    <section className="mt-6">
      <h2>{t('measurement.past')}</h2>
      <Table
        label={t('measurement.past')}
        className="panel mt-2"
        density="compact"
        rows={past}
        rowKey={({ id }) => id}
        columns={[
          {
            key: 'host',
            head: t('measurement.host'),
            cell: ({ id, url, demo }) => (
              <span className="flex flex-wrap items-center gap-2 sm:flex-nowrap">
                <Link href={`/probe/${id}`} prefetch={false} className="link break-all" title={url}>
                  {new URL(url).host}
                </Link>
                {demo ? <DemoBadge ui={ui} /> : null}
              </span>
            ),
            rowHead: true,
          },
          {
            key: 'time',
            head: t('results.time'),
            cell: ({ createdAt }) => <Time ui={ui} at={createdAt} />,
            className: 'whitespace-nowrap',
          },
          { key: 'done', head: t('measurement.done'), cell: ({ counts }) => counts.done, numeric: true },
          {
            key: 'failed',
            head: t('measurement.failedHead'),
            cell: ({ counts }) => {
              const failures = failuresOf(counts);
              return <span className={failures > 0 ? 'text-bad' : ''}>{failures}</span>;
            },
            numeric: true,
          },
          {
            key: 'state',
            head: t('results.outcome'),
            cell: ({ finished, cancelledAt }) =>
              t(cancelledAt ? 'measurement.cancelled' : finished ? 'measurement.finished' : 'measurement.running'),
            wideOnly: true,
          },
        ]}
      />
    </section>
  );
}
