import Link from 'next/link';
import type { Incident } from '#contract/incident.ts';
import type { Ui } from '#i18n/ui.ts';
import { costText } from './life-text.ts';
import { described, impactText } from './words.ts';

type Props = { ui: Ui; incident: Incident; more: number; now: number };

/**
 * What is worst now, in one sentence: what and where, how bad, since when, probably why, and what it costs. `more`: how many further
 * incidents go on; `now` in ms.
 */
export function Lead({ ui, incident, more, now }: Props) {
  const { t } = ui;
  const cost = costText(ui, incident) ?? impactText(ui, incident);
  const isNew = incident.state === 'open' && incident.status === 'open' && incident.severity !== 'info';
  return (
    <section
      aria-label={t('lead.label')}
      className={`panel mb-3 border-l-4 px-4 py-2 ${isNew ? 'border-l-bad' : 'border-l-warn'}`}
    >
      <span className="font-semibold">{t('lead.now')}</span>{' '}
      <Link href={`/incidents/${incident.id}`} prefetch={false} className="link">
        {described(ui, incident, now).sentence}
      </Link>
      {cost === null ? null : <> · {cost}</>}
      {more > 0 ? (
        <Link href="/incidents" prefetch={false} className="link ml-3 whitespace-nowrap">
          {t('brief.more', { n: more })}
        </Link>
      ) : null}
    </section>
  );
}
