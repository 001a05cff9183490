import { notFound } from 'next/navigation';
import type { ReactNode } from 'react';
import { type Filter, readFilter, type SearchParams } from '#components/filters/filter.ts';
import { FilterBar } from '#components/filters/filter-bar.tsx';
import type { AutoRange } from '#components/filters/range-links.tsx';
import { type Note, TargetNotices } from '#components/target/notices.tsx';
import { TargetHeader, type TargetView } from '#components/target/target-header.tsx';
import { ZoneNote } from '#components/ui/zone-note.tsx';
import type { Location } from '#contract/extent.ts';
import type { OpenIncident } from '#contract/incident-parts.ts';
import { MAX_RANGE_DAYS } from '#contract/query.ts';
import type { ProbeSettings, Target } from '#contract/target.ts';
import type { MeasuredVariant } from '#contract/vocabulary.ts';
import type { Ui } from '#i18n/ui.ts';
import { generatedUntil } from '#server/figures/range.ts';
import { openIncidentsOf } from '#server/incidents/target-incidents.ts';
import type { Reader } from '../../access.ts';
import { DemoNotice } from '../../demo-notice.tsx';
import { findTarget } from '../../find.ts';
import { valueOrTrouble } from '../../page-trouble.tsx';
import { probeTargetAction } from '../../probe/actions.ts';
import { requestUi } from '../../request-ui.ts';

export type TargetPageProps = { params: Promise<{ id: string }>; searchParams: Promise<SearchParams> };
/** `open` are the incidents that go on, and `places` where the target is to be measured. `now` in ms. */
export type TargetPage = {
  ui: Ui;
  reader: Reader;
  target: Target;
  filter: Filter;
  path: string;
  open: OpenIncident[];
  places: Location[];
  now: number;
  auto: AutoRange;
};

/** What every page of a target begins with: which target, which filter, which incidents. */
export async function openTargetPage({ params, searchParams }: TargetPageProps, reader: Reader): Promise<TargetPage> {
  const { id } = await params;
  const path = `/targets/${encodeURIComponent(id)}`;
  const [ui, target, search] = await Promise.all([requestUi(), findTarget(id), searchParams]);
  if (!target) notFound();
  const now = Date.now();
  const { incidents: open, places } = await openIncidentsOf(target.id);
  return { ui, reader, target, filter: readFilter(search, now), path, open, places, now, auto: { preset: '24h' } };
}

/** Afterwards a vantage that has not told is not awaited any more. */
const YOUNG_MS = 10 * 60_000;

/** Whether a target is so new that results of more vantages are on their way. */
export const isYoung = ({ createdAt }: Pick<Target, 'createdAt'>): boolean =>
  Date.now() - Date.parse(createdAt) < YOUNG_MS;

const DAY_SECONDS = 86_400;

/** The handshakes beside the main one that a check makes. */
function variantsOf({ resume, sigalgs, reuse }: ProbeSettings): MeasuredVariant[] {
  return [
    ...(resume ? (['resumed'] as const) : []),
    ...(sigalgs === 'both' ? (['rsa', 'ecdsa'] as const) : []),
    ...(reuse ? (['reuse'] as const) : []),
  ];
}

/** `imported`: some of what is shown was measured by another monitor, up to then (RFC 3339). */
type FrameProps = {
  page: TargetPage;
  view: TargetView;
  notes?: readonly Note[];
  imported?: string | null;
  children: ReactNode;
};

/** Header, notices, tabs and filters around one of a target's pages. */
export async function TargetFrame({ page, view, notes = [], imported = null, children }: FrameProps) {
  const { ui, reader, target, filter, path, open, places, now, auto } = page;
  // Figures are compared with the day before. Results are never generated.
  const from = Date.parse(filter.from) / 1_000 - DAY_SECONDS;
  const isMeasured = view === 'results' || view === 'advice';
  const generated = isMeasured ? null : await valueOrTrouble(generatedUntil(target, { from }), null);
  return (
    <>
      {target.demo ? <DemoNotice /> : null}
      <TargetHeader
        ui={ui}
        target={target}
        path={path}
        filter={filter}
        view={view}
        editable={reader === 'admin'}
        probe={probeTargetAction.bind(null, target.id)}
        generatedUntil={generated}
        importedUntil={imported}
      />
      <TargetNotices ui={ui} target={target} incidents={open} places={places} now={now} notes={notes} />
      <FilterBar
        ui={ui}
        path={view === 'overview' ? path : `${path}/${view}`}
        filter={filter}
        kind={view === 'results' || view === 'advice' ? view : 'figures'}
        variants={variantsOf(target.settings)}
        auto={auto}
      />
      {filter.invalid ? (
        <p role="alert" className="mb-3 rounded-lg bg-warn-soft px-4 py-2 text-warn">
          {ui.t('range.invalid', { days: MAX_RANGE_DAYS })}
        </p>
      ) : null}
      {children}
      <div className="mt-3">
        <ZoneNote ui={ui} />
      </div>
    </>
  );
}
