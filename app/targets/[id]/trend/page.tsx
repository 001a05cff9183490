import Link from 'next/link';
import { type ReactNode, Suspense } from 'react';
import type { Annotation } from '#components/charts/annotations.ts';
import { HeatPanel } from '#components/charts/heat-panel.tsx';
import { markAnnotations } from '#components/charts/marks.ts';
import { SpreadPanel } from '#components/charts/spread-panel.tsx';
import { isEmpty, TrendPanel } from '#components/charts/trend-panel.tsx';
import { WeekPanel } from '#components/charts/week-panel.tsx';
import { ChoiceLinks } from '#components/filters/choice-links.tsx';
import { CHOICES, type Filter, filterHref, measuredVariant } from '#components/filters/filter.ts';
import { MarkList } from '#components/incident/mark-list.tsx';
import { MarkerForm } from '#components/incident/marker-form.tsx';
import { NoteList, noteAnnotations } from '#components/incident/note-list.tsx';
import { FailureSpans, failureAnnotations } from '#components/target/failure-spans.tsx';
import { SlowestTable } from '#components/target/slowest-table.tsx';
import { LiveRefresh } from '#components/ui/live-refresh.tsx';
import type { FailureSpan } from '#contract/failure.ts';
import { MAX_POINTS } from '#contract/query.ts';
import { isShare, type Metric, type Stat, type Unit, unitOf } from '#contract/vocabulary.ts';
import { formatTime, toLocalField } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import { readDistribution } from '#server/figures/distribution.ts';
import { failureSpans } from '#server/figures/failure-spans.ts';
import { readMakeup } from '#server/figures/makeup.ts';
import { querySlowest } from '#server/figures/slowest.ts';
import { readWeekHours } from '#server/figures/week-hours.ts';
import { type Places, readPlaces } from '#server/vantages/labels.ts';
import { readerPage, readerTitle } from '../../../access.ts';
import { compareAroundAction } from '../../../comparisons/actions.ts';
import { findTarget } from '../../../find.ts';
import { valueOrTrouble } from '../../../page-trouble.tsx';
import { createMarkerAction, deleteMarkerAction } from '../../marker-actions.ts';
import { narrowed } from '../figures.ts';
import { openTargetPage, TargetFrame, type TargetPage, type TargetPageProps } from '../target-frame.tsx';
import { heatOf } from './heat.ts';
import {
  apart,
  carrierLines,
  MAX_LINES,
  percentileLines,
  phaseLines,
  readTrend,
  type TrendData,
  type TrendSeries,
} from './lines.ts';
import { MakeupPanel } from './makeup.tsx';
import { type TargetMarks, targetMarks } from './marks.ts';

const HOUR_MS = 3_600_000;
/** Of a shorter range a week has hours without values. */
const WEEK_MS = 7 * 24 * HOUR_MS;
/** Handshakes in the list of the slowest. */
const SLOWEST = 5;

type Duration = Exclude<Metric, 'refused'>;
const isDuration = (metric: Metric): metric is Duration => unitOf(metric, 'p50') === 'ms';

export const generateMetadata = readerTitle(async ({ t }, { params }: TargetPageProps) => {
  const target = await findTarget((await params).id);
  return target ? `${t('trend.title')} · ${target.name}` : t('notFound.title');
});

/** A target over time: the chosen metric by location, its percentiles, and what the time is made of. */
export default readerPage(async function TrendPage(props: TargetPageProps, reader) {
  const page = await openTargetPage(props, reader);
  const { target, filter } = page;
  const { metric, stat } = filter;
  // Counts and availability belong to a probe, not to a phase or a level: stack and heatmap then show medians.
  const phaseStat: Stat = stat === 'count' || stat === 'availability' ? 'p50' : stat;
  const places = await readPlaces(narrowed(filter));
  const isWeek = !isShare(metric) && Date.parse(filter.to) - Date.parse(filter.from) >= WEEK_MS;
  const [marks, series] = await Promise.all([
    targetMarks(target.id, filter),
    readTrend(target, filter, phaseStat, places),
  ]);
  const failures = await failureSpans(target.id, series.availability, places);
  return (
    <TargetFrame page={page} view="trend" imported={series.byLine.importedUntil}>
      {series.byLine.generatedUntil === null && series.byLine.importedUntil === null ? <YoungNote page={page} /> : null}
      <Charts {...{ page, marks, phaseStat, series, places }} failures={failures.spans} />
      {isDuration(metric) ? <Spread page={page} places={places} /> : null}
      {isWeek ? <Week page={page} places={places} /> : null}
      <MadeOf page={page} places={places} />
      <FailureSpans ui={page.ui} {...failures} places={page.places} />
      <Marks page={page} marks={marks} />
      <NoteList ui={page.ui} targetId={page.target.id} notes={marks.notes} filter={page.filter} />
      <LiveRefresh follow={{ target: page.target.id }} />
    </TargetFrame>
  );
});

