import Link from 'next/link';
import type { ReactNode } from 'react';
import type { IncidentFailure } from '#contract/failure.ts';
import type { Incident, IncidentCandidate } from '#contract/incident.ts';
import { findingText, reasonText, shareText } from '#i18n/incident.ts';
import { inSentences, markerWords, withAside } from '#i18n/names.ts';
import { formatQuantity } from '#i18n/numbers.ts';
import { formatTime, sinceText } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import { Time } from '../ui/time.tsx';
import { Evidence } from './evidence.tsx';
import { Explanation } from './explanation.tsx';
import { described, offsetText } from './incident-text.ts';

/** Why it happened as far as the measurements tell, what speaks for it, and where to look next. */
export function CausePanel({ ui, incident, now }: { ui: Ui; incident: Incident; now: number }) {
  const { t } = ui;
  const { candidates, cause, subCause, kind } = incident;
  const found = kind === 'spike' || kind === 'regression' || kind === 'improvement';
  const postures = candidates.filter((candidate) => candidate.kind === 'posture');
  const findings = candidates.filter((candidate) => candidate.kind === 'finding');
  const markers = candidates.filter((candidate) => candidate.kind === 'marker');
  return (
    <section className="panel mb-4 min-w-0 p-4" aria-labelledby="cause-title">
      <h2 id="cause-title">
        {t('incident.causeTitle')}
        {found ? ` · ${t(`incident.cause.${cause ?? 'unknown'}`)}` : ''}
        {found && subCause ? `${t('punctuation.comma')}${t(`incident.subCause.${subCause}`)}` : ''}
      </h2>
      {incident.failure ? (
        <p className="mt-1 font-medium text-bad">{failedText(ui, incident, incident.failure, now)}</p>
      ) : null}
      {incident.explanation?.cause ? null : (
        <p className="mt-1 text-muted">{found ? causeText(ui, incident) : t(`incident.kindDef.${kind}`)}</p>
      )}
      {incident.explanation ? <Explanation ui={ui} explanation={incident.explanation} /> : null}
      <p className="mt-2 rounded-lg bg-accent-soft px-3 py-2">{nextStep(ui, incident)}</p>
      <Evidence ui={ui} incident={incident} />
      {found ? (
        <>
          <List title={t('incident.candidates')}>
            {postures.map((candidate) => (
              <Posture key={`${candidate.targetId} ${candidate.field}`} ui={ui} candidate={candidate} />
            ))}
          </List>
          <List title={t('incident.findingsSince')}>
            {findings.map((candidate) => (
              <Appeared key={`${candidate.targetId} ${candidate.code}`} ui={ui} candidate={candidate} />
            ))}
          </List>
          <List title={t('incident.markersNear')}>
            {markers.map((marker) => (
              <Near key={marker.markerId} ui={ui} marker={{ ...marker, demo: incident.demo }} />
            ))}
          </List>
          <p className="mt-2 text-[0.86rem] text-muted empty:hidden">
            {inSentences(ui, [
              postures.length === 0 ? t('incident.noCandidates') : null,
              markers.length === 0 ? noMarkersText(ui, incident) : null,
            ])}
          </p>
        </>
      ) : null}
    </section>
  );
}

/** What speaks for the cause: of failures other targets, of times how the phases moved. */
function causeText({ t }: Ui, { cause, subCause, metric }: Incident): string {
  if (subCause) return t(`incident.subCauseText.${subCause}`);
  if (metric === 'failures' && (cause === 'network' || cause === 'server')) return t(`incident.failuresText.${cause}`);
  return t(`incident.causeText.${cause ?? 'unknown'}`);
}

