import Link from 'next/link';
import type { IncidentParts } from '#contract/incident-parts.ts';
import { kindText } from '#i18n/incident.ts';
import type { Ui } from '#i18n/ui.ts';
import { Badge } from '../ui/badge.tsx';

import { SEVERITY_TONES } from './incident-badges.tsx';
import { described } from './incident-text.ts';

/** An incident in one line: its kind, the sentence about it as a link, whether it stands, and whether somebody has acknowledged it. */
export function IncidentLine({ ui, parts, now }: { ui: Ui; parts: IncidentParts; now: number }) {
  const { t } = ui;
  return (
    <>
      <Badge
        tone={parts.acknowledged || parts.standing ? 'plain' : SEVERITY_TONES[parts.severity]}
        title={t(`severity.${parts.severity}`)}
      >
        {kindText(ui, parts)}
      </Badge>{' '}
      <Link href={`/incidents/${parts.id}`} prefetch={false} className="link">
        {described(ui, parts, now).brief}
      </Link>
      {parts.standing ? (
        <>
          {' '}
          <Badge tone="warn" title={t('incident.standingDef')}>
            {t('incident.status.standing')}
          </Badge>
        </>
      ) : null}
      {parts.acknowledged ? (
        <>
          {' '}
          <Badge tone="warn">{t('incident.status.acknowledged')}</Badge>
        </>
      ) : null}
    </>
  );
}
