import type { StapleRow, Staples } from '#contract/staples.ts';
import { formatNumber, formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { Badge } from '../ui/badge.tsx';
import { Define } from '../ui/define.tsx';
import { ScrollBox } from '../ui/scroll-box.tsx';
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
    <section className="panel mt-4" aria-labelledby="staples-title">
      <div className="px-4 pt-3">
        <h2 id="staples-title">{t('staples.title')}</h2>
        <p className="text-[0.9rem] text-muted">
          {t('staples.caption', {
            hits: formatNumber(locale, hits),
            connections: formatNumber(locale, connections),
            ratio: formatQuantity(ui, hitRatio, 'ratio'),
          })}{' '}
          {cut ? t('staples.captionDays') : null}
        </p>
      </div>
      <ScrollBox label={t('staples.title')} className="px-4 pb-3">
        <table className="table mt-1">
          <thead>
            <tr>
              <th scope="col">{t('staples.address')}</th>
              <th scope="col">{t('staples.kind')}</th>
              <th scope="col" className="num">
                <Define term={t('staples.ratio')} definition={t('staples.ratioDef')} />
              </th>
              <th scope="col" className="num">
                {t('staples.connections')}
              </th>
              <th scope="col">{t('staples.worst')}</th>
              <th scope="col">{t('staples.lastHit')}</th>
              <th scope="col">{t('staples.lastSeen')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, ROWS).map((row) => (
              <Row key={`${row.peerAddress} ${row.certificateKind}`} ui={ui} row={row} />
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </section>
  );
}

function Row({ ui, row }: { ui: Ui; row: StapleRow }) {
  const { t } = ui;
  const ratio = formatQuantity(ui, row.hitRatio, 'ratio');
  const unreliable = row.connections >= ENOUGH && (row.hitRatio ?? 1) < RELIABLE;
  return (
    <tr>
      <th scope="row" className="whitespace-nowrap font-mono text-[0.92em]">
        {row.peerAddress ?? t('common.noValue')}
      </th>
      <td>{row.certificateKind === 'other' ? t('staples.other') : row.certificateKind}</td>
      <td className="num">{unreliable ? <Badge tone="warn">{ratio}</Badge> : ratio}</td>
      <td className="num">{formatNumber(ui.locale, row.connections)}</td>
      <td>
        <StapleBadge ui={ui} status={row.worstStatus} />
      </td>
      <td>{row.lastHitAt ? <Time ui={ui} at={row.lastHitAt} detail="minute" /> : t('common.noValue')}</td>
      <td>
        <Time ui={ui} at={row.lastSeenAt} detail="minute" />
      </td>
    </tr>
  );
}
