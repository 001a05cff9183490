import { z } from 'zod';
import type { Incident } from '#contract/incident.ts';
import { STATS } from '#contract/vocabulary.ts';
import { measuredAs, valueText } from '#i18n/incident.ts';
import { formatNumber, formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { Time } from '../ui/time.tsx';
import { durationText } from './incident-text.ts';

const NAMES = [
  'stat',
  'above',
  'below',
  'windowMinutes',
  'vantagesDown',
  'vantagesMeasured',
  'vantagesExpected',
  'vantagesSilent',
  'subject',
  'issuer',
  'sha256',
  'notAfter',
  'daysLeft',
  'silentSeconds',
  'proberLastSeenAt',
] as const;
const Servers = z.array(
  z.object({
    peerAddress: z.string().nullable(),
    handshakes: z.number(),
    good: z.number(),
    hitRatio: z.number(),
  }),
);

/** What a rule saw, as a list of facts; nothing where the cells say it all. */
export function Evidence({ ui, incident }: { ui: Ui; incident: Pick<Incident, 'evidence' | 'kind' | 'metric'> }) {
  const { t } = ui;
  const { evidence } = incident;
  const facts = NAMES.filter((name) => isTold(evidence[name]));
  const servers = Servers.safeParse(evidence.servers).data ?? [];
  if (facts.length === 0 && servers.length === 0) return null;
  return (
    <div className="mt-3">
      <h3 className="font-medium">{t('incident.evidence')}</h3>
      <dl className="mt-1 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1">
        {facts.map((name) => (
          <div key={name} className="contents">
            <dt className="text-muted">{t(`incident.evidenceName.${name}`)}</dt>
            <dd className={name === 'sha256' ? 'break-all' : 'break-words'}>
              <Fact ui={ui} name={name} value={evidence[name]} measured={measuredAs(incident)} />
            </dd>
          </div>
        ))}
      </dl>
      <ul>
        {servers.map((server) => (
          <li key={server.peerAddress}>
            {t('incident.server', {
              address: server.peerAddress ?? t('common.noValue'),
              good: server.good,
              handshakes: server.handshakes,
              ratio: formatQuantity(ui, server.hitRatio, 'ratio'),
            })}
          </li>
        ))}
      </ul>
    </div>
  );
}

const isTold = (value: unknown) =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);

const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** `measured`: what limits are of. */
type FactProps = { ui: Ui; name: (typeof NAMES)[number]; value: unknown; measured: string | null };

function Fact({ ui, name, value, measured }: FactProps) {
  const stat = name === 'stat' ? STATS.find((each) => each === value) : undefined;
  if (stat) return ui.t(`stat.${stat}`);
  if ((name === 'above' || name === 'below') && typeof value === 'number') return valueText(ui, measured, value);
  if (name === 'silentSeconds' && typeof value === 'number') return durationText(ui, value * 1_000);
  if (typeof value === 'number') return formatNumber(ui.locale, value, 2);
  const text = Array.isArray(value) ? value.join(ui.t('punctuation.list')) : String(value);
  return INSTANT.test(text) ? <Time ui={ui} at={text} detail="minute" /> : text;
}
