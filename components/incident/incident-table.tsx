import Link from 'next/link';
import type { Incident } from '#contract/incident.ts';
import { metricName, whyText } from '#i18n/incident.ts';
import type { Ui } from '#i18n/ui.ts';
import { Define } from '../ui/define.tsx';
import { ScrollBox } from '../ui/scroll-box.tsx';
import { Time } from '../ui/time.tsx';
import { Effect } from './effect.tsx';
import { IncidentBadges, StatusBadge, StatusNote } from './incident-badges.tsx';
import { RowSummary } from './row-summary.tsx';

import { described, durationText, lastedMs, lineCells, overAt } from './words.ts';

type Props = {
  ui: Ui;
  incidents: Incident[];
  /** Milliseconds. */
  now: number;
  /** What began before (RFC 3339) and belongs to the demo was generated. */
  generatedUntil: string | null;
  label: string;
};

/** Incidents, one a row: what, how bad, since when, probably why, and who has it. */
export function IncidentTable({ ui, incidents, now, generatedUntil, label }: Props) {
  const { t } = ui;
  return (
    <ScrollBox label={label} className="panel">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{t('incidents.incident')}</th>
            <th scope="col" className="num hidden sm:table-cell">
              <Define term={t('incidents.effect')} definition={t('incidents.effectDef')} end />
            </th>
            <th scope="col" className="hidden sm:table-cell">
              {t('incidents.since')}
            </th>
            <th scope="col" className="hidden sm:table-cell">
              {t('incidents.cause')}
            </th>
            <th scope="col" className="hidden sm:table-cell">
              {t('common.state')}
            </th>
          </tr>
        </thead>
        <tbody>
          {incidents.map((incident) => (
            <Row
              key={incident.id}
              ui={ui}
              incident={incident}
              now={now}
              generated={isGenerated(incident, generatedUntil)}
            />
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

/** Says whether an incident stands on figures that were generated. */
export const isGenerated = ({ demo, onsetAt }: Incident, until: string | null) =>
  demo && until !== null && onsetAt < until;

/** The colour at the edge of a row: something is to be done, somebody has it, or it went on as the new level. */
function stripeOf({ kind, status, resolution }: Incident): string | null {
  if (status === 'resolved') return resolution === 'accepted' ? 'var(--warn)' : null;
  if (kind === 'improvement') return 'var(--good)';
  return status === 'open' ? 'var(--bad)' : 'var(--warn)';
}

function Row({ ui, incident, now, generated }: { ui: Ui; incident: Incident; now: number; generated: boolean }) {
  const { t } = ui;
  const { kind, targets, where: places } = described(ui, incident, now);
  const colour = stripeOf(incident);
  const where = [metricName(ui, incident.metric), places, cellCount(ui, incident)].filter(Boolean);
  const time = durationText(ui, lastedMs(incident, now));
  const lasted = overAt(incident) === null ? time : t('incidents.lasted', { time });
  return (
    <tr>
      <th
        scope="row"
        style={colour ? { boxShadow: `inset 3px 0 ${colour}` } : undefined}
        className="whitespace-normal font-normal sm:min-w-64"
      >
        <div className="flex flex-wrap items-center gap-x-1.5 gap-y-0.5">
          <Link href={`/incidents/${incident.id}`} prefetch={false} className="font-semibold hover:underline">
            {targets === null ? kind : t('incident.headline', { kind, subject: targets })}
          </Link>
          <IncidentBadges ui={ui} incident={incident} generated={generated} />
        </div>
        <span className="block text-[0.86rem] text-muted">{where.join(' · ')}</span>
        <RowSummary ui={ui} incident={incident} extent={lasted} />
      </th>
      <td className="num hidden sm:table-cell">
        <Effect ui={ui} incident={incident} />
      </td>
      <td className="hidden whitespace-nowrap sm:table-cell">
        <Time ui={ui} at={incident.onsetAt} detail="minute" />
        <span className="block text-[0.86rem] text-muted">{lasted}</span>
      </td>
      <td className="hidden sm:table-cell">
        {whyText(ui, incident) ?? <span className="text-muted">{t('common.noValue')}</span>}
      </td>
      <td className="hidden whitespace-nowrap sm:table-cell">
        <StatusBadge ui={ui} incident={incident} />
        <StatusNote ui={ui} incident={incident} />
      </td>
    </tr>
  );
}

/** How many lines: one alone is named beside it already. */
function cellCount({ t }: Ui, incident: Incident): string | null {
  const n = lineCells(incident).length;
  return n > 1 ? t('incidents.cells', { n }) : null;
}
