import { isEndType } from '#contract/incident.ts';
import { WebhookEventType, type WebhookPayload } from '#contract/webhook-event.ts';
import { factsOf, groupedOf } from '../facts.ts';
import { type Endpoint, type Format, JSON_TYPE, type Message, urlOf } from '../outgoing.ts';
import { textOf } from '../text.ts';

const PATH = '/api/v2/alerts';
/** Alertmanager forgets an alert that is not sent again; one of ours stays until its incident is resolved. */
const OPEN_MS = 30 * 86_400_000;
const TEST_MS = 300_000;

/**
 * Alertmanager's API v2. An alert is known by its labels, so these never change over an incident's life: the alert that
 * resolves one has the labels of the one that opened it.
 */
export const alertmanager: Format = {
  url: 'given',
  secretUrl: false,
  secret: 'none',
  fields: ['labels'],
  write: (endpoint, message, now) => {
    const body = JSON.stringify(partsOf(message).map((part) => alertOf(endpoint, part, now)));
    const headers = { 'content-type': JSON_TYPE };
    return { kind: 'http', url: apiUrl(urlOf(endpoint)), headers, body, masks: [] };
  },
  groups: true,
};

/** The address of the API, where only that of Alertmanager itself was given. */
function apiUrl(given: string): string {
  const url = new URL(given);
  if (!url.pathname.endsWith(PATH)) url.pathname = url.pathname.replace(/\/+$/, '') + PATH;
  return url.href;
}

type Part = { id: string; payload: WebhookPayload };

/** Of a burst each event is an alert of its own. */
function partsOf({ messageId, incidentId, payload }: Message): Part[] {
  const entries = groupedOf(payload);
  if (!entries) return [{ id: incidentId ?? messageId, payload }];
  return entries.flatMap(({ id, incidentId: incident, type, timestamp, data }) => {
    const known = WebhookEventType.safeParse(type).data;
    return known ? [{ id: incident ?? id, payload: { type: known, timestamp, data } }] : [];
  });
}

const ALERT_NAMES: Record<string, string> = {
  spike: 'RoundtripSpike',
  regression: 'RoundtripRegression',
  improvement: 'RoundtripImprovement',
  threshold: 'RoundtripThreshold',
  down: 'RoundtripTargetDown',
  certificate: 'RoundtripCertificateExpiring',
  staple: 'RoundtripStapleUnhealthy',
  silent: 'RoundtripVantageSilent',
};

function alertOf(endpoint: Endpoint, { id, payload }: Part, now: Date) {
  const facts = factsOf(payload);
  const text = textOf(payload, endpoint.language);
  const startsAt = facts.openedAt ?? payload.timestamp;
  const end = new Date(now.getTime() + (payload.type === 'webhook.test' ? TEST_MS : OPEN_MS)).toISOString();
  // Only what stays the same from the first message of an incident to its last may be a label: a spike may have become a regression.
  const alertname = ALERT_NAMES[facts.evidence?.openedAs ?? String(payload.data.kind)] ?? 'RoundtripTest';
  return {
    labels: { ...endpoint.settings.labels, alertname, incident: id, service: 'roundtrip' },
    annotations: {
      summary: text.title,
      description: text.lines.join('\n'),
      severity: facts.severity ?? 'info',
      ...(facts.targetName ? { target: facts.targetName } : {}),
    },
    startsAt,
    endsAt: isEndType(payload.type) ? laterOf(facts.resolvedAt ?? payload.timestamp, startsAt) : end,
    ...(text.link ? { generatorURL: text.link } : {}),
  };
}

/** Alertmanager refuses an alert that ends before it starts, and would then keep it. */
const laterOf = (a: string, b: string) => (Date.parse(a) < Date.parse(b) ? b : a);
