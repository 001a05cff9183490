import { CompareButton } from '#components/comparison/compare-button.tsx';
import { ComparisonTable } from '#components/comparison/comparison-table.tsx';
import type { SearchParams } from '#components/filters/filter.ts';
import { SelectField, TextField } from '#components/ui/field.tsx';
import { ActionForm } from '#components/ui/form.tsx';
import { LiveRefresh } from '#components/ui/live-refresh.tsx';
import { ListPage } from '#components/ui/page.tsx';
import { Time } from '#components/ui/time.tsx';
import { TimeField } from '#components/ui/time-field.tsx';
import type { Marker } from '#contract/marker.ts';
import { markerWords } from '#i18n/names.ts';
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
        <ComparisonForm ui={ui} targets={targets} target={target?.id ?? null} />
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

type UncomparedProps = {
  ui: Ui;
  markers: readonly Marker[];
  /** The names of targets by their ids. */
  targets: ReadonlyMap<string, string>;
  /** Asks for a comparison around a marker; null where the reader may not. */
  compare: ((form: FormData) => Promise<void>) | null;
};

/** Markers without a comparison, the latest first, each with the way to one: of all targets there is none, each has its own. */
function UncomparedList({ ui, markers, targets, compare }: UncomparedProps) {
  const { t } = ui;
  if (markers.length === 0) return null;
  return (
    <section className="panel mt-4 p-4" aria-labelledby="uncompared-title">
      <h2 id="uncompared-title">{t('comparison.uncompared')}</h2>
      <p className="text-[0.86rem] text-muted">{t('comparison.uncomparedDef')}</p>
      <ul className="mt-2">
        {markers.map(({ id, at, title, demo, targetId }) => (
          <li key={id} className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 border-line border-t py-1.5">
            <Time ui={ui} at={at} detail="minute" />
            <span className="min-w-0 break-words font-medium">{markerWords(ui, { demo, title }).title}</span>
            <span className="text-muted">
              {targetId === null ? t('comparison.allTargets') : (targets.get(targetId) ?? t('common.noValue'))}
            </span>
            {targetId === null ? null : (
              <CompareButton ui={ui} comparisonId={null} action={compare} fields={{ markerId: id, targetId }} />
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

type FormProps = { ui: Ui; targets: { id: string; name: string }[]; target: string | null };

/** Compares any two ranges of a target. */
function ComparisonForm({ ui, targets, target }: FormProps) {
  const { t, timeZone } = ui;
  const times = lastHours(ui, Date.now());
  const field = (side: 'before' | 'after', end: 'from' | 'to') => (
    <TimeField
      name={`${side}.${end}`}
      label={t('common.withNote', { label: `${t(`comparison.${side}`)} · ${t(`comparison.${end}`)}`, note: timeZone })}
      zone={timeZone}
      value={times[`${side}.${end}`]}
    />
  );
  return (
    <details className="panel mt-4 p-4">
      <summary className="btn">{t('comparison.new')}</summary>
      <p className="my-2 text-muted">{t('comparison.newNote')}</p>
      <ActionForm action={compareRangesAction} submit={t('comparison.submit')}>
        <div className="grid gap-3 sm:grid-cols-2">
          <SelectField
            name="targetId"
            label={t('comparison.target')}
            value={target ?? targets[0]?.id ?? ''}
            options={targets.map(({ id, name }) => ({ value: id, label: name }))}
          />
          <TextField
            name="title"
            maxLength={200}
            label={t('common.withNote', { label: t('comparison.name'), note: t('common.optional') })}
            placeholder={t('comparison.sample')}
          />
          {field('before', 'from')}
          {field('before', 'to')}
          {field('after', 'from')}
          {field('after', 'to')}
        </div>
      </ActionForm>
    </details>
  );
}