type Later<Data> = { ui: Ui; height?: string; read: () => Promise<Data>; draw: (data: Data) => ReactNode };

/** What stands below the first charts, and comes after them: nothing waits for it. Until then it has a `height`. */
function Later<Data>({ height = 'h-[24rem]', ...props }: Later<Data>) {
  return (
    <Suspense fallback={<div className={`panel mb-4 ${height}`} aria-busy />}>
      <Drawn {...props} />
    </Suspense>
  );
}

/** Where the database does not give the figures of a panel in time, the rest of the page stays. */
async function Drawn<Data>({ ui, read, draw }: Omit<Later<Data>, 'height'>) {
  const data = await valueOrTrouble(read(), null);
  return data === null ? <p className="panel mb-4 p-4 text-muted">{ui.t('unavailable.slow')}</p> : draw(data);
}

type LaterProps = { page: TargetPage; places: Places };

/** What both panels of one metric are asked for, and how they name it. */
function metricOf({ ui, filter }: TargetPage) {
  const { metric } = filter;
  const asked = { ...narrowed(filter), metric, variant: measuredVariant(filter), zone: ui.timeZone };
  return { asked, words: { ui, metric: ui.t(`metric.${metric}`), definition: ui.t(`metricDef.${metric}`) } };
}

function Slowest({ page, places, metric }: LaterProps & { metric: Duration }) {
  const { ui, target, filter } = page;
  const asked = { ...narrowed(filter), metric, variant: measuredVariant(filter) };
  return (
    <div id="slowest" className="scroll-mt-4">
      <Later
        ui={ui}
        height="h-[17.5rem]"
        read={() => querySlowest(target, asked, SLOWEST, Date.now(), places)}
        draw={(slowest) => <SlowestTable ui={ui} metric={metric} slowest={slowest} />}
      />
    </div>
  );
}

function Spread({ page, places }: LaterProps) {
  const { asked, words } = metricOf(page);
  const json = apiHref('distribution', page.filter, { target: page.target.id, metric: asked.metric });
  return (
    <Later
      ui={page.ui}
      read={() => readDistribution(page.target, asked, places)}
      draw={(data) => (
        <SpreadPanel {...words} data={data} filter={page.filter} path={`${page.path}/trend`} json={json} />
      )}
    />
  );
}

function Week({ page, places }: LaterProps) {
  const { asked, words } = metricOf(page);
  const { target, filter } = page;
  const { metric } = filter;
  const hours = (Date.parse(filter.to) - Date.parse(filter.from)) / HOUR_MS;
  const asHours = { target: target.id, metric, stat: 'p50', ...(hours < MAX_POINTS && { step: '3600' }) };
  const json = apiHref('series', filter, asHours);
  return (
    <Later
      ui={page.ui}
      read={() => readWeekHours(target, asked, places)}
      draw={(data) => <WeekPanel {...words} data={data} unit={unitOf(metric, 'p50')} json={json} />}
    />
  );
}

function MadeOf({ page, places }: LaterProps) {
  const { ui, target, filter } = page;
  const asked = { ...narrowed(filter), property: filter.makeup, periodSeconds: target.periodSeconds };
  const json = apiHref('makeup', filter, { target: target.id, property: filter.makeup });
  return (
    <Later
      ui={ui}
      read={() => readMakeup(target, asked, places)}
      draw={(data) => <MakeupPanel page={page} data={data} json={json} />}
    />
  );
}

/** A young target's points fill a corner of a long range: says so, and leads to a shorter one. */
function YoungNote({ page: { ui, target, filter, path } }: { page: TargetPage }) {
  const created = Date.parse(target.createdAt);
  const [from, to] = [Date.parse(filter.from), Date.parse(filter.to)];
  if (filter.range === '1h' || created > to || to - created > HOUR_MS || created < from) return null;
  const since = `${formatTime(target.createdAt, ui.timeZone, 'minute')} ${ui.timeZone}`;
  return (
    <p className="mb-3 text-muted">
      {ui.t('trend.young', { since })}{' '}
      <Link href={filterHref(`${path}/trend`, filter, { range: '1h' })} prefetch={false} className="link underline">
        {ui.t('trend.closer')}
      </Link>
    </p>
  );
}

