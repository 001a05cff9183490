import type { ProberActivity } from '#contract/vantage.ts';
import { formatNumber, formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { Badge } from '../ui/badge.tsx';
import { Define } from '../ui/define.tsx';
import { MOST_MISSED, MOST_UNCLEAN, missedShare, uncleanShare } from './activity.ts';

/** Heads of the columns that `ActivityCells` fills. */
export function ActivityHeads({ ui }: { ui: Ui }) {
  const { t } = ui;
  const limit = (share: number) => ({ limit: formatQuantity(ui, share, 'ratio') });
  return (
    <>
      <th scope="col" className="num">
        <Define term={t('vantages.missed')} definition={t('vantages.missedDef', limit(MOST_MISSED))} end />
      </th>
      <th scope="col" className="num">
        <Define term={t('vantages.unclean')} definition={t('vantages.uncleanDef', limit(MOST_UNCLEAN))} end />
      </th>
      <th scope="col" className="num">
        <Define term={t('vantages.threads')} definition={t('vantages.threadsDef')} end />
      </th>
    </>
  );
}

/** What a prober missed and spoilt in the last hour; dashes where it told nothing. */
export function ActivityCells({ ui, prober }: { ui: Ui; prober: ProberActivity | null }) {
  const { t } = ui;
  const none = <td className="num">{t('common.noValue')}</td>;
  if (!prober) {
    return (
      <>
        {none}
        {none}
        {none}
      </>
    );
  }
  const { lastHour, lastDay, threads, checks } = prober;
  return (
    <>
      <Count ui={ui} n={lastHour.missed} share={missedShare(lastHour)} limit={MOST_MISSED} day={lastDay.missed} />
      <Count ui={ui} n={lastHour.unclean} share={uncleanShare(lastHour)} limit={MOST_UNCLEAN} day={lastDay.unclean} />
      <td className="num whitespace-nowrap">
        {t('vantages.threadsText', {
          threads: formatNumber(ui.locale, threads),
          checks: formatNumber(ui.locale, checks),
        })}
      </td>
    </>
  );
}

type CountProps = { ui: Ui; n: number; share: number | null; limit: number; day: number };

function Count({ ui, n, share, limit, day }: CountProps) {
  const number = formatNumber(ui.locale, n);
  const text =
    n === 0 || share === null
      ? number
      : ui.t('vantages.ofRuns', { n: number, ratio: formatQuantity(ui, share, 'ratio') });
  return (
    <td className="num whitespace-nowrap" title={ui.t('vantages.lastDay', { n: formatNumber(ui.locale, day) })}>
      {share !== null && share > limit ? <Badge tone="warn">{text}</Badge> : text}
    </td>
  );
}
