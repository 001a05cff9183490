import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Delivery, DeliveryDetail } from '#contract/delivery.ts';
import type { IncidentDetail } from '#contract/incident.ts';
import type { Webhook, WebhookCreated, WebhookPreview } from '#contract/webhook.ts';
import { getPool } from '#server/database/database.ts';
import { RETRY_SECONDS } from '#server/webhooks/outcome.ts';
import { allowLoopback, enqueue, makeEvent, pump, TestClock } from '../support/deliveries.ts';
import { type Asker, asker } from '../support/openapi.ts';
import { prepareApi } from '../support/prepare.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

// What those see of webhooks who may read and no more: a read key, and anybody where the dashboard is public.

const ROBOT = 'robot-0197-very-secret';
const TEMPLATE = 'template-very-secret';
const MAIL = { host: 'mail-host.invalid', user: 'mail-user', from: 'from@mail.example', to: ['to@mail.example'] };
const DRAFTS = [
  { format: 'standard' },
  { format: 'feishu', secret: 'robot-signing-key' },
  { format: 'template', template: `{"token": "${TEMPLATE}", "title": "{{title}}"}` },
  { format: 'email', secret: 'mail-password', settings: { email: MAIL } },
];

let open: TestServer;
let receiver: Receiver;
let webhooks: WebhookCreated[];
let incidentId: string;
/** Each reader, and each path that tells of a webhook or of what it sent. */
let readers: [who: string, ask: Asker][];
let paths: string[];

allowLoopback();
const api = prepareApi({ ROUNDTRIP_ALLOW_PRIVATE_TARGETS: '1' });
beforeAll(async () => {
  open = await startTestServer({
    env: { ROUNDTRIP_PUBLIC_DASHBOARD: '1', ROUNDTRIP_SECRET: process.env.ROUNDTRIP_SECRET ?? '' },
  });
  readers = [
    ['a read key', asker(api.server.baseUrl, api.keys.read)],
    ['anybody', asker(open.baseUrl)],
  ];
  // As servers do that want https: the address comes back, in a header and in words.
  receiver = await startReceiver(({ url, headers, body }) => ({
    status: 301,
    headers: { location: `https://127.0.0.1:9${url}`, refresh: `0; url=${url}` },
    body: `Moved to https://127.0.0.1:9${url}\n${headers['webhook-signature']}\n${body}`,
  }));
  const url = `${receiver.url}/${ROBOT}`;
  webhooks = [];
  for (const draft of DRAFTS) {
    const body = { ...draft, url: draft.format === 'email' ? null : url };
    webhooks.push((await api.ask('POST', '/api/v1/webhooks', { body })).json as WebhookCreated);
  }
  incidentId = await makeIncident();
  await sendInVain();
  paths = ['/api/v1/webhooks', `/api/v1/incidents/${incidentId}`];
  for (const { id } of webhooks) {
    const { json } = await api.ask('GET', `/api/v1/webhooks/${id}/deliveries`);
    const [delivery] = (json as { data: Delivery[] }).data;
    paths.push(`/api/v1/webhooks/${id}`, `/api/v1/webhooks/${id}/preview`, `/api/v1/deliveries/${delivery?.id}`);
  }
}, 300_000);
afterAll(async () => {
  await receiver.stop();
  await open.stop();
});

async function makeIncident(): Promise<string> {
  const id = uuid();
  await getPool().query(
    `insert into incident (id, kind, group_key, status, severity, metric, opened_at, onset_at)
     values ($1, 'spike', $2, 'open', 'warning', 'tls', now(), now())`,
    [id, `test ${id}`],
  );
  return id;
}

/** Until the last attempt has failed, so that the incident tells of it too. */
async function sendInVain(): Promise<void> {
  const clock = new TestClock(new Date().toISOString());
  await enqueue([makeEvent({ incidentId })], clock.now());
  for (const pause of RETRY_SECONDS) {
    clock.forward(Math.max(pause, 120));
    await pump(clock);
  }
}

/** All that would let somebody post as we do, as it went over the wire. */
function signatures(): string[] {
  const sent = receiver.received.flatMap(({ headers, body }) => [
    ...String(headers['webhook-signature'] ?? '').split(' '),
    String(JSON.parse(body).sign ?? ''),
  ]);
  const made = sent.filter(Boolean).map((signature) => signature.replace(/^v1,/, ''));
  expect(made.length).toBeGreaterThan(RETRY_SECONDS.length * 2);
  return made;
}

