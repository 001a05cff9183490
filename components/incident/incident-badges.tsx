import type { Incident } from '#contract/incident.ts';
import type { IncidentResolution, Severity } from '#contract/incident-vocabulary.ts';
import { withAside } from '#i18n/names.ts';
import { formatClock, formatDay } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import { Badge, DemoBadge, type Tone } from '../ui/badge.tsx';
import { actorName } from './actor.ts';
import { differenceText, durationText, effectTexts } from './incident-text.ts';

const HOUR_MS = 3_600_000;

const STATUS_TONES: Record<Incident['status'], Tone> = { open: 'bad', acknowledged: 'warn', resolved: 'good' };
const RESOLUTION_TONES: Record<IncidentResolution, Tone> = {
  recovered: 'good',
  rolled_back: 'good',
  by_hand: 'plain',
  accepted: 'warn',
  superseded: 'plain',
  merged: 'plain',
  unwatched: 'plain',
};
export const SEVERITY_TONES: Record<Severity, Tone> = { info: 'plain', warning: 'warn', critical: 'bad' };

type StateProps = { ui: Ui; incident: Incident };

/** Open, quiet, standing, acknowledged, or how it ended. An improvement is nothing bad, and over as soon as it is known. */
export function StatusBadge({ ui: { t }, incident: { kind, state, status, resolution } }: StateProps) {
  if (kind === 'improvement') return <Badge tone="good">{t('incident.status.improved')}</Badge>;
  if (state === 'quiet')
    return (
      <Badge tone="plain" title={t('incident.quietDef')}>
        {t('incident.status.quiet')}
      </Badge>
    );
  if (state === 'standing')
    return (
      <Badge tone={STATUS_TONES[status]} title={t('incident.standingDef')}>
        {t('incident.status.standing')}
      </Badge>
    );
  if (resolution === null) return <Badge tone={STATUS_TONES[status]}>{t(`incident.status.${status}`)}</Badge>;
  return (
    <Badge tone={RESOLUTION_TONES[resolution]} title={t(`incident.resolutionDef.${resolution}`)}>
      {t(`incident.resolution.${resolution}`)}
    </Badge>
  );
}

/** What the badge leaves open: how much slower an accepted level is, since when a spike has been quiet, who has it. */
export function StatusNote({ ui, incident }: StateProps) {
  const { t, locale, timeZone } = ui;
  const { status, state, resolution, resolvedBy, quietSince, closesAt, onsetAt, acknowledgedBy } = incident;
  const notes = [
    resolution === 'accepted' ? slowerText(ui, incident, formatDay(onsetAt, timeZone, locale)) : null,
    resolvedBy !== null ? actorName(ui, resolvedBy) : null,
    state === 'standing' ? standingText(ui, incident) : null,
    resolution === 'rolled_back' ? t('incident.resolvedReason.rolled_back') : null,
    status === 'acknowledged' && acknowledgedBy !== null ? actorName(ui, acknowledgedBy) : null,
    quietSince !== null && closesAt !== null
      ? t('incident.quietSince', { since: formatClock(quietSince, timeZone), closes: formatClock(closesAt, timeZone) })
      : null,
  ].filter((text) => text !== null);
  if (notes.length === 0) return null;
  return (
    <span className="block text-[0.86rem] text-muted" title={quietSince === null ? undefined : t('incident.quietDef')}>
      {notes.join(' · ')}
    </span>
  );
}

/** `+62.0 ms on average for 5 d 3 h so far`. */
function standingText(ui: Ui, { onsetAt, cost }: Incident): string {
  if (cost === null) return ui.t('incident.slower', { day: formatDay(onsetAt, ui.timeZone, ui.locale) });
  const ms = differenceText(ui, 'tls', cost.meanExcessMs);
  return ui.t('incident.standingShort', { ms, time: durationText(ui, cost.hours * HOUR_MS) });
}

/** `+195% (+62.0 ms) since 12 Nov`. */
function slowerText(ui: Ui, incident: Incident, day: string): string {
  const { ms, ratio } = effectTexts(ui, incident);
  const effect = ms !== null && ratio !== null ? withAside(ui, ratio, ms) : (ratio ?? ms);
  return effect === null ? ui.t('incident.slower', { day }) : ui.t('incident.slowerSince', { effect, day });
}

/** Everything else that a word says about an incident: severity, silence, flapping, coming back, made up or not. */
export function IncidentBadges({ ui, incident, generated }: { ui: Ui; incident: Incident; generated: boolean }) {
  const { t } = ui;
  const { severity, silenced, flapping, reopened, demo, heldUntil, status } = incident;
  return (
    <>
      {severity === 'critical' ? <Badge tone={SEVERITY_TONES[severity]}>{t(`severity.${severity}`)}</Badge> : null}
      {reopened > 0 ? <Badge>{t('incident.reopened', { n: reopened })}</Badge> : null}
      {flapping ? (
        <Badge tone="warn" title={t('incident.event.flapping')}>
          {t('incident.flapping')}
        </Badge>
      ) : null}
      {heldUntil !== null && status !== 'resolved' ? (
        <Badge title={t('incident.aloneDef')}>
          {t('incident.alone', { until: formatClock(heldUntil, ui.timeZone) })}
        </Badge>
      ) : null}
      {silenced ? <Badge title={t('incident.event.silenced')}>{t('incident.silenced')}</Badge> : null}
      {demo && !generated ? <DemoBadge ui={ui} /> : null}
      {generated ? (
        <Badge tone="demo" title={t('demo.generatedDef')}>
          {t('incidents.generated')}
        </Badge>
      ) : null}
    </>
  );
}
