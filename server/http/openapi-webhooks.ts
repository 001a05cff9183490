import type { oas31 } from 'zod-openapi';
import type { Incident } from '#contract/incident.ts';
import { EVENT_TYPES } from '#contract/webhook-event.ts';

// What webhooks of the format `standard` send, for the document. Messages are made by server/webhooks; a test holds one against this.

const ID = '0197a5d0-8f3e-7c21-9f6a-2b1c0de4f001';
const TARGET = '0197a5d0-8f3e-7c21-9f6a-2b1c0de4f002';
const VANTAGE = '0197a5d0-8f3e-7c21-9f6a-2b1c0de4f003';
const ONSET = '2026-11-20T16:03:00.000Z';

const incident: Incident = {
  id: ID,
  kind: 'spike',
  state: 'open',
  status: 'open',
  resolution: null,
  severity: 'warning',
  ruleId: '01940000-0000-7000-8000-000000000001',
  ruleName: 'TLS regressions and spikes',
  metric: 'tls',
  targetId: TARGET,
  targetName: 'shop',
  carrier: 'telecom',
  region: 'CN-GD',
  cause: 'network',
  subCause: null,
  explanation: null,
  counterfactual: null,
  candidates: [],
  cells: [
    {
      targetId: TARGET,
      targetName: 'shop',
      vantageId: VANTAGE,
      vantageName: 'Guangzhou Telecom',
      region: 'CN-GD',
      carrier: 'telecom',
      kind: 'spike',
      metric: 'tls',
      variant: 'main',
      at: '2026-11-20T16:04:30.000Z',
      changeAt: ONSET,
      beforeMs: 55.1,
      afterMs: 102.3,
      peakMs: 130.8,
      resumedBefore: null,
      resumedAfter: null,
      quietSince: null,
      recoveredAt: null,
    },
  ],
  affected: {
    targets: 1,
    targetNames: ['shop'],
    vantages: 1,
    vantageNames: ['Guangzhou Telecom'],
    everywhere: false,
    spared: [],
    series: 1,
    regions: 1,
    provinces: true,
    carriers: [{ carrier: 'telecom', regions: 1, of: 31, region: 'CN-GD', named: ['CN-GD'], spared: [] }],
    before: 55.1,
    after: 102.3,
    full: null,
  },
  evidence: {},
  failure: null,
  openedAt: '2026-11-20T16:04:30.000Z',
  onsetAt: ONSET,
  markersFrom: '2026-11-20T15:03:00.000Z',
  markersTo: '2026-11-20T17:03:00.000Z',
  acknowledgedAt: null,
  acknowledgedBy: null,
  quietSince: null,
  closesAt: null,
  next: null,
  resolvedAt: null,
  reopened: 0,
  effectMs: 47.2,
  effectRatio: 0.857,
  peakMs: 130.8,
  impact: null,
  silenced: false,
  flapping: false,
  demo: false,
  mergedInto: null,
  heldUntil: null,
  standingSince: null,
  cost: null,
  resolvedBy: null,
  splitFrom: null,
  notUseful: null,
};

/** A message about an incident, as it arrives. */
export const EXAMPLE_MESSAGE = {
  type: 'tls.spike.opened',
  timestamp: '2026-11-20T16:05:00.000Z',
  data: {
    ...incident,
    url: `/incidents/${ID}`,
    reminder: false,
    summary: 'Spike: shop · Guangdong Telecom, TLS +47 ms (+86%), since 2026-11-20 16:03 UTC, probable cause: network',
  },
};

type Schema = oas31.SchemaObject | oas31.ReferenceObject;
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const text = (description: string) => ({ type: 'string', description }) as const;
const header = (name: string, description: string) =>
  ({ name, in: 'header', required: true, description, schema: { type: 'string' } }) as const;

const OWN = ['comparison.ready', 'webhook.test'] as const;
const OF_INCIDENTS = EVENT_TYPES.filter((type) => !OWN.some((own) => own === type));
const link = text('the page of it, where the server knows its own address (`ROUNDTRIP_PUBLIC_URL`)');

/** A kind of message: its types and its `data`. */
const message = (summary: string, types: readonly string[], data: Schema, example?: object): oas31.PathItemObject => ({
  post: {
    summary,
    description:
      'Of webhooks of the format `standard`: signed as Standard Webhooks are, under 20,000 bytes. Lists that are too long are cut, and what was left out is counted beside them (`cells`, `cellsOmitted`). It is sent again until it is answered 2xx, with the same `webhook-id`.',
    tags: ['alerting'],
    security: [],
    parameters: [
      header('webhook-id', 'the message; the same whenever it is sent again'),
      header('webhook-timestamp', 'when it was sent, seconds since 1970'),
      header('webhook-signature', '`v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`, by each valid secret'),
    ],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['type', 'timestamp', 'data'],
            properties: {
              type: { type: 'string', enum: [...types] },
              timestamp: { type: 'string', format: 'date-time' },
              data,
            },
          },
          ...(example && { example }),
        },
      },
    },
    responses: {
      '2XX': { description: 'Taken' },
      410: { description: 'Taken no more: the webhook is disabled' },
      default: { description: 'Not taken: it is sent again later, after `Retry-After` where that is given' },
    },
  },
});

/** The object of this name, as a list of it has it, with more fields: of those that are `sure` to be there the names. */
function about(
  schemas: Record<string, unknown>,
  name: string,
  more: Record<string, Schema>,
  sure: readonly string[],
): Schema {
  const { properties, required = [] } = schemas[name] as oas31.SchemaObject;
  return { type: 'object', required: [...required, ...sure], properties: { ...properties, ...more } };
}

/** The section `webhooks`, by the schemas of the document. What `data` has beside the object that it is about may grow. */
export const webhooks = (schemas: Record<string, unknown>): oas31.PathsObject => ({
  incident: message(
    'An incident opened, changed or ended',
    OF_INCIDENTS,
    about(
      schemas,
      'Incident',
      {
        url: text('the path of its page'),
        link,
        reminder: { type: 'boolean', description: 'sent again, since nobody acknowledged it' },
        summary: text('one sentence, in the language of the webhook'),
      },
      ['url', 'reminder', 'summary'],
    ),
    EXAMPLE_MESSAGE,
  ),
  comparison: message('A comparison was computed', ['comparison.ready'], about(schemas, 'Comparison', { link }, [])),
  test: message('The test of a webhook', ['webhook.test'], {
    type: 'object',
    required: ['message'],
    properties: { message: { type: 'string' } },
  }),
  group: message('Several events at once, of a burst', EVENT_TYPES, {
    type: 'object',
    required: ['grouped', 'groupedCount', 'severity', 'demo'],
    properties: {
      groupedCount: { type: 'integer' },
      severity: ref('Severity'),
      demo: { type: 'boolean' },
      link,
      grouped: {
        type: 'array',
        items: {
          type: 'object',
          required: ['id', 'type', 'timestamp', 'incidentId', 'data'],
          properties: {
            id: text('the `webhook-id` that it would have had'),
            type: ref('WebhookEventType'),
            timestamp: { type: 'string', format: 'date-time' },
            incidentId: { type: ['string', 'null'] },
            data: { type: 'object', description: 'the main fields of what it is about' },
          },
        },
      },
    },
  }),
});
