import Link from 'next/link';
import { notFound, redirect } from 'next/navigation';
import { Children, type ReactNode } from 'react';
import { TrendPanel } from '#components/charts/trend-panel.tsx';
import { CompareButton } from '#components/comparison/compare-button.tsx';
import type { SearchParams } from '#components/filters/filter.ts';
import { ActPanel } from '#components/incident/act-panel.tsx';
import { CausePanel } from '#components/incident/cause-panel.tsx';
import { CellsPanel } from '#components/incident/cells-panel.tsx';
import { IncidentHeader } from '#components/incident/incident-header.tsx';
import { described } from '#components/incident/incident-text.ts';
import { measureOf } from '#components/incident/measure.ts';
import { type Message, notificationOf } from '#components/incident/notification.ts';
import { Timeline } from '#components/incident/timeline.tsx';
import { answeredOf, failuresOf } from '#components/measurement/answer.ts';
import { ProbeNow } from '#components/measurement/probe-now.tsx';
import { LiveRefresh } from '#components/ui/live-refresh.tsx';
import { Time } from '#components/ui/time.tsx';
import { ZoneNote } from '#components/ui/zone-note.tsx';
import { DeliveryTable } from '#components/webhook/delivery-table.tsx';
import type { IncidentDetail } from '#contract/incident.ts';
import { unitOf } from '#contract/vocabulary.ts';
import { metricName } from '#i18n/incident.ts';
import type { Ui } from '#i18n/ui.ts';
import { listComparisons } from '#server/comparisons/comparisons.ts';
import { generatedUntil } from '#server/figures/range.ts';
import { mergeChoices } from '#server/incidents/incidents.ts';
import { newestOfTarget } from '#server/measurements/read.ts';
import { deliveriesOfIncident } from '#server/webhooks/deliveries.ts';
import { readerPage, readerTitle } from '../../access.ts';
import { compareAroundAction } from '../../comparisons/actions.ts';
import { DemoNotice } from '../../demo-notice.tsx';
import { findIncident, findMeasurement } from '../../find.ts';
import { UsualLines } from '../../probe/[id]/beside.tsx';
import { probeIncidentAction } from '../../probe/actions.ts';
import { probedOf } from '../../probe/incident-places.ts';
import { requestUi } from '../../request-ui.ts';
import { namedTargets } from '../../targets/named.ts';
import { actOnIncidentAction, undoNotUsefulAction } from '../actions.ts';
import { incidentAnnotations } from './annotations.ts';
import { chartRange, incidentChart, MAX_LINES } from './chart.ts';

type Props = { params: Promise<{ id: string }>; searchParams: Promise<SearchParams> };

/** What has a before and an after. */
const COMPARABLE = new Set<string>(['regression', 'improvement', 'spike']);

export const generateMetadata = readerTitle(async (ui, { params }: Props) => {
  const incident = await findIncident((await params).id);
  return incident ? described(ui, incident, Date.now()).title : ui.t('notFound.title');
});

/** One incident: what, how bad, where, since when, why, what was done and who was told. */
export default readerPage(async function IncidentPage({ params, searchParams }: Props, reader) {
  const { id } = await params;
  const [ui, incident] = await Promise.all([requestUi(), findIncident(id)]);
  if (!incident) notFound();
  if (incident.mergedInto !== null) redirect(`/incidents/${incident.mergedInto}?merged=${incident.id}`);
  const now = Date.now();
  const range = chartRange(incident, now);
  // Where nothing is drawn over time, nothing from before the onset is shown.
  const shownFrom = measureOf(incident) ? range.from : incident.onsetAt;
  const [messages, targets, comparisons, generated, others, { merged }] = await Promise.all([
    deliveriesOfIncident(incident.id),
    namedTargets(),
    listComparisons({ limit: 1, incident: incident.id }),
    generatedUntil(incident, { from: Date.parse(shownFrom) / 1_000 }),
    reader === 'admin' && incident.status !== 'resolved' ? mergeChoices(incident) : [],
    searchParams,
  ]);
  const probed = probedOf(incident, new Set(targets.map((target) => target.id)));
  const ruleHref = reader === 'admin' && incident.ruleId ? `/rules/${incident.ruleId}/edit` : null;
  return (
    <>
      {incident.demo ? <DemoNotice /> : null}
      <IncidentHeader
        ui={ui}
        incident={incident}
        now={now}
        generatedUntil={generated}
        ruleHref={ruleHref}
        notification={notificationOf(ui, incident, messages)}
      />
      {merged ? (
        <p role="status" className="mb-3 rounded-lg bg-warn-soft px-4 py-2 text-warn">
          {ui.t('incident.mergedHere')}
        </p>
      ) : null}
      {reader === 'admin' ? (
        <ActPanel
          ui={ui}
          incident={incident}
          others={others}
          action={actOnIncidentAction.bind(null, incident.id)}
          undo={undoNotUsefulAction}
          now={now}
        />
      ) : null}
      <div className="grid grid-cols-[minmax(0,1fr)] gap-x-4 lg:grid-cols-[minmax(0,7fr)_minmax(0,5fr)]">
        <div className="min-w-0">
          <Around ui={ui} incident={incident} range={range}>
            {COMPARABLE.has(incident.kind) && incident.targetId ? (
              <CompareButton
                ui={ui}
                comparisonId={comparisons.data[0]?.id ?? null}
                action={reader === 'admin' ? compareAroundAction : null}
                fields={{ incidentId: incident.id }}
              />
            ) : null}
            {reader === 'admin' && probed && incident.status !== 'resolved' ? (
              <ProbeNow
                action={probeIncidentAction.bind(null, incident.id)}
                label={ui.t('measurement.nowHere')}
                className="link text-[0.86rem]"
              />
            ) : null}
          </Around>
          {probed ? <Probed ui={ui} incident={incident} targetId={probed.targetId} /> : null}
          <CausePanel ui={ui} incident={incident} now={now} />
        </div>
        <div className="min-w-0">
          <CellsPanel ui={ui} incident={incident} range={range} linked={new Set(targets.map((target) => target.id))} />
          <Timeline ui={ui} incident={incident} />
          {messages.length > 0 ? <Deliveries ui={ui} messages={messages} /> : null}
        </div>
      </div>
      <ZoneNote ui={ui} />
      {incident.status === 'resolved' ? null : <LiveRefresh follow={{ incident: incident.id }} />}
    </>
  );
});

