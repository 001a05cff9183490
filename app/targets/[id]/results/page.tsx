import Link from 'next/link';
import { type Filter, filterEntries, filterHref } from '#components/filters/filter.ts';
import { ResultTable } from '#components/result/result-table.tsx';
import { Empty } from '#components/ui/empty.tsx';
import { LiveRefresh } from '#components/ui/live-refresh.tsx';
import type { ResultsQuery } from '#contract/query.ts';
import { formatTime } from '#i18n/time.ts';
import { listResults } from '#server/results/results.ts';
import { readerPage, readerTitle } from '../../../access.ts';
import { findTarget } from '../../../find.ts';
import { pageOrFirst } from '../../../first-page.ts';
import { narrowed } from '../figures.ts';
import { openTargetPage, TargetFrame, type TargetPageProps } from '../target-frame.tsx';

const ROWS = 50;

export const generateMetadata = readerTitle(async ({ t }, { params }: TargetPageProps) => {
  const target = await findTarget((await params).id);
  return target ? `${t('results.title')} · ${target.name}` : t('notFound.title');
});

/** Single results of a target, newest first. */
export default readerPage(async function ResultsPage(props: TargetPageProps, reader) {
  const page = await openTargetPage(props, reader);
  const { ui, target, filter, path } = page;
  const { cursor } = await props.searchParams;
  const query = resultsQuery(target.id, filter);
  const { data, nextCursor, searchedUntil } = await pageOrFirst(listResults, {
    ...query,
    ...(typeof cursor === 'string' ? { cursor } : {}),
  });
  const here = `${path}/results`;
  const soFar =
    searchedUntil && ui.t('results.searchedUntil', { time: formatTime(searchedUntil, ui.timeZone, 'minute') });
  return (
    <TargetFrame page={page} view="results">
      {data.length === 0 ? (
        <Empty
          title={ui.t(soFar ? 'results.searching' : 'results.emptyTitle')}
          text={soFar ?? ui.t('results.emptyText')}
        />
      ) : (
        <ResultTable ui={ui} results={data} />
      )}
      {soFar && data.length > 0 ? <p className="mt-2 text-muted">{soFar}</p> : null}
      <div className="mt-3 flex flex-wrap items-center justify-between gap-2">
        <nav aria-label={ui.t('results.paging')} className="flex gap-2">
          {cursor ? (
            <Link href={filterHref(here, filter)} prefetch={false} className="btn">
              {ui.t('results.newest')}
            </Link>
          ) : null}
          {nextCursor ? (
            <Link href={olderHref(here, filter, nextCursor)} prefetch={false} className="btn">
              {ui.t('results.older')}
            </Link>
          ) : null}
        </nav>
        <a href={csvHref(query)} className="btn" title={ui.t('results.csvTitle')} download={`${target.name}.csv`}>
          {ui.t('results.csv')}
        </a>
      </div>
      <LiveRefresh follow={{ target: target.id }} />
    </TargetFrame>
  );
});

function resultsQuery(target: string, filter: Filter): ResultsQuery {
  const outcome = filter.outcome === 'any' ? {} : { ok: filter.outcome === 'ok' };
  return { target, limit: ROWS, format: 'json', variant: filter.variant, ...narrowed(filter), ...outcome };
}

/** The range stands still while one pages, else rows would move under the reader. */
const olderHref = (path: string, filter: Filter, cursor: string) =>
  `${path}?${new URLSearchParams([...filterEntries(filter), ['cursor', cursor]])}`;

/** The whole range: an export has no pages. */
function csvHref({ target, from, to, region, carrier, access, ok, variant }: ResultsQuery): string {
  const query = new URLSearchParams({
    bom: 'true',
    target: target ?? '',
    from: from ?? '',
    to: to ?? '',
  });
  if (region) query.set('region', region.join(','));
  if (carrier) query.set('carrier', carrier.join(','));
  if (access) query.set('access', access.join(','));
  if (ok !== undefined) query.set('ok', String(ok));
  if (variant !== 'all') query.set('variant', variant);
  return `/api/v1/exports/results?${query}`;
}
