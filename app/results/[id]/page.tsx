import Link from 'next/link';
import { notFound } from 'next/navigation';
import { OVERLAID, type Overlaid, OverlayChoice } from '#components/result/overlay-choice.tsx';
import { ResultHeader } from '#components/result/result-header.tsx';
import { ResultPanels } from '#components/result/result-panels.tsx';
import { ZoneNote } from '#components/ui/zone-note.tsx';
import type { Result } from '#contract/result.ts';
import type { Ui } from '#i18n/ui.ts';
import { findFastest, findNeighbours, type Neighbours } from '#server/results/neighbours.ts';
import { getRun } from '#server/results/results.ts';
import { readerPage, readerTitle } from '../../access.ts';
import { DemoNotice } from '../../demo-notice.tsx';
import { findResult, findTarget } from '../../find.ts';
import { valueOrTrouble } from '../../page-trouble.tsx';
import { requestUi } from '../../request-ui.ts';

type Props = { params: Promise<{ id: string }>; searchParams: Promise<Record<string, string | string[] | undefined>> };

export const generateMetadata = readerTitle(({ t }) => t('result.title'));

/** One handshake with all its evidence, and beside it those that were before, after and elsewhere. */
export default readerPage(async function ResultPage({ params, searchParams }: Props) {
  const { id } = await params;
  const [ui, result, asked] = await Promise.all([requestUi(), findResult(id), searchParams]);
  if (!result) notFound();
  const target = result.targetId === null ? null : await findTarget(result.targetId);
  const up = target ? { href: `/targets/${target.id}/results`, label: ui.t('result.back') } : null;
  const chosen = OVERLAID.find((each) => each === asked.with) ?? null;
  const searched = chosen === 'fastest' || chosen === 'elsewhere' ? chosen : null;
  const { periodSeconds } = target ?? { periodSeconds: 0 };
  // The page can do without neighbours.
  const [run, neighbours, fastest] = await Promise.all([
    getRun(result),
    target ? valueOrTrouble(findNeighbours(result, periodSeconds), null, NEIGHBOURS_MS) : null,
    target && searched ? valueOrTrouble(findFastest(result, periodSeconds, searched), undefined, NEIGHBOURS_MS) : null,
  ]);
  const overlay = neighbours && overlayOf(ui, { result, chosen, neighbours, fastest });
  return (
    <>
      {result.demo ? <DemoNotice /> : null}
      <ResultHeader ui={ui} result={result} up={up} />
      {neighbours ? <Beside ui={ui} result={result} {...neighbours} /> : null}
      <ResultPanels ui={ui} result={result} run={run} {...(overlay && { overlay })} />
      <div className="mt-3 flex flex-wrap items-center justify-between gap-2">
        <ZoneNote ui={ui} />
        <a href={`/api/v1/results/${result.id}`} className="link">
          {ui.t('result.raw')}
        </a>
      </div>
    </>
  );
});

const HOUR_MS = 3_600_000;
const NEIGHBOURS_MS = 2_000;

type Overlay = { result: Result; chosen: Overlaid | null; neighbours: Neighbours; fastest: Result | null | undefined };

/** The handshake that is laid over the time line, and the choice of one. */
function overlayOf(ui: Ui, { result, chosen, neighbours, fastest }: Overlay) {
  const found: Record<Overlaid, Result | null | undefined> = { ...neighbours, fastest, elsewhere: fastest };
  const there = OVERLAID.filter((each) => (each !== 'previous' && each !== 'next') || found[each] !== null);
  const other = chosen && found[chosen];
  return { other: other ?? null, choice: <OverlayChoice {...{ ui, result, there, chosen, other }} /> };
}

/** The ways to the handshakes before and after it, and to the trend of its place around it. */
function Beside({ ui: { t }, result, previous, next }: { ui: Ui; result: Result } & Neighbours) {
  const { targetId, vantage, variant } = result;
  const [from, to] = [-HOUR_MS, HOUR_MS].map((ms) => new Date(Date.parse(result.startedAt) + ms).toISOString());
  const query = new URLSearchParams({ from: from ?? '', to: to ?? '' });
  if (vantage) query.set('region', vantage.region);
  if (vantage) query.set('carrier', vantage.carrier);
  if (variant === 'resumed') query.set('variant', variant);
  const links = [
    ...(previous ? [{ href: `/results/${previous.id}`, text: `← ${t('result.overlays.previous')}` }] : []),
    ...(next ? [{ href: `/results/${next.id}`, text: `${t('result.overlays.next')} →` }] : []),
    { href: `/targets/${targetId}/trend?${query}`, text: t('result.toTrend') },
  ];
  return (
    <nav aria-label={t('result.beside')} className="mb-3 flex flex-wrap gap-4">
      {links.map(({ href, text }) => (
        <Link key={href} href={href} prefetch={false} className="link">
          {text}
        </Link>
      ))}
    </nav>
  );
}
