import Link from 'next/link';
import type { ReactNode } from 'react';
import type { Incident } from '#contract/incident.ts';
import type { Ui } from '#i18n/ui.ts';
import { GeneratedBadge } from '../ui/badge.tsx';
import { Time } from '../ui/time.tsx';
import { Effect } from './effect.tsx';
import { IncidentBadges, StatusBadge } from './incident-badges.tsx';
import { durationText, headline, lastedMs, lineCells, metricName, placeText } from './words.ts';

type Props = { ui: Ui; incident: Incident; now: number; generatedUntil: string | null; ruleHref: string | null };

/** What, how bad, where, since when: the first thing to read. */
export function IncidentHeader({ ui, incident, now, generatedUntil, ruleHref }: Props) {
  const { t } = ui;
  const { onsetAt, openedAt, resolvedAt, cells } = incident;
  const where = [metricName(ui, incident.metric), placeText(ui, cells)].filter(Boolean).join(' · ');
  return (
    <header className="mb-4">
      <nav aria-label={t('nav.breadcrumb')} className="text-[0.86rem]">
        <Link href="/incidents" prefetch={false} className="link">
          {t('incidents.title')}
        </Link>
      </nav>
      <h1 className="flex flex-wrap items-center gap-2">
        {headline(ui, incident)}
        <StatusBadge ui={ui} incident={incident} />
        <IncidentBadges ui={ui} incident={incident} generated={false} />
        <GeneratedBadge ui={ui} until={generatedUntil} />
      </h1>
      <dl className="panel mt-3 grid grid-cols-2 divide-line sm:grid-cols-3 lg:grid-cols-[1.1fr_1.5fr_1fr_1fr_1fr] lg:divide-x">
        <Fact term={t('incidents.effect')} title={t('incidents.effectDef')}>
          <Effect ui={ui} incident={incident} />
        </Fact>
        <Fact term={where || t('incident.line')}>
          <span className="font-semibold">{t('incidents.cells', { n: lineCells(incident).length })}</span>
        </Fact>
        <Fact term={t('incident.onset')}>
          <Time ui={ui} at={onsetAt} detail="minute" />
          <span className="block text-[0.86rem] text-muted">{durationText(ui, lastedMs(incident, now))}</span>
        </Fact>
        <Fact term={resolvedAt === null ? t('incident.opened') : t('incident.resolvedAt')}>
          <Time ui={ui} at={resolvedAt ?? openedAt} detail="minute" />
        </Fact>
        <Fact term={t('incident.rule')}>
          {ruleHref && incident.ruleName ? (
            <Link href={ruleHref} prefetch={false} className="link">
              {incident.ruleName}
            </Link>
          ) : (
            (incident.ruleName ?? t('common.noValue'))
          )}
          <span className="block text-[0.86rem] text-muted">{t(`severity.${incident.severity}`)}</span>
        </Fact>
      </dl>
    </header>
  );
}

function Fact({ term, title, children }: { term: string; title?: string; children: ReactNode }) {
  return (
    <div className="min-w-0 px-4 py-2.5">
      <dt className="truncate text-[0.86rem] text-muted" title={title ?? term}>
        {term}
      </dt>
      <dd>{children}</dd>
    </div>
  );
}
