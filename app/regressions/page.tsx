import Link from 'next/link';
import type { SearchParams } from '#components/filters/filter.ts';
import {
  filterQuery,
  type IncidentFilter,
  isNarrowed,
  nextHref,
  readIncidentFilter,
} from '#components/incident/incident-filter.ts';
import { IncidentFilterBar } from '#components/incident/incident-filter-bar.tsx';
import { RegressionTable } from '#components/incident/regression-table.tsx';
import { Empty } from '#components/ui/empty.tsx';
import { ZoneNote } from '#components/ui/zone-note.tsx';
import { generatedUntil } from '#server/figures/generated.ts';
import { listRegressions } from '#server/incidents/regressions.ts';
import { readerPage, readerTitle } from '../access.ts';
import { DemoNotice } from '../demo-notice.tsx';
import { pageOrFirst } from '../first-page.ts';
import { ChangeTabs } from '../incidents/views.tsx';
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
      <div className="mb-3 flex flex-wrap items-end justify-between gap-2">
        <div>
          <h1>{t('regressions.title')}</h1>
          <p className="text-muted">{t('regressions.summary')}</p>
        </div>
        <ChangeTabs ui={ui} here={PATH} />
      </div>
      <IncidentFilterBar ui={ui} path={PATH} filter={filter} targets={targets} list="regressions" />
      {page.data.length === 0 ? (
        <Empty
          title={t(narrowed ? 'incidents.emptyFiltered' : 'regressions.emptyTitle')}
          text={t(narrowed ? 'incidents.emptyFilteredText' : 'regressions.emptyText')}
        />
      ) : (
        <RegressionTable ui={ui} incidents={page.data} generatedUntil={generated} />
      )}
      <div className="mt-3 flex flex-wrap justify-between gap-2">
        <ZoneNote ui={ui} />
        {page.nextCursor ? (
          <Link href={nextHref(PATH, filter, page.nextCursor)} prefetch={false} className="btn">
            {t('incidents.older')}
          </Link>
        ) : null}
      </div>
    </>
  );
});

function kindsOf({ direction }: IncidentFilter): ('regression' | 'improvement')[] {
  if (direction === 'both') return ['regression', 'improvement'];
  return direction === 'worse' ? ['regression'] : ['improvement'];
}
