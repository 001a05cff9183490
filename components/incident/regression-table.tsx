import Link from 'next/link';
import type { Incident } from '#contract/incident.ts';
import { metricName, valueText } from '#i18n/incident.ts';
import type { Ui } from '#i18n/ui.ts';
import { Define } from '../ui/define.tsx';
import { ScrollBox } from '../ui/scroll-box.tsx';
import { Time } from '../ui/time.tsx';
import { middle } from './cell-grid.ts';
import { Effect } from './effect.tsx';
import { IncidentBadges, StatusBadge, StatusNote } from './incident-badges.tsx';
import { isGenerated } from './incident-table.tsx';
import { RowSummary } from './row-summary.tsx';
import { described, lineCells } from './words.ts';

type Props = { ui: Ui; incidents: Incident[]; generatedUntil: string | null };

/** Lasting changes, one a row, in the order in which they were given. */
export function RegressionTable({ ui, incidents, generatedUntil }: Props) {
  const { t } = ui;
  return (
    <ScrollBox label={t('regressions.title')} className="panel">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{t('incidents.target')}</th>
            <th scope="col" className="num hidden sm:table-cell">
              <Define term={t('incidents.effect')} definition={t('incidents.effectDef')} end />
            </th>
            <th scope="col" className="num hidden sm:table-cell">
              {t('regressions.was')}
            </th>
            <th scope="col" className="num hidden sm:table-cell">
              {t('incident.cells')}
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
            <Row key={incident.id} ui={ui} incident={incident} generated={isGenerated(incident, generatedUntil)} />
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

function Row({ ui, incident, generated }: { ui: Ui; incident: Incident; generated: boolean }) {
  const { t } = ui;
  const { cause, metric } = incident;
  const { kind, targets, where } = described(ui, incident, Date.now());
  const level = (field: 'beforeMs' | 'afterMs') =>
    valueText(ui, metric, middle(lineCells(incident).flatMap((cell) => cell[field] ?? [])));
  return (
    <tr>
      <th scope="row" className="whitespace-normal font-normal sm:min-w-56">
        <div className="flex flex-wrap items-center gap-x-1.5 gap-y-0.5">
          <Link href={`/incidents/${incident.id}`} prefetch={false} className="font-semibold hover:underline">
            {targets ?? kind}
          </Link>
          <IncidentBadges ui={ui} incident={incident} generated={generated} />
        </div>
        <span className="block text-[0.86rem] text-muted">
          {[metricName(ui, metric), where].filter(Boolean).join(' · ')}
        </span>
        <RowSummary ui={ui} incident={incident} extent={`${level('beforeMs')} → ${level('afterMs')}`} />
      </th>
      <td className="num hidden sm:table-cell">
        <Effect ui={ui} incident={incident} />
      </td>
      <td className="num hidden sm:table-cell">
        {level('beforeMs')} <span aria-hidden="true">→</span> <span className="font-semibold">{level('afterMs')}</span>
      </td>
      <td className="num hidden sm:table-cell">{lineCells(incident).length}</td>
      <td className="hidden sm:table-cell">
        <Time ui={ui} at={incident.onsetAt} detail="minute" />
      </td>
      <td className="hidden whitespace-nowrap sm:table-cell">
        {cause ? t(`incident.cause.${cause}`) : <span className="text-muted">{t('common.noValue')}</span>}
      </td>
      <td className="hidden sm:table-cell">
        <StatusBadge ui={ui} incident={incident} />
        <StatusNote ui={ui} incident={incident} />
      </td>
    </tr>
  );
}
