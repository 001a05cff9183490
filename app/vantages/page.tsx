import type { Metadata } from 'next';
import Link from 'next/link';
import type { SearchParams } from '#components/filters/filter.ts';
import { Empty } from '#components/ui/empty.tsx';
import { ZoneNote } from '#components/ui/zone-note.tsx';
import { isSilent, VantageTable } from '#components/vantage/vantage-table.tsx';
import { ServiceError } from '#server/errors.ts';
import { listVantages } from '#server/vantages.ts';
import { openPage } from '../access.ts';
import { DemoNotice } from '../demo-notice.tsx';
import { requestUi } from '../request-ui.ts';

const ROWS = 200;

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await requestUi()).t('vantages.title') };
}

/** All vantages and the state of their probers. */
export default async function VantagesPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const reader = await openPage('/vantages');
  const { cursor } = await searchParams;
  const [ui, page] = await Promise.all([requestUi(), pageAt(typeof cursor === 'string' ? cursor : undefined)]);
  const { t } = ui;
  const vantages = page.data;
  const now = Date.now();
  const silent = vantages.filter((vantage) => isSilent(vantage, now)).length;
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
      {vantages.length === 0 ? (
        <Empty title={t('vantages.emptyTitle')} text={t('vantages.emptyText')} />
      ) : (
        <VantageTable ui={ui} vantages={vantages} now={now} editable={reader === 'admin'} />
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
