import { kindToken } from '#components/charts/marks.ts';
import type { SearchParams } from '#components/filters/filter.ts';
import { Lead } from '#components/incident/lead.tsx';
import { NoTargets } from '#components/target/no-targets.tsx';
import { VantageIncidents } from '#components/target/notices.tsx';
import { LIST_ROWS, listPage, rankTargets, worstOf } from '#components/target/rank.ts';
import { isAwaited, TargetList } from '#components/target/target-list.tsx';
import { GeneratedBadge } from '#components/ui/badge.tsx';
import { LiveRefresh } from '#components/ui/live-refresh.tsx';
import { ListPage } from '#components/ui/page.tsx';
import { readSnapshots } from '#server/advice/snapshots.ts';
import { generatedUntil } from '#server/figures/range.ts';
import { listTargetSummaries } from '#server/figures/target-summaries.ts';
import { openIncidentsOfVantages, targetMarksSince } from '#server/incidents/target-incidents.ts';
import { readerPage } from './access.ts';
import { DemoNotice } from './demo-notice.tsx';
import { findIncident } from './find.ts';
import { requestUi } from './request-ui.ts';

/** As far back as the page shows anything: its small charts. */
const SHOWN_MS = 24 * 3_600_000;

/** All targets, those in trouble first, a hundred a page. */
export default readerPage(async function OverviewPage(
  { searchParams }: { searchParams: Promise<SearchParams> },
  reader,
) {
  const now = Date.now();
  const since = now - SHOWN_MS;
  const [ui, summaries, marks, vantages, generated, snapshots] = await Promise.all([
    requestUi(),
    listTargetSummaries(),
    targetMarksSince(new Date(since)),
    openIncidentsOfVantages(),
    // Figures are compared with the day before.
    generatedUntil({ demo: true }, { from: since / 1_000 }),
    readSnapshots(),
  ]);
  const { t } = ui;
  const ranked = rankTargets(summaries, new Map([...marks].map(([id, { open }]) => [id, open])));
  const { page } = await searchParams;
  const { shown, previous, next } = listPage(ranked, typeof page === 'string' ? page : undefined);
  const troubled = ranked.filter(({ urgent }) => urgent).length;
  const hasStanding = ({ incidents }: (typeof ranked)[number]) => incidents.some(({ standing }) => standing);
  const standing = ranked.filter(hasStanding).length;
  const acknowledged = ranked.filter(
    (entry) => !entry.urgent && entry.incidents.length > 0 && !hasStanding(entry),
  ).length;
  const sparks = new Map(
    [...marks].map(([id, own]) => [id, own.marks.map(({ at, kind }) => ({ at, token: kindToken(kind) }))]),
  );
  const wastes = new Map([...snapshots].flatMap(([id, { waste }]) => (waste ? [[id, waste]] : [])));
  const waiting = summaries.some(isAwaited);
  const worst = worstOf(ranked);
  // Of one target alone its row says it.
  const lead = worst && ranked.length > 1 ? await findIncident(worst.id) : null;
  return (
    <>
      {summaries.some((target) => target.demo) ? <DemoNotice /> : null}
      <ListPage
        ui={ui}
        title={
          <>
            {t('targets.title')}
            {summaries.some((target) => target.demo) ? <GeneratedBadge ui={ui} until={generated} /> : null}
          </>
        }
        summary={
          summaries.length > 0
            ? [
                t('targets.summary', { n: summaries.length }),
                t('targets.troubled', { n: troubled }),
                standing > 0 ? t('targets.standing', { n: standing }) : null,
                acknowledged > 0 ? t('targets.acknowledged', { n: acknowledged }) : null,
              ]
                .filter(Boolean)
                .join(' · ')
            : null
        }
        add={reader === 'admin' && summaries.length > 0 ? { href: '/targets/new', label: t('targets.add') } : null}
        filter={
          <>
            {worst && lead ? <Lead ui={ui} incident={lead} more={worst.more} now={now} /> : null}
            <VantageIncidents ui={ui} {...vantages} now={now} />
          </>
        }
        empty={summaries.length === 0 ? <NoTargets ui={ui} editable={reader === 'admin'} /> : null}
        previous={
          previous === null ? null : { href: `/?page=${previous}`, label: t('targets.previous', { n: LIST_ROWS }) }
        }
        next={next && { href: `/?page=${next.page}`, label: t('targets.next', { n: next.rows }) }}
        footnote={summaries.length > 0 ? t('targets.sinceHour') : null}
      >
        <TargetList ui={ui} targets={shown} marks={sparks} wastes={wastes} now={now} />
      </ListPage>
      <LiveRefresh seconds={waiting ? 5 : 15} />
    </>
  );
});
