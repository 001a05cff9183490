import type { SearchParams } from '#components/filters/filter.ts';
import { ListPage } from '#components/ui/page.tsx';
import { isOverloaded } from '#components/vantage/activity.ts';
import { isSilent, VantageTable, type VantageTableProps } from '#components/vantage/vantage-table.tsx';
import { countVantages, listVantages } from '#server/vantages/vantages.ts';
import { readerPage, readerTitle } from '../access.ts';
import { DemoNotice } from '../demo-notice.tsx';
import { pageOrFirst } from '../first-page.ts';
import { requestUi } from '../request-ui.ts';

const ROWS = 200;

export const generateMetadata = readerTitle(({ t }) => t('vantages.title'));

/** All vantages and the state of their probers. */
export default readerPage(async function VantagesPage(
  { searchParams }: { searchParams: Promise<SearchParams> },
  reader,
) {
  const { cursor } = await searchParams;
  const now = Date.now();
  const [ui, page, { measuring, silent }] = await Promise.all([
    requestUi(),
    pageOrFirst(listVantages, { limit: ROWS, ...(typeof cursor === 'string' ? { cursor } : {}) }),
    countVantages(now),
  ]);
  const { t } = ui;
  const vantages = page.data;
  const overloaded = vantages.filter(isOverloaded).length;
  return (
    <>
      {vantages.some((vantage) => vantage.demo) ? <DemoNotice /> : null}
      <ListPage
        ui={ui}
        title={t('vantages.title')}
        summary={vantages.length > 0 ? t('vantages.summary', { n: measuring, silent }) : null}
        add={reader === 'admin' ? { href: '/vantages/new', label: t('vantages.add') } : null}
        empty={vantages.length === 0 ? { title: t('vantages.emptyTitle'), text: t('vantages.emptyText') } : null}
        next={
          page.nextCursor
            ? { href: `/vantages?cursor=${encodeURIComponent(page.nextCursor)}`, label: t('vantages.next') }
            : null
        }
      >
        {overloaded > 0 ? (
          <p className="mb-3 rounded-lg bg-warn-soft px-4 py-2 text-warn">
            {t('vantages.overloaded', { n: overloaded })}
          </p>
        ) : null}
        <Vantages
          ui={ui}
          vantages={vantages}
          now={now}
          editable={reader === 'admin'}
          isAll={!cursor && !page.nextCursor}
        />
      </ListPage>
    </>
  );
});

/** One's own vantages; the demo's and imported ones, which are many and all alike, behind a click. */
function Vantages({ ui, vantages, now, editable, isAll }: VantageTableProps & { isAll: boolean }) {
  const { t } = ui;
  const own = vantages.filter(({ demo, imported }) => !demo && !imported);
  const demo = vantages.filter((vantage) => vantage.demo);
  const imported = vantages.filter((vantage) => vantage.imported);
  const silent = demo.filter((vantage) => isSilent(vantage, now)).length;
  const folded = [
    { some: imported, title: t('vantages.imported', { n: imported.length }) },
    { some: demo, title: t('vantages.demo', { n: demo.length, silent }) },
  ];
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {own.length > 0 ? <VantageTable ui={ui} vantages={own} now={now} editable={editable} /> : null}
      {own.length === 0 && isAll ? <p className="panel p-4 text-muted">{t('vantages.noOwn')}</p> : null}
      {folded.map(({ some, title }) =>
        some.length === 0 ? null : (
          <details key={title} className="group">
            <summary className="panel px-4 py-2.5 font-semibold">
              <span aria-hidden="true" className="mr-1.5 inline-block group-open:rotate-90">
                ▸
              </span>
              {title}
            </summary>
            <div className="mt-2">
              <VantageTable ui={ui} vantages={some} now={now} editable={editable} />
            </div>
          </details>
        ),
      )}
    </div>
  );
}