/** What the numbers on the charts mean, and the way to add one. */
function Marks({ page: { ui, reader, target }, marks: { marks, hidden } }: { page: TargetPage; marks: TargetMarks }) {
  const editable = reader === 'admin';
  return (
    <MarkList
      ui={ui}
      targetId={target.id}
      marks={marks}
      hidden={hidden}
      remove={editable ? deleteMarkerAction : null}
      compare={editable ? compareAroundAction : null}
    >
      {editable ? (
        <MarkerForm
          ui={ui}
          action={createMarkerAction.bind(null, target.id)}
          now={toLocalField(Date.now(), ui.timeZone)}
        />
      ) : null}
    </MarkList>
  );
}

type ChartsProps = {
  page: TargetPage;
  marks: TargetMarks;
  failures: FailureSpan[];
  phaseStat: Stat;
  series: TrendSeries;
  places: Places;
};

function Charts({ page, marks: { marks, notes }, failures, phaseStat, series, places }: ChartsProps) {
  const { ui, target, filter, path } = page;
  const { t } = ui;
  const { metric, stat } = filter;
  const heat = series.heat && heatOf(ui, series.heat, filter);
  const { earlier } = series;
  const byLine = carrierLines(ui, series.byLine, { ...filter, earlier });
  const percentiles = percentileLines(ui, series.percentiles, filter);
  const phases = phaseLines(ui, series.phases);
  const json = (parameters: Record<string, string>) => apiHref('series', filter, { target: target.id, ...parameters });
  const bridgeMs = 1_000 * Math.max(2.5 * target.periodSeconds, 1.5 * byLine.stepSeconds);
  const annotations = [
    ...markAnnotations(marks, { from: Date.parse(filter.from), to: Date.parse(filter.to) }),
    ...noteAnnotations(notes),
    ...failureAnnotations(ui, failures),
    ...seamAnnotations(ui, byLine),
  ];
  const zoom = filterHref(`${path}/trend`, filter);
  const shared = { ui, from: filter.from, to: filter.to, bridgeMs, annotations, zoom };
  const names = { metric: t(`metric.${metric}`), stat: t(`stat.${stat}`) };
  const step = t('trend.step', { minutes: byLine.stepSeconds / 60 });
  const { generated, stepSeconds } = byLine;
  const wide = generated !== null && stepSeconds < 600 ? t('trend.generatedStep') : '';
  // Where every probe failed one empty chart is enough to show when.
  const nothing = [byLine, percentiles, phases].every(({ lines }) => lines.every(isEmpty));
  const tooMany = byLine.hidden > 0 ? t('trend.tooMany', { n: MAX_LINES }) : '';
  const isLog = (unit: Unit) => filter.axis === 'log' && hasLog(unit);
  const axis = (of: string) => <AxisChoice page={page} of={of} />;
  return (
    <>
      {heat && heat.rows.length > 1 ? (
        <HeatPanel
          ui={ui}
          data={heat}
          filter={filter}
          path={`${path}/trend`}
          zoom={zoom}
          title={t('heatmap.title', { metric: names.metric, stat: t(`stat.${phaseStat}`) })}
          definition={`${t(`metricDef.${metric}`)} ${t('usual.def')}`}
          json={json({ metric, stat: phaseStat, groupBy: 'region,carrier' })}
        />
      ) : null}
      <TrendPanel
        {...shared}
        id="lines-table"
        title={t('trend.lines', names)}
        definition={`${t(`metricDef.${metric}`)} ${t(`statDef.${stat}`)}`}
        note={[t('trend.gaps', { step }), wide, tooMany, ...originNotes(ui, earlier)].filter(Boolean).join(' ')}
        unit={unitOf(metric, stat)}
        lines={byLine.lines}
        log={isLog(unitOf(metric, stat))}
        actions={
          <>
            <ChoiceLinks
              label={t('trend.overlay')}
              shown
              choices={CHOICES.overlay.map((overlay) => ({
                key: overlay,
                href: filterHref(`${path}/trend`, filter, { overlay }),
                text: t(`trend.overlays.${overlay}`),
                current: overlay === filter.overlay,
              }))}
            />
            {hasLog(unitOf(metric, stat)) ? axis(t('trend.lines', names)) : null}
          </>
        }
        json={json({ metric, stat, groupBy: apart(filter) ? 'region,carrier' : 'carrier' })}
      />
      {isDuration(metric) ? <Slowest page={page} places={places} metric={metric} /> : null}
      {nothing ? null : (
        <TrendPanel
          {...shared}
          id="phases-table"
          title={t('trend.phases')}
          definition={t('metricDef.total')}
          note={
            phaseStat === 'mean' ? t('trend.phasesNoteMean') : t('trend.phasesNote', { stat: t(`stat.${phaseStat}`) })
          }
          unit="ms"
          lines={phases.lines}
          stacked
          json={json({ metric: 'total', stat: phaseStat })}
        />
      )}
      {nothing || isShare(metric) ? null : (
        <TrendPanel
          {...shared}
          id="percentiles-table"
          title={t('trend.percentiles', names)}
          definition={`${t(`metricDef.${metric}`)} ${t('statDef.p95')}`}
          note={[t('statDef.p50'), percentiles.extremes ? t('trend.extremesNote') : ''].filter(Boolean).join(' ')}
          unit={unitOf(metric, 'p50')}
          lines={percentiles.lines}
          log={isLog(unitOf(metric, 'p50'))}
          actions={
            <>
              <ChoiceLinks
                label={t('trend.extremes')}
                shown
                choices={(['hidden', 'shown'] as const).map((extremes) => ({
                  key: extremes,
                  href: filterHref(`${path}/trend`, filter, { extremes }),
                  text: t(`trend.extremesAre.${extremes}`),
                  current: (extremes === 'shown') === percentiles.extremes,
                }))}
              />
              {axis(t('trend.percentiles', names))}
            </>
          }
          json={json({ metric, stat: 'p95' })}
        />
      )}
    </>
  );
}

