import Link from 'next/link';
import type { AlertRule } from '#contract/alert-rule.ts';
import { INCIDENT_EVENT_TYPES } from '#contract/incident-vocabulary.ts';
import type { WebhookEventType, WebhookPayload } from '#contract/webhook-event.ts';
import type { Ui } from '#i18n/ui.ts';
import { DemoBadge } from '../ui/badge.tsx';
import { EventPanel } from '../webhook/event-panel.tsx';
import { MessageText } from '../webhook/message-text.tsx';

type Message = {
  event: WebhookEventType;
  sample: boolean;
  payload: WebhookPayload;
  webhooks: { id: string; name: string; demo: boolean }[];
};
type Props = { ui: Ui; path: string; events: WebhookEventType[]; message: Message };

/** What a rule sends, to whom: the payload from which every format is written. */
export function MessagePanel({ ui, path, events, message: { event, sample, payload, webhooks } }: Props) {
  const { t } = ui;
  return (
    <EventPanel ui={ui} id="message" title={t('rules.message')} path={path} events={events} event={event}>
      <p>
        {t('rules.goesTo')} {webhooks.length === 0 ? <span className="text-warn">{t('rules.goesNowhere')}</span> : null}
        {webhooks.map(({ id, name, demo }, index) => (
          <span key={id}>
            {index > 0 ? ' · ' : ''}
            <Link href={`/webhooks/${id}`} prefetch={false} className="link">
              {name}
            </Link>{' '}
            {demo ? <DemoBadge ui={ui} /> : null}
          </span>
        ))}
      </p>
      <p className="text-[0.86rem] text-muted">{t(sample ? 'rules.messageSample' : 'webhooks.previewReal')}</p>
      <MessageText label={t('rules.message')} headers={null} body={JSON.stringify(payload)} />
    </EventPanel>
  );
}

/** The types of messages that a rule can cause, what is raised before what is over. */
export function ruleEvents(rule: AlertRule): WebhookEventType[] {
  const kinds = rule.kind === 'detector' ? rule.params.kinds : [rule.kind];
  return kinds.flatMap((kind) => {
    const { open, resolved, accepted } = INCIDENT_EVENT_TYPES[kind];
    return [open, resolved, accepted].filter((type) => type !== null);
  });
}
