import Link from 'next/link';
import type { ReactNode } from 'react';
import type { Incident } from '#contract/incident.ts';
import { metricName, shareText, valueText, whyText } from '#i18n/incident.ts';
import type { Ui } from '#i18n/ui.ts';
import { type Column, type Stripe, Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { Effect } from './effect.tsx';
import { IncidentBadges, StatusBadge, StatusNote } from './incident-badges.tsx';
import { described, durationText, lastedMs } from './incident-text.ts';

type Props = {
  ui: Ui;
  incidents: Incident[];
  /** What began before (RFC 3339) and belongs to the demo was generated. */
  generatedUntil: string | null;
};

/** Incidents, one a row: what, how bad, since when, probably why, and who has it. `now` in ms. */
export function IncidentTable({ now, label, ...props }: Props & { now: number; label: string }) {
  const { ui } = props;
  const { t } = ui;
  const lasted = (incident: Incident) => {
    const time = durationText(ui, lastedMs(incident, now));
    return incident.overAt === null ? time : t('incidents.lasted', { time });
  };
  return (
    <Table
      label={label}
      className="panel"
      rows={props.incidents}
      rowKey={({ id }) => id}
      stripe={stripeOf}
      columns={[
        nameColumn(props, {
          head: t('incidents.incident'),
          name: (incident) => described(ui, incident, now).name,
          where: (incident) => [
            metricName(ui, incident.metric),
            described(ui, incident, now).rest,
            cellCount(ui, incident),
            incident.impact && t('incident.users', { share: shareText(ui, incident.impact.share) }),
          ],
          extent: lasted,
          className: 'sm:min-w-64',
        }),
        effectColumn(ui),
        sinceColumn(ui, (incident) => <span className="block text-[0.86rem] text-muted">{lasted(incident)}</span>),
        causeColumn(ui, (incident) => whyText(ui, incident)),
        stateColumn(ui),
      ]}
    />
  );
}

/** Lasting changes, one a row, in the order in which they were given. */
export function RegressionTable(props: Props) {
  const { ui } = props;
  const now = Date.now();
  const { t } = ui;
  const level = ({ metric, affected }: Incident, side: 'before' | 'after') => valueText(ui, metric, affected[side]);
  return (
    <Table
      label={t('regressions.title')}
      className="panel"
      rows={props.incidents}
      rowKey={({ id }) => id}
      columns={[
        nameColumn(props, {
          head: t('incidents.target'),
          name: (incident) => described(ui, incident, now).targets ?? '',
          where: (incident) => [metricName(ui, incident.metric), described(ui, incident, now).where],
          extent: (incident) => `${level(incident, 'before')} → ${level(incident, 'after')}`,
          className: 'sm:min-w-56',
        }),
        effectColumn(ui),
        {
          key: 'levels',
          head: t('regressions.was'),
          cell: (incident) => (
            <>
              {level(incident, 'before')} <span aria-hidden="true">→</span>{' '}
              <span className="font-semibold">{level(incident, 'after')}</span>
            </>
          ),
          numeric: true,
          wideOnly: true,
        },
        {
          key: 'cells',
          head: t('incident.cells'),
          cell: (incident) => incident.affected.series,
          numeric: true,
          wideOnly: true,
        },
        sinceColumn(ui),
        causeColumn(ui, ({ cause }) => cause && t(`incident.cause.${cause}`)),
        stateColumn(ui),
      ]}
    />
  );
}

/** Says whether an incident stands on figures that were generated. */
export const isGenerated = ({ demo, onsetAt }: Incident, until: string | null) =>
  demo && until !== null && onsetAt < until;

/** The colour at the edge of a row: something is to be done, somebody has it or it closes soon, or it went on as the new level. */
function stripeOf({ kind, state, status, resolution }: Incident): Stripe | null {
  if (status === 'resolved') return resolution === 'accepted' ? 'warn' : null;
  if (kind === 'improvement') return 'good';
  return status === 'open' && state !== 'quiet' ? 'bad' : 'warn';
}

type Name = {
  head: string;
  name: (incident: Incident) => string;
  where: (incident: Incident) => (string | null)[];
  /** How long or how much: on a phone, where the columns that say so are hidden. */
  extent: (incident: Incident) => string;
  className: string;
};

function nameColumn({ ui, generatedUntil }: Props, { head, name, where, extent, className }: Name): Column<Incident> {
  return {
    key: 'name',
    head,
    cell: (incident) => (
      <>
        <div className="flex flex-wrap items-center gap-x-1.5 gap-y-0.5">
          <Link href={`/incidents/${incident.id}`} prefetch={false} className="font-semibold hover:underline">
            {name(incident)}
          </Link>
          <IncidentBadges ui={ui} incident={incident} generated={isGenerated(incident, generatedUntil)} />
        </div>
        <span className="block text-[0.86rem] text-muted">{where(incident).filter(Boolean).join(' · ')}</span>
        <PhoneSummary ui={ui} incident={incident} extent={extent(incident)} />
      </>
    ),
    rowHead: true,
    className: `whitespace-normal font-normal ${className}`,
  };
}

/** What the columns of a wide table say, in lines below the name: a phone would have to be scrolled sideways for them. */
function PhoneSummary({ ui, incident, extent }: { ui: Ui; incident: Incident; extent: string }) {
  const why = whyText(ui, incident);
  return (
    <div className="mt-1 sm:hidden">
      <div className="flex flex-wrap items-center gap-x-3">
        <Effect ui={ui} incident={incident} />
        {why ? <span>{why}</span> : null}
        <StatusBadge ui={ui} incident={incident} />
      </div>
      <StatusNote ui={ui} incident={incident} />
      <span className="text-[0.86rem] text-muted">
        <Time ui={ui} at={incident.onsetAt} detail="minute" /> · {extent}
      </span>
    </div>
  );
}

const effectColumn = (ui: Ui): Column<Incident> => ({
  key: 'effect',
  head: ui.t('incidents.effect'),
  definition: ui.t('incidents.effectDef'),
  cell: (incident) => <Effect ui={ui} incident={incident} />,
  numeric: true,
  wideOnly: true,
});

const sinceColumn = (ui: Ui, note: (incident: Incident) => ReactNode = () => null): Column<Incident> => ({
  key: 'since',
  head: ui.t('incidents.since'),
  cell: (incident) => (
    <>
      <Time ui={ui} at={incident.onsetAt} detail="minute" />
      {note(incident)}
    </>
  ),
  wideOnly: true,
  className: 'whitespace-nowrap',
});

const causeColumn = ({ t }: Ui, why: (incident: Incident) => string | null): Column<Incident> => ({
  key: 'cause',
  head: t('incidents.cause'),
  cell: (incident) => why(incident) ?? <span className="text-muted">{t('common.noValue')}</span>,
  wideOnly: true,
});

const stateColumn = (ui: Ui): Column<Incident> => ({
  key: 'state',
  head: ui.t('common.state'),
  cell: (incident) => (
    <>
      <StatusBadge ui={ui} incident={incident} />
      <StatusNote ui={ui} incident={incident} />
    </>
  ),
  wideOnly: true,
  className: 'whitespace-nowrap',
});

/** How many series: one alone is named beside it already. */
function cellCount({ t }: Ui, { affected: { series: n } }: Incident): string | null {
  return n > 1 ? t('incidents.cells', { n }) : null;
}