/** Counts may be zero, and shares end at one. */
const hasLog = (unit: Unit) => unit !== 'count' && unit !== 'ratio' && unit !== 'share';

/** Whether values stand at their logarithms, of all charts that have such an axis. */
function AxisChoice({ page: { ui, filter, path }, of }: { page: TargetPage; of: string }) {
  return (
    <ChoiceLinks
      label={ui.t('trend.axis')}
      of={of}
      shown
      choices={CHOICES.axis.map((axis) => ({
        key: axis,
        href: filterHref(`${path}/trend`, filter, { axis }),
        text: ui.t(`trend.axes.${axis}`),
        current: axis === filter.axis,
      }))}
    />
  );
}

/** Where generated values end and measured ones begin, and up to where some are imported. */
function seamAnnotations({ t }: Ui, { generated, imported }: Pick<TrendData, 'generated' | 'imported'>): Annotation[] {
  const seam = (at: string | null, label: string): Annotation[] =>
    at === null ? [] : [{ kind: 'line', at: Date.parse(at), label, token: '--muted', dashed: true }];
  return [...seam(generated, t('trend.seam')), ...seam(imported, t('trend.importedSeam'))];
}

/** What an overlay holds that nobody's prober measured here; the page's badges speak of its range alone. */
function originNotes({ t, timeZone }: Ui, overlay: TrendSeries['earlier']): string[] {
  const until = (at: string) => ({ time: formatTime(at, timeZone, 'minute') });
  const { generatedUntil = null, importedUntil = null } = overlay ?? {};
  return [
    ...(generatedUntil === null ? [] : [t('trend.overlayGenerated', until(generatedUntil))]),
    ...(importedUntil === null ? [] : [t('trend.overlayImported', until(importedUntil))]),
  ];
}

/** The same figures from the API, under the same filter. What connections are made of has its own kind of handshake for each property. */
function apiHref(
  path: 'series' | 'distribution' | 'makeup',
  filter: Filter,
  parameters: Record<string, string>,
): string {
  const lists = Object.entries(narrowed(filter)).map(([name, value]) => [name, [value].flat().join(',')]);
  const variant = measuredVariant(filter);
  const handshakes = variant === 'main' || path === 'makeup' ? {} : { variant };
  return `/api/v1/${path}?${new URLSearchParams({ ...Object.fromEntries(lists), ...handshakes, ...parameters })}`;
}
