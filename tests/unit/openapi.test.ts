import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { AlertRuleCreate } from '#contract/alert-rule.ts';
import { ComparisonCreate } from '#contract/comparison.ts';
import { IncidentPatch } from '#contract/incident.ts';
import { MarkerCreate } from '#contract/marker.ts';
import { MeasurementCreate } from '#contract/measurement.ts';
import { OPERATIONS } from '#contract/operations.ts';
import { EVENT_TYPES } from '#contract/webhook-event.ts';
import { openApiDocument } from '#server/http/openapi.ts';
import { EXAMPLE_MESSAGE } from '#server/http/openapi-webhooks.ts';
import { samplePayload } from '#server/webhooks/sample-payloads.ts';
import { isDocumented, messageErrors } from '../support/openapi.ts';

type Json = { properties: { type: { enum: string[] } } };

const document = JSON.parse(JSON.stringify(openApiDocument()));
const operations = Object.values(document.paths).flatMap((path) => Object.values(path as object));

describe('the OpenAPI document', () => {
  it('is 3.1 and has every operation under a name of its own', () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(operations).toHaveLength(OPERATIONS.length);
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(OPERATIONS.length);
  });

  it('refers to nothing that is not in it', () => {
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g);
    for (const [, pointer = ''] of references) {
      const found = pointer.split('/').reduce((inner, key) => inner?.[key], document);
      expect(found, pointer).toBeDefined();
    }
  });

  it('has the messages of webhooks, each type of event in one kind, and an example that is one', () => {
    const kinds = Object.entries<{ post: { requestBody: { content: Record<string, { schema: Json }> } } }>(
      document.webhooks,
    );
    const types = kinds.flatMap(([kind, { post }]) => {
      const { schema } = post.requestBody.content['application/json'] ?? {};
      return kind === 'group' ? [] : (schema?.properties.type.enum ?? []);
    });
    expect(types.toSorted()).toEqual(EVENT_TYPES.toSorted());
    expect(messageErrors('incident', EXAMPLE_MESSAGE)).toBeNull();
    expect(messageErrors('incident', { ...EXAMPLE_MESSAGE, type: 'webhook.test' })).not.toBeNull();
    const now = new Date('2026-11-20T16:05:00Z');
    expect(messageErrors('test', samplePayload('webhook.test', now))).toBeNull();
    expect(messageErrors('comparison', samplePayload('comparison.ready', now))).toBeNull();
  });

  it('says for every operation who may call it and how it can fail', () => {
    for (const operation of operations) {
      expect(operation.security, operation.operationId).toBeInstanceOf(Array);
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['400', '500', '503']));
      for (const { name } of operation.security.map((need: object) => ({ name: Object.keys(need)[0] }))) {
        expect(document.components.securitySchemes).toHaveProperty(name);
      }
    }
  });

  it('describes requests as strict as they are parsed', () => {
    const { TargetCreate } = document.components.schemas;
    expect(TargetCreate.additionalProperties).toBe(false);
    expect(TargetCreate.required).toEqual(['url']);
    expect(TargetCreate.properties.periodSeconds).toMatchObject({ minimum: 10, maximum: 3600, default: 60 });
  });

  it('describes lists in a query as one parameter with commas between', () => {
    const carrier = document.paths['/api/v1/results'].get.parameters.find(({ name = '' }) => name === 'carrier');
    expect(carrier).toMatchObject({ explode: false, schema: { type: 'array', maxItems: 100 } });
  });
});

const ID = '01890a5d-ac96-774b-bcce-b302099a8057';
const WINDOW = { from: '2026-01-01T00:00:00Z', to: '2026-01-01T01:00:00Z' };
const at = (url: string) => ({ url });
const rule = (params: object) => ({ kind: 'threshold', name: 'slow', metric: 'tls', params });

