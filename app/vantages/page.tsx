import Link from 'next/link';
import type { SearchParams } from '#components/filters/filter.ts';
import { Empty } from '#components/ui/empty.tsx';
import { ZoneNote } from '#components/ui/zone-note.tsx';
import { isOverloaded } from '#components/vantage/activity.ts';
import { isSilent, VantageTable, type VantageTableProps } from '#components/vantage/vantage-table.tsx';
import { ServiceError } from '#server/environment/errors.ts';
import { listVantages } from '#server/vantages/vantages.ts';
import { readerPage, readerTitle } from '../access.ts';
import { DemoNotice } from '../demo-notice.tsx';
import { requestUi } from '../request-ui.ts';

const ROWS = 200;

export const generateMetadata = readerTitle(({ t }) => t('vantages.title'));

/** All vantages and the state of their probers. */
export default readerPage(async function VantagesPage(
  { searchParams }: { searchParams: Promise<SearchParams> },
  reader,
) {
  const { cursor } = await searchParams;
  const [ui, page] = await Promise.all([requestUi(), pageAt(typeof cursor === 'string' ? cursor : undefined)]);
  const { t } = ui;
  const vantages = page.data;
  const now = Date.now();
  const silent = vantages.filter((vantage) => isSilent(vantage, now)).length;
  const overloaded = vantages.filter(isOverloaded).length;
  const add =
    reader === 'admin' ? (
      <Link href="/vantages/new" prefetch={false} className="btn btn-primary">
        {t('vantages.add')}
      </Link>
    ) : null;
  return (
    <>
      {vantages.some((vantage) => vantage.demo) ? <DemoNotice /> : null}
      <div className="mb-3 flex flex-wrap items-end justify-between gap-2">
        <div>
          <h1>{t('vantages.title')}</h1>
          {vantages.length > 0 ? (
            <p className="text-muted">{t('vantages.summary', { n: vantages.length, silent })}</p>
          ) : null}
        </div>
        {add}
      </div>
      {overloaded > 0 ? (
        <p className="mb-3 rounded-lg bg-warn-soft px-4 py-2 text-warn">
          {t('vantages.overloaded', { n: overloaded })}
        </p>
      ) : null}
      {vantages.length === 0 ? (
        <Empty title={t('vantages.emptyTitle')} text={t('vantages.emptyText')} />
      ) : (
        <Vantages ui={ui} vantages={vantages} now={now} editable={reader === 'admin'} />
      )}
      <div className="mt-3 flex flex-wrap justify-between gap-2">
        <ZoneNote ui={ui} />
        {page.nextCursor ? (
          <Link href={`/vantages?cursor=${encodeURIComponent(page.nextCursor)}`} prefetch={false} className="btn">
            {t('vantages.next')}
          </Link>
        ) : null}
      </div>
    </>
  );
});

/** One's own vantages; the demo's, which are many and all alike, behind a click. */
function Vantages({ ui, vantages, now, editable }: VantageTableProps) {
  const { t } = ui;
  const demo = vantages.filter((vantage) => vantage.demo);
  const own = vantages.filter((vantage) => !vantage.demo);
  const silent = demo.filter((vantage) => isSilent(vantage, now)).length;
  if (demo.length === 0) return <VantageTable ui={ui} vantages={own} now={now} editable={editable} />;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {own.length > 0 ? (
        <VantageTable ui={ui} vantages={own} now={now} editable={editable} />
      ) : (
        <p className="panel p-4 text-muted">{t('vantages.noOwn')}</p>
      )}
      <details className="group">
        <summary className="panel px-4 py-2.5 font-semibold">
          <span aria-hidden="true" className="mr-1.5 inline-block group-open:rotate-90">
            ▸
          </span>
          {t('vantages.demo', { n: demo.length, silent })}
        </summary>
        <div className="mt-2">
          <VantageTable ui={ui} vantages={demo} now={now} editable={editable} />
        </div>
      </details>
    </div>
  );
}

/** A cursor that somebody made up shows the first page. */
async function pageAt(cursor: string | undefined) {
  try {
    return await listVantages({ limit: ROWS, cursor });
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid') return listVantages({ limit: ROWS });
    throw error;
  }
}
