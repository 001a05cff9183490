import Link from 'next/link';
import type { ReactNode } from 'react';
import type { Incident } from '#contract/incident.ts';
import { isShare } from '#contract/vocabulary.ts';
import { withoutText } from '#i18n/explanation.ts';
import { findingText, measuredAs, metricName, valueText, whyText } from '#i18n/incident.ts';
import { markerWords } from '#i18n/names.ts';
import { formatTime } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import { ruleName } from '../rule/rule-name.ts';
import { Badge, GeneratedBadge } from '../ui/badge.tsx';
import { PageHead } from '../ui/page.tsx';
import { Time } from '../ui/time.tsx';
import { Effect } from './effect.tsx';
import { IncidentBadges, StatusBadge } from './incident-badges.tsx';
import { described, differenceText, durationText, impactText, lastedMs, offsetText } from './incident-text.ts';
import { lifeText } from './life-text.ts';
import type { NotificationState } from './notification.ts';

type Props = {
  ui: Ui;
  incident: Incident;
  now: number;
  generatedUntil: string | null;
  ruleHref: string | null;
  notification: NotificationState;
};

/** What, how bad, where, since when, why and who knows: the first thing to read. */
export function IncidentHeader({ ui, incident, generatedUntil, ...rest }: Props) {
  const { t } = ui;
  return (
    <header className="mb-3">
      <PageHead
        ui={ui}
        up={{ href: '/incidents', label: t('incidents.title') }}
        title={
          <>
            {described(ui, incident, rest.now).headline}
            <StatusBadge ui={ui} incident={incident} />
            <IncidentBadges ui={ui} incident={incident} generated={false} />
            <GeneratedBadge ui={ui} until={generatedUntil} />
          </>
        }
        note={<p className="max-w-none text-muted">{lifeText(ui, incident, rest.now)}</p>}
      />
      <IncidentFacts ui={ui} incident={incident} {...rest} />
    </header>
  );
}

/** How bad, where, since when, probably why, who was told, and which rule found it. */
function IncidentFacts({ ui, incident, now, ruleHref, notification }: Omit<Props, 'generatedUntil'>) {
  const { t } = ui;
  const { ruleId } = incident;
  const { where, targets } = described(ui, incident, now);
  const rule = incident.ruleName === null ? null : ruleName(ui, { id: ruleId, name: incident.ruleName });
  const lines = t('incidents.cells', { n: incident.affected.series });
  return (
    <dl className="panel mt-3 grid grid-cols-2 divide-line sm:grid-cols-3 lg:grid-cols-[1fr_1.3fr_1fr_1fr_1.2fr_1fr] lg:divide-x">
      <Fact term={t('incidents.effect')} title={t('incidents.effectDef')} note={levelsText(ui, incident)}>
        <Effect ui={ui} incident={incident} large />
        <Without ui={ui} incident={incident} />
      </Fact>
      <Fact
        term={t('incident.where')}
        note={[metricName(ui, incident.metric), lines, impactText(ui, incident)].filter(Boolean).join(' · ')}
      >
        <span className="font-semibold">{where ?? targets ?? t('common.noValue')}</span>
      </Fact>
      <Fact term={t('incident.onset')} note={<Lasted ui={ui} incident={incident} now={now} />}>
        <Time ui={ui} at={incident.onsetAt} detail="minute" />
      </Fact>
      <Fact term={t('incident.why')} note={candidateText(ui, incident)}>
        {whyText(ui, incident) ?? <span className="text-muted">{t('common.noValue')}</span>}
      </Fact>
      <Fact term={t('incident.notified.title')} note={notification.who}>
        <Badge tone={notification.tone}>{notification.text}</Badge>
      </Fact>
      <Fact term={t('incident.rule')} note={t(`severity.${incident.severity}`)}>
        {ruleHref && rule ? (
          <Link href={ruleHref} prefetch={false} className="link">
            {rule}
          </Link>
        ) : (
          (rule ?? t('common.noValue'))
        )}
      </Fact>
    </dl>
  );
}

type FactProps = { term: string; title?: string; note: ReactNode; children: ReactNode };

function Fact({ term, title, note, children }: FactProps) {
  return (
    <div className="min-w-0 px-4 py-1.5">
      <dt className="truncate text-[0.86rem] text-muted" title={title ?? term}>
        {term}
      </dt>
      <dd className="min-w-0 break-words">
        {children}
        {note ? <span className="block text-[0.86rem] text-muted">{note}</span> : null}
      </dd>
    </div>
  );
}

/** What its series would be without it, and what they are; nothing where that is not known. */
function Without({ ui, incident: { counterfactual } }: { ui: Ui; incident: Incident }) {
  if (counterfactual === null) return null;
  const { siblings, at } = counterfactual;
  const time = formatTime(at, ui.timeZone, 'minute');
  return (
    <span className="block text-[0.86rem] tabular-nums" title={ui.t('explanation.withoutDef', { time, siblings })}>
      {withoutText(ui, counterfactual)}
    </span>
  );
}

/** `44.6 ms → 279 ms`, the levels that all figures of it are of; null where they are not known. */
function levelsText(ui: Ui, incident: Incident): string | null {
  const { before, after } = incident.affected;
  if (before === null || after === null) return null;
  const [from, to] = [before, after].map((level) => valueText(ui, measuredAs(incident), level));
  const peak =
    incident.peakMs === null || isShare(incident.metric)
      ? null
      : differenceText(ui, measuredAs(incident), incident.peakMs);
  const levels = `${from} → ${to}`;
  return peak === null ? levels : `${levels} · ${ui.t('incident.peak', { peak })}`;
}

function Lasted({ ui, incident, now }: { ui: Ui; incident: Incident; now: number }) {
  const { t } = ui;
  const time = durationText(ui, lastedMs(incident, now));
  const { kind, overAt, resolvedAt } = incident;
  if (resolvedAt === null) return time;
  const goesOn = kind === 'improvement' ? t('incident.foundOn') : `${time} · ${t('incident.acceptedOn')}`;
  return (
    <>
      {overAt === null ? goesOn : t('incident.until', { time })}{' '}
      <Time ui={ui} at={overAt ?? resolvedAt} detail="minute" />
    </>
  );
}

/** The likeliest of what changed at the same time, in a line. */
function candidateText(ui: Ui, { candidates, demo }: Incident): string | null {
  const { t } = ui;
  const first = candidates.find((candidate) => candidate.kind !== 'marker' || !candidate.later);
  if (!first) return null;
  if (first.kind === 'marker')
    return `${markerWords(ui, { demo, title: first.title }).title} · ${offsetText(ui, first.offsetSeconds)}`;
  if (first.kind === 'finding') return findingText(ui, first);
  const none = t('common.none');
  const { before, after } = first;
  const field = t(`incident.posture.${first.field}`);
  return t('incident.candidate', { field, before: before ?? none, after: after ?? none });
}