function expectNone(text: string, secrets: string[]): void {
  for (const secret of secrets) expect(text).not.toContain(secret);
}

const textAt = async (ask: Asker, path: string) => {
  const answer = await ask('GET', path);
  expect(answer.status).toBe(200);
  return answer.text;
};

it('readers are shown no signature, address, template, body or mailbox anywhere', async () => {
  const hidden = [ROBOT, TEMPLATE, MAIL.host, MAIL.user, MAIL.from, ...MAIL.to, ...signatures()];
  for (const [, ask] of readers) {
    for (const path of paths) expectNone(await textAt(ask, path), hidden);
  }
});

it.each([0, 1])('reader %i sees attempts and previews with blank headers and bodies', async (n) => {
  const ask = readers[n]?.[1] ?? api.ask;
  for (const path of paths.filter((one) => one.includes('/deliveries/'))) {
    const { log, payload } = (await ask('GET', path)).json as DeliveryDetail;
    expect(payload.data.targetName).toBe('shop.example.org');
    expect(log).toHaveLength(RETRY_SECONDS.length);
    for (const { requestBody, requestHeaders, responseHeaders } of log) {
      expect(requestBody).toBe('***');
      expect(new Set(Object.values({ ...requestHeaders, ...responseHeaders }))).toEqual(new Set(['***']));
    }
  }
  for (const path of paths.filter((one) => one.endsWith('/preview'))) {
    const { body, headers } = (await ask('GET', path)).json as WebhookPreview;
    expect([body, ...Object.values(headers)].every((value) => value === '***')).toBe(true);
  }
  const mail = (await ask('GET', `/api/v1/webhooks/${webhooks[3]?.id}`)).json as Webhook;
  expect(mail).toMatchObject({ name: 'email', settings: { email: null } });
});

it('who may change a webhook sees what was sent, but no signature, nor the address that the receiver repeats', async () => {
  for (const path of paths.filter((one) => /deliveries|preview/.test(one))) {
    const text = await textAt(api.ask, path);
    expectNone(text, [ROBOT, ...signatures()]);
    expect(text).toContain('shop.example.org');
  }
  const details = paths.filter((one) => one.includes('/deliveries/'));
  const [first] = ((await api.ask('GET', details[0] ?? '')).json as DeliveryDetail).log;
  expect(first).toMatchObject({
    requestHeaders: { 'webhook-signature': 'v1,***' },
    responseHeaders: { location: 'https://127.0.0.1:9/***', refresh: '0; url=***' },
    error: 'answered 301, a redirect to https://127.0.0.1:9/***; redirects are not followed',
  });
  expect(await textAt(api.ask, `/api/v1/webhooks/${webhooks[3]?.id}`)).toContain(MAIL.host);
});

it('an incident tells why its messages failed without the address and the mail server', async () => {
  const { events } = (await api.ask('GET', `/api/v1/incidents/${incidentId}`)).json as IncidentDetail;
  const failed = events.filter(({ kind }) => kind === 'delivery_failed').map(({ text }) => text);
  expect(failed).toHaveLength(DRAFTS.length);
  expect(failed.filter((text) => text.includes('a redirect to https://127.0.0.1:9/***;'))).toHaveLength(3);
  expectNone(failed.join(), [ROBOT, MAIL.host]);
});

it('pages of a public dashboard show no more to anybody', async () => {
  const hidden = [ROBOT, TEMPLATE, MAIL.host, MAIL.user, MAIL.from, ...MAIL.to, ...signatures()];
  for (const { id } of webhooks) {
    const detail = paths[paths.indexOf(`/api/v1/webhooks/${id}/preview`) + 1] ?? '';
    const pages = [
      `/webhooks/${id}`,
      `/webhooks/${id}/deliveries/${detail.split('/').at(-1)}`,
      `/incidents/${incidentId}`,
    ];
    for (const page of pages) {
      const response = await fetch(open.baseUrl + page);
      expect(response.status).toBe(200);
      expectNone(await response.text(), hidden);
    }
  }
});
