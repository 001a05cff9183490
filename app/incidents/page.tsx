import type { SearchParams } from '#components/filters/filter.ts';
import { filterQuery, isNarrowed, nextHref, readIncidentFilter } from '#components/incident/incident-filter.ts';
import { IncidentFilterBar } from '#components/incident/incident-filter-bar.tsx';
import { IncidentTable } from '#components/incident/incident-table.tsx';
import { LiveRefresh } from '#components/ui/live-refresh.tsx';
import { ListPage } from '#components/ui/page.tsx';
import { generatedUntil } from '#server/figures/range.ts';
import { countIncidents, listIncidents } from '#server/incidents/incidents.ts';
import { readerPage, readerTitle } from '../access.ts';
import { DemoNotice } from '../demo-notice.tsx';
import { pageOrFirst } from '../first-page.ts';
import { requestUi } from '../request-ui.ts';
import { namedTargets } from '../targets/named.ts';
import { ChangeTabs, emptyReason } from './views.tsx';

const ROWS = 100;
const PATH = '/incidents';

export const generateMetadata = readerTitle(({ t }) => t('incidents.title'));

/** What is wrong now, the gravest first; what was, the latest first. */
export default readerPage(async function IncidentsPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const [ui, search] = await Promise.all([requestUi(), searchParams]);
  const filter = readIncidentFilter(search, 'unresolved');
  const [page, targets, counts, generated] = await Promise.all([
    pageOrFirst(listIncidents, {
      limit: ROWS,
      order: filter.state === 'unresolved' ? 'impact' : 'time',
      ...filterQuery(filter),
      ...(filter.kind ? { kind: [filter.kind] } : {}),
      ...(filter.severity ? { severity: [filter.severity] } : {}),
    }),
    namedTargets(),
    countIncidents(),
    generatedUntil({ demo: true }, { from: 0 }),
  ]);
  const { t } = ui;
  const narrowed = isNarrowed(filter) || filter.state !== 'unresolved';
  return (
    <>
      {page.data.some((incident) => incident.demo) ? <DemoNotice /> : null}
      <ListPage
        ui={ui}
        title={t('incidents.title')}
        summary={t('incidents.summary', counts)}
        tabs={<ChangeTabs ui={ui} here={PATH} />}
        filter={<IncidentFilterBar ui={ui} path={PATH} filter={filter} targets={targets} list="incidents" />}
        empty={page.data.length === 0 ? emptyReason(ui, narrowed, 'incidents') : null}
        next={page.nextCursor ? { href: nextHref(PATH, filter, page.nextCursor), label: t('incidents.older') } : null}
      >
        <IncidentTable
          ui={ui}
          incidents={page.data}
          now={Date.now()}
          generatedUntil={generated}
          label={t('incidents.title')}
        />
      </ListPage>
      <LiveRefresh follow={{}} />
    </>
  );
});
