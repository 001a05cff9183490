import type { StapleRow, Staples } from '#contract/staples.ts';
import { formatNumber, formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { Badge } from '../ui/badge.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { StapleBadge } from './staple-badge.tsx';

/** Addresses shown; the API lists all. */
const ROWS = 20;
/** Below this share of hits, over enough connections, stapling is called unreliable. */
const RELIABLE = 0.95;
const ENOUGH = 20;

/** How often each address of a target staples; nothing where there is nothing to staple. `cut` says that the range was. */
export function StapleTable({ ui, staples, cut }: { ui: Ui; staples: Staples; cut: boolean }) {
  const { t, locale } = ui;
  const { connections, hits, hitRatio, rows } = staples;
  if (connections === 0) return null;
  return (
    <section className="panel mt-4">
      <div className="px-4 pt-3">
        <h2>{t('staples.title')}</h2>
        <p className="text-[0.9rem] text-muted">
          {t('staples.caption', {
            hits: formatNumber(locale, hits),
            connections: formatNumber(locale, connections),
            ratio: formatQuantity(ui, hitRatio, 'ratio'),
          })}{' '}
          {cut ? t('staples.captionDays') : null}
        </p>
      </div>
      <Table
        label={t('staples.title')}
        className="mt-1 px-4 pb-3"
        rows={rows.slice(0, ROWS)}
        rowKey={({ peerAddress, certificateKind }) => `${peerAddress} ${certificateKind}`}
        columns={[
          {
            key: 'address',
            head: t('staples.address'),
            cell: ({ peerAddress }) => peerAddress ?? t('common.noValue'),
            rowHead: true,
            className: 'whitespace-nowrap font-mono text-[0.92em]',
          },
          {
            key: 'kind',
            head: t('staples.kind'),
            cell: ({ certificateKind }) => (certificateKind === 'other' ? t('staples.other') : certificateKind),
          },
          {
            key: 'ratio',
            head: t('staples.ratio'),
            definition: t('staples.ratioDef'),
            cell: (row) => <HitRatio ui={ui} row={row} />,
            numeric: true,
          },
          {
            key: 'connections',
            head: t('staples.connections'),
            cell: (row) => formatNumber(locale, row.connections),
            numeric: true,
          },
          {
            key: 'worst',
            head: t('staples.worst'),
            cell: ({ worstStatus }) => <StapleBadge ui={ui} status={worstStatus} />,
          },
          {
            key: 'lastHit',
            head: t('staples.lastHit'),
            cell: ({ lastHitAt }) =>
              lastHitAt ? <Time ui={ui} at={lastHitAt} detail="minute" /> : t('common.noValue'),
          },
          {
            key: 'lastSeen',
            head: t('staples.lastSeen'),
            cell: ({ lastSeenAt }) => <Time ui={ui} at={lastSeenAt} detail="minute" />,
          },
        ]}
      />
    </section>
  );
}

function HitRatio({ ui, row: { hitRatio, connections } }: { ui: Ui; row: StapleRow }) {
  const ratio = formatQuantity(ui, hitRatio, 'ratio');
  const unreliable = connections >= ENOUGH && (hitRatio ?? 1) < RELIABLE;
  return unreliable ? <Badge tone="warn">{ratio}</Badge> : ratio;
}
