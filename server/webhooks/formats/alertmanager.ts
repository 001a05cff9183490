import { isEndType, isLastingType } from '#contract/incident-vocabulary.ts';
import type { WebhookPayload } from '#contract/webhook-event.ts';
import { factsOf, groupedOf } from '../facts.ts';
import { type Earlier, type Endpoint, type Format, JSON_TYPE, type Message, urlOf } from '../outgoing.ts';
import { textOf } from '../text.ts';

const PATH = '/api/v2/alerts';
/** Alertmanager forgets an alert that is not sent again; one of ours stays until its incident is resolved. */
const OPEN_MS = 30 * 86_400_000;
/** What has no end of its own (a test, a comparison, an improvement) stays so long. */
const NEWS_MS = 300_000;

/**
 * Alertmanager's API v2. An alert is identified by its labels: those of an incident are what its first message said, so that the
 * alert that resolves it is the one that was opened. Only `severity` changes, since routes match it: the alert of the former severity
 * ends in the request that raises the one of the new.
 */
export const alertmanager: Format = {
  url: 'given',
  secretUrl: false,
  secret: 'none',
  fields: ['labels'],
  write: (endpoint, message, now) => {
    const body = JSON.stringify(partsOf(message).flatMap((part) => alertsOf(endpoint, part, now)));
    const headers = { 'content-type': JSON_TYPE };
    return { kind: 'http', url: apiUrl(urlOf(endpoint)), headers, body, masks: [] };
  },
  groups: true,
  recalls: true,
};

/** The address of the API, where only that of Alertmanager itself was given. */
function apiUrl(given: string): string {
  const url = new URL(given);
  if (!url.pathname.endsWith(PATH)) url.pathname = url.pathname.replace(/\/+$/, '') + PATH;
  return url.href;
}

type Part = { id: string; payload: WebhookPayload; earlier: Earlier | undefined };

/** Of a burst each incident is an alert of its own, as the last event says. */
function partsOf({ messageId, incidentId, payload, earlier }: Message): Part[] {
  const entries = groupedOf(payload);
  const partOf = (incident: string | null, id: string, told: WebhookPayload): Part => ({
    id: incident ?? id,
    payload: told,
    earlier: incident === null ? undefined : earlier?.get(incident),
  });
  if (!entries) return [partOf(incidentId, messageId, payload)];
  const parts = entries.map(({ id, incidentId: incident, ...told }) => partOf(incident, id, told));
  return [...new Map(parts.map((part) => [part.id, part])).values()];
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

function alertsOf(endpoint: Endpoint, { id, payload, earlier }: Part, now: Date) {
  const facts = factsOf(payload);
  const text = textOf(payload, endpoint.language);
  const startsAt = facts.openedAt ?? payload.timestamp;
  const labels = labelsOf(endpoint, id, earlier ? { data: earlier.first } : payload);
  const severity = facts.severity ?? 'info';
  const alert = {
    annotations: {
      summary: text.title,
      description: text.lines.join('\n'),
      ...filled({ severity, target: facts.targetName, cause: facts.cause }),
    },
    startsAt,
    ...(text.link ? { generatorURL: text.link } : {}),
  };
  const openMs = isLastingType(payload.type) ? OPEN_MS : NEWS_MS;
  const endsAt = isEndType(payload.type)
    ? laterOf(facts.resolvedAt ?? payload.timestamp, startsAt)
    : new Date(now.getTime() + openMs).toISOString();
  // Where it took one of this severity before, the others ended with that.
  const taken = earlier?.severities ?? [];
  const former = taken.includes(severity)
    ? []
    : taken.filter((step) => labels(step).severity !== labels(severity).severity);
  const over = isEndType(payload.type) ? endsAt : laterOf(payload.timestamp, startsAt);
  return [
    { labels: labels(severity), ...alert, endsAt },
    ...former.map((step) => ({ labels: labels(step), ...alert, endsAt: over })),
  ];
}

/** The labels of an incident's alert by its severity. Those of the endpoint's settings replace what describes, not what identifies. */
function labelsOf(endpoint: Endpoint, id: string, first: Pick<WebhookPayload, 'data'>) {
  const { evidence, kind, targetName: target, carrier, region, cause } = factsOf(first);
  // A spike may have become a regression before anything was sent.
  const openedAs = kind === 'regression' ? evidence?.openedAs : null;
  const alertname = ALERT_NAMES[openedAs ?? String(kind)] ?? 'RoundtripTest';
  return (severity: string): Record<string, string> => ({
    ...filled({ severity, target, carrier, region, cause }),
    ...endpoint.settings.labels,
    alertname,
    incident: id,
    service: 'roundtrip',
  });
}

/** Without what is null or empty, which Alertmanager takes for a label that is not there. */
const filled = (fields: Record<string, string | null | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => (value ? [[name, value]] : [])));

/** Alertmanager refuses an alert that ends before it starts, and would then keep it. */
const laterOf = (a: string, b: string) => (Date.parse(a) < Date.parse(b) ? b : a);
