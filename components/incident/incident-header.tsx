import type { Incident } from '#contract/incident.ts';
import type { Ui } from '#i18n/ui.ts';
import { GeneratedBadge } from '../ui/badge.tsx';
import { PageHead } from '../ui/page.tsx';
import { IncidentBadges, StatusBadge } from './incident-badges.tsx';
import { IncidentFacts } from './incident-facts.tsx';
import { described } from './incident-text.ts';
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
