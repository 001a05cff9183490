import { isEndType, isLastingType } from '#contract/incident-vocabulary.ts';
import type { WebhookPayload } from '#contract/webhook-event.ts';
import { factsOf } from '../facts.ts';
import { type Format, FormatError, JSON_TYPE } from '../outgoing.ts';
import { textOf, writtenWithin } from '../text.ts';

/** Its customers in Europe have another address. */
const PAGERDUTY_URL = 'https://events.pagerduty.com/v2/enqueue';
const MAX_SUMMARY = 1_024;

/**
 * PagerDuty Events v2: an incident of ours is one alert of theirs, identified by `dedup_key`. What has no end of its own (a test, a
 * comparison, an improvement) is resolved by a second event, whose `data.closes` is the key of the first.
 */
export const pagerduty: Format = {
  url: { usual: PAGERDUTY_URL },
  secretUrl: false,
  secret: 'sent',
  needsSecret: 'the routing key of PagerDuty',
  write: (endpoint, { messageId, incidentId, payload }, now) => {
    const [routingKey] = endpoint.secrets;
    if (!routingKey) throw new FormatError('the webhook has no routing key of PagerDuty');
    const facts = factsOf(payload);
    const event = {
      routing_key: routingKey,
      event_action: actionOf(payload),
      dedup_key: payload.data.closes ?? incidentId ?? messageId,
      client: 'Roundtrip',
      payload: {
        summary: writtenWithin(textOf(payload, endpoint.language).title, MAX_SUMMARY),
        source: facts.targetName ?? 'roundtrip',
        severity: facts.severity ?? 'info',
        timestamp: facts.onsetAt ?? payload.timestamp ?? now.toISOString(),
        class: payload.type,
        custom_details: payload.data,
      },
      ...(facts.link ? { client_url: facts.link, links: [{ href: facts.link, text: 'Roundtrip' }] } : {}),
    };
    const url = endpoint.url ?? PAGERDUTY_URL;
    return {
      kind: 'http',
      url,
      headers: { 'content-type': JSON_TYPE },
      body: JSON.stringify(event),
      masks: [routingKey],
    };
  },
  closing: ({ messageId, incidentId, payload }) =>
    actionOf(payload) === 'resolve' || isLastingType(payload.type)
      ? null
      : { ...payload, data: { ...payload.data, closes: incidentId ?? messageId } },
  // One request is one event there: a resolve that was grouped would resolve nothing.
  groups: false,
};

function actionOf({ type, data }: WebhookPayload): 'trigger' | 'acknowledge' | 'resolve' {
  if (isEndType(type) || data.closes) return 'resolve';
  return data.status === 'acknowledged' ? 'acknowledge' : 'trigger';
}
