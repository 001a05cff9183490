import type { ProberActivity } from '#contract/vantage.ts';
import { formatNumber, formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { Define } from '../ui/define.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { MOST_MISSED, MOST_UNCLEAN } from './activity.ts';

const MEBIBYTE = 1024 * 1024;
const RUNS = ['started', 'missed', 'retaken', 'unclean', 'dropped', 'rejected'] as const;

/** Everything that the prober of a vantage told of its work. */
export function ActivityPanel({ ui, prober }: { ui: Ui; prober: ProberActivity }) {
  const { t, locale } = ui;
  const limit = (share: number) => ({ limit: formatQuantity(ui, share, 'ratio') });
  const terms = {
    started: t('vantages.started'),
    missed: <Define term={t('vantages.missed')} definition={t('vantages.missedDef', limit(MOST_MISSED))} />,
    retaken: <Define term={t('vantages.retaken')} definition={t('vantages.retakenDef')} />,
    unclean: <Define term={t('vantages.unclean')} definition={t('vantages.uncleanDef', limit(MOST_UNCLEAN))} />,
    dropped: <Define term={t('vantages.dropped')} definition={t('vantages.droppedDef')} />,
    rejected: <Define term={t('vantages.rejected')} definition={t('vantages.rejectedDef')} />,
  };
  return (
    <section className="panel mb-4 p-4">
      <h2>{t('vantages.activity')}</h2>
      <Table
        label={t('vantages.activity')}
        density="dense"
        className="mt-2 max-w-xl"
        rows={RUNS}
        rowKey={(run) => run}
        columns={[
          { key: 'runs', head: null, cell: (run) => terms[run], rowHead: true, className: 'font-medium' },
          {
            key: 'lastHour',
            head: t('vantages.lastHourTitle'),
            cell: (run) => formatNumber(locale, prober.lastHour[run]),
            numeric: true,
          },
          {
            key: 'lastDay',
            head: t('vantages.lastDayTitle'),
            cell: (run) => formatNumber(locale, prober.lastDay[run]),
            numeric: true,
          },
        ]}
      />
      <p className="mt-2 text-muted">
        <Define term={t('vantages.threadsChecks')} definition={t('vantages.threadsDef')} />
        {t('punctuation.colon')}
        {t('vantages.threadsText', {
          threads: formatNumber(locale, prober.threads),
          checks: formatNumber(locale, prober.checks),
        })}{' '}
        ·{' '}
        {prober.quarantined > 0 && (
          <>
            <Define term={t('vantages.quarantine')} definition={t('vantages.quarantineDef')} />
            {t('punctuation.colon')}
            {t('vantages.quarantineText', {
              n: prober.quarantined,
              mebibytes: formatNumber(locale, prober.quarantineBytes / MEBIBYTE, 1),
            })}{' '}
            ·{' '}
          </>
        )}
        {t('vantages.reportedAt')} <Time ui={ui} at={prober.reportedAt} />
      </p>
    </section>
  );
}
