import type { AlertRule } from '#contract/alert-rule.ts';
import { INCIDENT_EVENT_TYPES, INCIDENT_KINDS, type Severity } from '#contract/incident.ts';
import { type WebhookEventType, WebhookPayload } from '#contract/webhook-event.ts';
import { getPrisma } from '#server/database/database.ts';
import { severityOf } from '#server/incidents/severity.ts';
import { samplePayload } from '#server/webhooks/samples.ts';

/** What a rule sends for a kind of event, and who takes it. `sample` is false where it is the latest real message. */
export type RuleMessage = {
  event: WebhookEventType;
  sample: boolean;
  payload: WebhookPayload;
  webhooks: { id: string; name: string; demo: boolean }[];
};

/** The latest message that this rule caused, else a sample as it would cause it; and the webhooks that it goes to. */
export async function ruleMessage(rule: AlertRule, event: WebhookEventType, now = new Date()): Promise<RuleMessage> {
  const [real, webhooks] = await Promise.all([latestPayload(rule.id, event), takers(rule, event)]);
  return { event, sample: real === null, payload: real ?? sampleOf(rule, event, now), webhooks };
}

/** Its newest incidents are looked at alone: an old message says no more than a sample. */
const INCIDENTS = 100;

async function latestPayload(ruleId: string, eventType: string): Promise<WebhookPayload | null> {
  const incidents = await getPrisma().incident.findMany({
    where: { ruleId },
    orderBy: { openedAt: 'desc' },
    take: INCIDENTS,
    select: { id: true },
  });
  const row = await getPrisma().delivery.findFirst({
    where: { incidentId: { in: incidents.map(({ id }) => id) }, eventType },
    orderBy: { id: 'desc' },
    select: { payload: true },
  });
  return row && WebhookPayload.parse(row.payload);
}

function sampleOf(rule: AlertRule, event: WebhookEventType, now: Date): WebhookPayload {
  const { data, ...rest } = samplePayload(event, now);
  return { ...rest, data: { ...data, ruleId: rule.id, ruleName: rule.name, severity: severityOfEvent(rule, event) } };
}

function severityOfEvent(rule: AlertRule, event: WebhookEventType): Severity {
  const kind = INCIDENT_KINDS.find((each) => Object.values<string | null>(INCIDENT_EVENT_TYPES[each]).includes(event));
  return kind === undefined ? rule.severity : severityOf(rule, kind);
}

/** An empty list takes all (server/webhooks/enqueue.ts). */
async function takers(rule: AlertRule, event: WebhookEventType): Promise<RuleMessage['webhooks']> {
  return await getPrisma().webhook.findMany({
    where: {
      deletedAt: null,
      enabled: true,
      AND: [
        { OR: [{ events: { isEmpty: true } }, { events: { has: event } }] },
        { OR: [{ severities: { isEmpty: true } }, { severities: { has: severityOfEvent(rule, event) } }] },
        { OR: [{ ruleIds: { isEmpty: true } }, { ruleIds: { has: rule.id } }] },
      ],
    },
    select: { id: true, name: true, demo: true },
    orderBy: { id: 'asc' },
  });
}