/** Why probes fail, how many, where, and from when to when. `now` in ms. */
function failedText(ui: Ui, incident: Incident, failure: IncidentFailure, now: number): string {
  const { onsetAt, overAt, resolvedAt } = incident;
  const told = {
    share: shareText(ui, failure.share),
    reason: reasonText(ui, failure),
    where: described(ui, incident, now).where ?? ui.t('alerting.everything'),
  };
  const from = sinceText(ui, onsetAt, now);
  return resolvedAt === null
    ? ui.t('failing.now', { ...told, time: from })
    : ui.t('failing.was', { ...told, from, to: sinceText(ui, overAt ?? resolvedAt, now) });
}

/** What was looked for and not found: markers of which targets, from when to when. */
function noMarkersText(ui: Ui, { affected, markersFrom, markersTo }: Incident): string {
  const { t, timeZone } = ui;
  const { targets, targetNames } = affected;
  const [from, to] = [markersFrom, markersTo].map((at) => formatTime(at, timeZone, 'minute')) as [string, string];
  const named = targetNames.join(t('punctuation.list'));
  const of = targets > targetNames.length ? t('incidents.targets', { n: targets }) : named;
  return t('incident.noMarkers', { targets: of, from, to });
}

function nextStep({ t }: Ui, { kind, cause, subCause }: Incident): string {
  if (kind === 'improvement') return t('incident.improvementNext');
  if (subCause) return t(`incident.subCauseNext.${subCause}`);
  if (kind === 'spike' || kind === 'regression') return t(`incident.causeNext.${cause ?? 'unknown'}`);
  return t(`incident.next.${kind}`);
}

/** Nothing where nothing was found. */
function List({ title, children }: { title: string; children: ReactNode[] }) {
  if (children.length === 0) return null;
  return (
    <div className="mt-3">
      <h3 className="font-medium">{title}</h3>
      <ul className="mt-1 grid gap-1.5">{children}</ul>
    </div>
  );
}

type Of<Kind extends IncidentCandidate['kind']> = Extract<IncidentCandidate, { kind: Kind }>;

function Posture({ ui, candidate }: { ui: Ui; candidate: Of<'posture'> }) {
  const { t } = ui;
  const { field, before, after, beforeShare, afterShare } = candidate;
  const none = t('common.none');
  return (
    <li className="min-w-0 border-line border-t pt-1.5">
      <span className="break-words font-medium">
        {t('incident.candidate', {
          field: t(`incident.posture.${field}`),
          before: before ?? none,
          after: after ?? none,
        })}
      </span>
      <span className="block text-[0.86rem] text-muted">
        {t('incident.candidateShare', {
          before: formatQuantity(ui, beforeShare, 'ratio'),
          after: formatQuantity(ui, afterShare, 'ratio'),
        })}
      </span>
    </li>
  );
}

/** A finding that came with the onset, what it costs, and where advice says what to do. */
function Appeared({ ui, candidate }: { ui: Ui; candidate: Of<'finding'> }) {
  const { t } = ui;
  const { targetId, beforeShare, afterShare, since } = candidate;
  return (
    <li className="min-w-0 border-line border-t pt-1.5">
      <Link href={`/targets/${targetId}/advice`} prefetch={false} className="link break-words font-medium">
        {findingText(ui, candidate)}
      </Link>
      <span className="block text-[0.86rem] text-muted">
        {t('incident.candidateShare', {
          before: formatQuantity(ui, beforeShare, 'ratio'),
          after: formatQuantity(ui, afterShare, 'ratio'),
        })}{' '}
        · <Time ui={ui} at={since} detail="minute" />
      </span>
    </li>
  );
}

function Near({ ui, marker }: { ui: Ui; marker: Of<'marker'> & { demo: boolean } }) {
  return (
    <li className="min-w-0 border-line border-t pt-1.5">
      <span className="break-words font-medium">{markerWords(ui, marker).title}</span>
      <span className="block text-[0.86rem] text-muted">
        {withAside(ui, offsetText(ui, marker.offsetSeconds), marker.later ? ui.t('incident.later') : null)} ·{' '}
        <Time ui={ui} at={marker.at} detail="minute" />
      </span>
    </li>
  );
}
