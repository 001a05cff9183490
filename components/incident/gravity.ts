import { z } from 'zod';
import type { Incident } from '#contract/incident.ts';
import { formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';

/** Whether a certificate's incident is about one that has expired already. */
export const isExpired = ({ kind, evidence }: Pick<Incident, 'kind' | 'evidence'>): boolean =>
  kind === 'certificate' && (Certificate.safeParse(evidence).data?.daysLeft ?? 0) < 0;

/** What it is called: `Spike`; a certificate that has expired is not said to expire. */
export const kindText = ({ t }: Ui, incident: Pick<Incident, 'kind' | 'evidence'>): string =>
  t(isExpired(incident) ? 'incident.expired' : `incident.kind.${incident.kind}`);

const Staple = z.object({ servers: z.array(z.object({ hitRatio: z.number() })).min(1) });
const Certificate = z.object({ daysLeft: z.number() });
const Down = z.object({ vantagesDown: z.number(), vantagesMeasured: z.number() });

/** How bad an incident is that has no milliseconds: as its rule saw it; null where the evidence does not say. */
export function gravityText(ui: Ui, { kind, evidence }: Pick<Incident, 'kind' | 'evidence'>): string | null {
  const { t } = ui;
  if (kind === 'staple') {
    const servers = Staple.safeParse(evidence).data?.servers.map(({ hitRatio }) => hitRatio);
    return servers ? t('incident.gravity.staple', { ratio: formatQuantity(ui, Math.min(...servers), 'ratio') }) : null;
  }
  if (kind === 'certificate') {
    const seen = Certificate.safeParse(evidence).data;
    if (!seen) return null;
    // Days are whole: of one that ended an hour ago, -1 is left.
    return seen.daysLeft < 0
      ? t('result.expired', { days: -seen.daysLeft - 1 })
      : t('incident.gravity.certificate', { n: seen.daysLeft });
  }
  if (kind !== 'down') return null;
  const seen = Down.safeParse(evidence).data;
  return seen ? t('incident.gravity.down', { down: seen.vantagesDown, all: seen.vantagesMeasured }) : null;
}
