import { ComparisonForm } from '#components/comparison/comparison-form.tsx';
import { ComparisonTable } from '#components/comparison/comparison-table.tsx';
import { UncomparedList } from '#components/comparison/uncompared-list.tsx';
import type { SearchParams } from '#components/filters/filter.ts';
import { LiveRefresh } from '#components/ui/live-refresh.tsx';
import { ListPage } from '#components/ui/page.tsx';
import { toLocalField } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import { listComparisons } from '#server/comparisons/comparisons.ts';
import { listMarkers } from '#server/markers/markers.ts';
import { readerPage, readerTitle } from '../access.ts';
import { DemoNotice } from '../demo-notice.tsx';
import { findTarget } from '../find.ts';
import { pageOrFirst } from '../first-page.ts';
import { requestUi } from '../request-ui.ts';
import { namedTargets } from '../targets/named.ts';
import { compareAroundAction, compareRangesAction } from './actions.ts';

const ROWS = 50;
/** So many of the latest markers are looked through for those without a comparison. */
const MARKERS = 50;
const HOUR_MS = 3_600_000;

export const generateMetadata = readerTitle(({ t }) => t('comparison.title'));

/** What was changed, of all targets or of one, and whether it helped: comparisons, and markers without one. */
export default readerPage(async function ComparisonsPage(
  { searchParams }: { searchParams: Promise<SearchParams> },
  reader,
) {
  const [ui, search] = await Promise.all([requestUi(), searchParams]);
  const target = typeof search.target === 'string' ? await findTarget(search.target) : null;
  const cursor = typeof search.cursor === 'string' ? search.cursor : undefined;
  const query = { limit: ROWS, ...(cursor ? { cursor } : {}), ...(target ? { target: target.id } : {}) };
  const [page, targets, markers] = await Promise.all([
    pageOrFirst(listComparisons, query),
    namedTargets(),
    listMarkers({ limit: MARKERS, ...(target ? { target: target.id } : {}) }),
  ]);
  const { t } = ui;
  const next = new URLSearchParams({ ...(target ? { target: target.id } : {}), cursor: page.nextCursor ?? '' });
  return (
    <>
      {page.data.some(({ demo }) => demo) ? <DemoNotice /> : null}
      <ListPage
        ui={ui}
        title={t('comparison.title')}
        summary={target?.name}
        empty={page.data.length === 0 ? { title: t('comparison.noneShort'), text: t('comparison.none') } : null}
        next={page.nextCursor ? { href: `/comparisons?${next}`, label: t('incidents.older') } : null}
      >
        <ComparisonTable ui={ui} comparisons={page.data} />
      </ListPage>
      <UncomparedList
        ui={ui}
        markers={markers.data.filter(({ comparisonId }) => comparisonId === null)}
        targets={new Map(targets.map(({ id, name }) => [id, name]))}
        compare={reader === 'admin' ? compareAroundAction : null}
      />
      {reader === 'admin' && targets.length > 0 ? (
        <ComparisonForm
          ui={ui}
          action={compareRangesAction}
          targets={targets}
          target={target?.id ?? null}
          times={lastHours(ui, Date.now())}
        />
      ) : null}
      {page.data.some(({ status }) => status === 'waiting') ? <LiveRefresh seconds={15} /> : null}
    </>
  );
});

/** The hour before the last, and the last one. */
function lastHours({ timeZone }: Ui, now: number) {
  const before = (hours: number) => toLocalField(now - hours * HOUR_MS, timeZone);
  return { 'before.from': before(2), 'before.to': before(1), 'after.from': before(1), 'after.to': before(0) };
}
