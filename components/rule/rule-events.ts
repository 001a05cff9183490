import type { AlertRule } from '#contract/alert-rule.ts';
import { INCIDENT_EVENT_TYPES } from '#contract/incident.ts';
import type { WebhookEventType } from '#contract/webhook-event.ts';

/** The types of messages that a rule can cause, what is raised before what is over. */
export function ruleEvents(rule: AlertRule): WebhookEventType[] {
  const kinds = rule.kind === 'detector' ? rule.params.kinds : [rule.kind];
  return kinds.flatMap((kind) => {
    const { open, resolved, accepted } = INCIDENT_EVENT_TYPES[kind];
    return [open, resolved, accepted].filter((type) => type !== null);
  });
}
