import Link from 'next/link';
import { NoTargets } from '#components/target/no-targets.tsx';
import { rankTargets } from '#components/target/rank.ts';
import { isAwaited, TargetList } from '#components/target/target-list.tsx';
import { LiveRefresh } from '#components/ui/live-refresh.tsx';
import { ZoneNote } from '#components/ui/zone-note.tsx';
import { listTargetSummaries } from '#server/overview.ts';
import { openPage } from './access.ts';
import { DemoNotice } from './demo-notice.tsx';
import { requestUi } from './request-ui.ts';

/** All targets, those in trouble first. */
export default async function OverviewPage() {
  const reader = await openPage('/');
  const [ui, summaries] = await Promise.all([requestUi(), listTargetSummaries()]);
  const { t } = ui;
  const ranked = rankTargets(summaries);
  const troubled = ranked.filter(({ trouble }) => trouble.length > 0).length;
  const waiting = summaries.some((target) => target.enabled && isAwaited(target));
  return (
    <>
      {summaries.some((target) => target.demo) ? <DemoNotice /> : null}
      <div className="mb-3 flex flex-wrap items-end justify-between gap-2">
        <div>
          <h1>{t('targets.title')}</h1>
          {summaries.length > 0 ? (
            <p className="text-muted">
              {t('targets.summary', { n: summaries.length })} · {t('targets.troubled', { n: troubled })}
            </p>
          ) : null}
        </div>
        {reader === 'admin' && summaries.length > 0 ? (
          <Link href="/targets/new" prefetch={false} className="btn btn-primary">
            {t('targets.add')}
          </Link>
        ) : null}
      </div>
      {summaries.length === 0 ? (
        <NoTargets ui={ui} editable={reader === 'admin'} />
      ) : (
        <TargetList ui={ui} targets={ranked} />
      )}
      <div className="mt-3 flex flex-wrap justify-between gap-2">
        <p className="text-[0.86rem] text-muted">{summaries.length > 0 ? t('targets.sinceHour') : null}</p>
        <ZoneNote ui={ui} />
      </div>
      <LiveRefresh seconds={waiting ? 5 : 15} />
    </>
  );
}
