import type { Incident, Severity } from '#contract/incident.ts';
import type { Ui } from '#i18n/ui.ts';
import { Badge, DemoBadge, type Tone } from '../ui/badge.tsx';

const STATUS_TONES: Record<Incident['status'], Tone> = { open: 'bad', acknowledged: 'warn', resolved: 'good' };
export const SEVERITY_TONES: Record<Severity, Tone> = { info: 'plain', warning: 'warn', critical: 'bad' };

/** Open, acknowledged or resolved. An improvement that is open is nothing bad. */
export function StatusBadge({ ui, incident: { kind, status } }: { ui: Ui; incident: Incident }) {
  const tone = kind === 'improvement' && status === 'open' ? 'good' : STATUS_TONES[status];
  return <Badge tone={tone}>{ui.t(`incident.status.${status}`)}</Badge>;
}

/** Everything else that a word says about an incident: severity, silence, flapping, coming back, made up or not. */
export function IncidentBadges({ ui, incident, generated }: { ui: Ui; incident: Incident; generated: boolean }) {
  const { t } = ui;
  const { severity, silenced, flapping, reopened, demo } = incident;
  return (
    <>
      {severity === 'critical' ? <Badge tone={SEVERITY_TONES[severity]}>{t(`severity.${severity}`)}</Badge> : null}
      {reopened > 0 ? <Badge>{t('incident.reopened', { n: reopened })}</Badge> : null}
      {flapping ? (
        <Badge tone="warn" title={t('incident.event.flapping')}>
          {t('incident.flapping')}
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
