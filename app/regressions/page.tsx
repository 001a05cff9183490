import type { SearchParams } from '#components/filters/filter.ts';
import {
  filterQuery,
  type IncidentFilter,
  isNarrowed,
  nextHref,
  readIncidentFilter,
} from '#components/incident/incident-filter.ts';
import { IncidentFilterBar } from '#components/incident/incident-filter-bar.tsx';
import { RegressionTable } from '#components/incident/incident-table.tsx';
import { ListPage } from '#components/ui/page.tsx';
import { generatedUntil } from '#server/figures/range.ts';
import { listRegressions } from '#server/incidents/incidents.ts';

import { readerPage, readerTitle } from '../access.ts';
import { DemoNotice } from '../demo-notice.tsx';
import { pageOrFirst } from '../first-page.ts';
import { ChangeTabs, emptyReason } from '../incidents/views.tsx';
import { requestUi } from '../request-ui.ts';
import { namedTargets } from '../targets/named.ts';

const ROWS = 100;
const PATH = '/regressions';

export const generateMetadata = readerTitle(({ t }) => t('regressions.title'));

/** Lasting changes of level, the largest first. */
export default readerPage(async function RegressionsPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const [ui, search] = await Promise.all([requestUi(), searchParams]);
  const filter = readIncidentFilter(search, 'all');
  const [page, targets, generated] = await Promise.all([
    pageOrFirst(listRegressions, {
      limit: ROWS,
      ...filterQuery(filter),
      kind: kindsOf(filter),
      order: filter.order,
    }),
    namedTargets(),
    generatedUntil({ demo: true }, { from: 0 }),
  ]);
  const { t } = ui;
  const narrowed = isNarrowed(filter);
  return (
    <>
      {page.data.some((incident) => incident.demo) ? <DemoNotice /> : null}
      <ListPage
        ui={ui}
        title={t('regressions.title')}
        summary={t('regressions.summary')}
        tabs={<ChangeTabs ui={ui} here={PATH} />}
        filter={<IncidentFilterBar ui={ui} path={PATH} filter={filter} targets={targets} list="regressions" />}
        empty={page.data.length === 0 ? emptyReason(ui, narrowed, 'regressions') : null}
        next={page.nextCursor ? { href: nextHref(PATH, filter, page.nextCursor), label: t('incidents.older') } : null}
      >
        <RegressionTable ui={ui} incidents={page.data} generatedUntil={generated} />
      </ListPage>
    </>
  );
});

function kindsOf({ direction }: IncidentFilter): ('regression' | 'improvement')[] {
  if (direction === 'both') return ['regression', 'improvement'];
  return direction === 'worse' ? ['regression'] : ['improvement'];
}