describe('what goes together in a request', () => {
  it.each([
    [MarkerCreate, [{ title: 'a' }, { title: 'a', compareMinutes: 20, targetId: ID }]],
    [
      MeasurementCreate,
      [{ targetId: ID }, at('https://a.org'), at('https://360.cn:8443/a?b=c#d'), at('https://例子.中国/')],
    ],
    [MeasurementCreate, [at('https://192.0.2.1/'), at('https://[2001:db8::1]:8443'), at('https://xn--fsqu00a.x./')]],
    [
      ComparisonCreate,
      [
        { markerId: ID, minutes: 20 },
        { incidentId: ID, targetId: ID },
      ],
    ],
    [ComparisonCreate, [{ targetId: ID, before: WINDOW, after: WINDOW }]],
    [
      IncidentPatch,
      [
        { action: 'resolve', note: 'a' },
        { action: 'merge', into: ID },
      ],
    ],
    [IncidentPatch, [{ action: 'split', cells: [{ targetId: ID, vantageId: ID }] }]],
    [AlertRuleCreate, [rule({ above: 1 }), rule({ above: null, below: 1 })]],
  ])('is taken by the document and by the server: %#', (schema, values) => {
    for (const value of values) expect(verdicts(schema, value), JSON.stringify(value)).toEqual([true, true]);
  });

  it.each([
    [
      MarkerCreate,
      [
        { title: 'a', compareMinutes: 20 },
        { title: 'a', compareMinutes: 20, targetId: null },
      ],
    ],
    [MarkerCreate, [{ title: 'a', url: 'javascript:alert(1)' }]],
    [MeasurementCreate, [{}, { ...at('https://a.org'), targetId: ID }, { targetId: ID, locations: [{}] }]],
    [
      MeasurementCreate,
      [at('http://a.org'), at(''), at('https://'), at('https://user@a.org'), at('https://?a'), at('https://a*.org')],
    ],
    [ComparisonCreate, [{}, { markerId: ID, incidentId: ID }, { before: WINDOW, after: WINDOW }]],
    [
      ComparisonCreate,
      [
        { targetId: ID, before: WINDOW },
        { markerId: ID, before: WINDOW },
      ],
    ],
    [ComparisonCreate, [{ targetId: ID, before: WINDOW, after: WINDOW, minutes: 20 }]],
    [IncidentPatch, [{ action: 'merge' }, { action: 'split' }, { action: 'resolve', into: ID }]],
    [AlertRuleCreate, [rule({}), rule({ above: 1, below: 2 }), rule({ above: null })]],
  ])('is refused by both: %#', (schema, values) => {
    for (const value of values) expect(verdicts(schema, value), JSON.stringify(value)).toEqual([false, false]);
  });

  it('is said of a webhook by its format, and of a silence', () => {
    const [url, email] = ['https://a.org/hook', { host: 'a.org', from: 'a@a.org', to: ['b@a.org'] }];
    const taken = [{ url }, { format: 'pagerduty', secret: 'a' }, { format: 'email', settings: { email } }];
    const refused = [
      {},
      { format: 'email' },
      { format: 'slack' },
      { format: 'template', url },
      { format: 'email', url },
    ];
    expect(taken.map((webhook) => isDocumented('WebhookCreate', webhook))).toEqual([true, true, true]);
    expect(refused.filter((webhook) => isDocumented('WebhookCreate', webhook))).toEqual([]);
    const cron = '0 3 * * 6';
    expect(isDocumented('SilenceCreate', { cron, durationMinutes: 60 })).toBe(true);
    expect(isDocumented('SilenceCreate', {})).toBe(true);
    const halves = [{ cron }, { durationMinutes: 60 }, { cron: 'on every Saturday', durationMinutes: 60 }];
    expect(halves.filter((silence) => isDocumented('SilenceCreate', silence))).toEqual([]);
  });
});

/** Whether the document takes a value, and whether the server's schema of the same name does. */
function verdicts(schema: z.ZodType, value: unknown): [boolean, boolean] {
  return [isDocumented(String(schema.meta()?.id), value), schema.safeParse(value).success];
}
