import type { oas31 } from 'zod-openapi';
import { EVENT_TYPES } from '#contract/webhook-event.ts';
import { samplePayload } from '#server/webhooks/sample-payloads.ts';

// What webhooks of the format `standard` send, for the document. A test holds messages against this.

const { data, ...envelope } = samplePayload('tls.spike.opened', new Date('2026-11-20T16:13:00.000Z'));
const { sample, ...incident } = data;

/** A message about an incident, as it arrives. */
export const EXAMPLE_MESSAGE = {
  ...envelope,
  data: {
    ...incident,
    url: `/incidents/${incident.id}`,
    reminder: false,
    summary:
      'Spike: shop.example.org · Guangdong Telecom, TLS +45 ms (+150%), since 2026-11-20 16:03 UTC, probable cause: network',
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