type PartProps = { ui: Ui; incident: IncidentDetail };

type AroundProps = PartProps & { range: { from: string; to: string }; children: ReactNode };

async function Around({ ui, incident, range, children }: AroundProps) {
  const { t } = ui;
  const chart = await incidentChart(ui, incident, range);
  if (!chart) return Children.toArray(children).length > 0 ? <div className="mb-4">{children}</div> : null;
  const { metric, stat, lines, stepSeconds, hidden, asked } = chart;
  const name = stat === 'availability' ? t('stat.availability') : `${metricName(ui, metric)} ${t(`stat.${stat}`)}`;
  if (lines.every((line) => line.points.every(([, value]) => value === null)))
    return (
      <div className="panel mb-4 flex flex-wrap gap-x-3 p-4 text-muted">
        <p>{t('incident.chartNone')}</p>
        {children}
      </div>
    );
  const note = [t('incident.chartNote'), hidden > 0 ? t('incident.chartCut', { n: MAX_LINES }) : ''];
  return (
    <TrendPanel
      ui={ui}
      id="incident-lines"
      title={t('incident.chart', { metric: name })}
      definition={
        stat === 'availability' ? t('statDef.availability') : `${t(`metricDef.${metric}`)} ${t(`statDef.${stat}`)}`
      }
      note={note.filter(Boolean).join(' ')}
      unit={unitOf(metric, stat)}
      lines={lines}
      from={range.from}
      to={range.to}
      bridgeMs={2_500 * stepSeconds}
      annotations={incidentAnnotations(ui, incident, range)}
      narrow
      actions={children}
      {...(asked && { json: `/api/v1/series?${new URLSearchParams(asked)}` })}
    />
  );
}

/** What came of the newest probes of its target since it began; beside usual levels where the incident is one of TLS times. */
async function Probed({ ui, incident, targetId }: PartProps & { targetId: string }) {
  const { t } = ui;
  const newest = await newestOfTarget(targetId, new Date(incident.onsetAt));
  const measurement = newest && (await findMeasurement(newest));
  if (!measurement) return null;
  const { id, createdAt, counts, vantages } = measurement;
  const failures = failuresOf(counts);
  const measure = measureOf(incident);
  const isOfTls = measure?.metric === 'tls' && measure.stat !== 'availability' && !measure.variant;
  return (
    <section className="panel mb-4 p-4" aria-labelledby="probed">
      <h2 id="probed">
        {t('measurement.title')} <Time ui={ui} at={createdAt} />
      </h2>
      <p>
        {t('measurement.progress', { answered: answeredOf(vantages), total: counts.total })}{' '}
        {failures > 0 ? <span className="text-bad">{t('measurement.failed', { n: failures })}</span> : null}
      </p>
      {isOfTls ? <UsualLines ui={ui} measurement={measurement} targetId={targetId} /> : null}
      <p className="mt-1">
        <Link href={`/probe/${id}`} prefetch={false} className="link">
          {t('measurement.answersOf')}
        </Link>
      </p>
    </section>
  );
}

function Deliveries({ ui, messages }: { ui: Ui; messages: Message[] }) {
  return (
    <section className="panel mb-4 min-w-0 p-4">
      <h2>{ui.t('incident.deliveries')}</h2>
      <DeliveryTable ui={ui} deliveries={messages} />
    </section>
  );
}
