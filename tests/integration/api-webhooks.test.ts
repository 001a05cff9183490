import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Delivery, DeliveryDetail } from '#contract/delivery.ts';
import type { Problem } from '#contract/problem.ts';
import type { Webhook, WebhookCreated, WebhookPreview } from '#contract/webhook.ts';
import { getPool } from '#server/database/database.ts';
import { allowLoopback, pump, TestClock } from '../support/deliveries.ts';
import type { Answer } from '../support/openapi.ts';
import { prepareApi } from '../support/prepare.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

let receiver: Receiver;
allowLoopback();
const api = prepareApi({ ROUNDTRIP_ALLOW_PRIVATE_TARGETS: '1' });
beforeAll(async () => {
  receiver = await startReceiver();
}, 300_000);
afterAll(async () => {
  await receiver.stop();
});

const NOBODY = '01970000-0000-7000-8000-000000000000';
const post = (body: unknown) => api.ask('POST', '/api/v1/webhooks', { body });
const create = async (body: object = {}) => (await post({ url: receiver.url, ...body })).json as WebhookCreated;
const fieldsOf = (answer: Answer) => (answer.json as Problem).errors?.map(({ field }) => field);

describe('webhooks', () => {
  it('are made with a secret that is shown once, read, listed, changed and removed', async () => {
    const created = await post({ url: receiver.url });
    expect(created.status).toBe(201);
    const webhook = created.json as WebhookCreated;
    expect(webhook.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const path = `/api/v1/webhooks/${webhook.id}`;
    expect(created.headers.get('location')).toBe(path);
    const read = (await api.ask('GET', path)).json as Webhook;
    expect(read).toMatchObject({ format: 'standard', language: 'en', enabled: true, url: receiver.url });
    expect(JSON.stringify(read)).not.toContain(webhook.secret);
    expect(((await api.ask('GET', '/api/v1/webhooks')).json as { data: Webhook[] }).data).toContainEqual(read);
    const changed = await api.ask('PATCH', path, { body: { name: 'Ops', severities: ['critical'], enabled: false } });
    expect(changed.json).toMatchObject({ name: 'Ops', severities: ['critical'], enabled: false });
    expect((await api.ask('DELETE', path)).status).toBe(204);
    expect((await api.ask('GET', path)).status).toBe(404);
    expect((await api.ask('PATCH', path, { body: { name: 'x' } })).status).toBe(404);
  });

  it('keep address and secret encrypted, and show a mere reader neither', async () => {
    const webhook = await create({ url: `${receiver.url}?token=very-secret` });
    const { rows } = await getPool().query('select * from webhook where id = $1', [webhook.id]);
    expect(JSON.stringify(rows)).not.toMatch(/very-secret|whsec_/);
    const shown = await api.ask('GET', `/api/v1/webhooks/${webhook.id}`, { key: api.keys.read });
    expect(shown.json).toMatchObject({ url: expect.stringMatching(/\/\*\*\*$/), secrets: [] });
    const slack = await create({ format: 'slack' });
    expect(slack.url).toMatch(/\/\*\*\*$/);
    const kept = await api.ask('PATCH', `/api/v1/webhooks/${slack.id}`, { body: { url: slack.url, name: 'chat' } });
    expect(kept.status).toBe(200);
    expect((await api.ask('GET', `/api/v1/webhooks/${slack.id}/preview`)).status).toBe(200);
  });

  it('rotate their secret: both are valid for a while', async () => {
    const webhook = await create();
    const rotated = await api.ask('POST', `/api/v1/webhooks/${webhook.id}/secrets`, { body: { keepHours: 2 } });
    expect(rotated.status).toBe(201);
    const { secret, secrets } = rotated.json as WebhookCreated;
    expect(secret).not.toBe(webhook.secret);
    expect(secrets.map(({ expiresAt }) => expiresAt === null)).toEqual([true, false]);
    const slack = await create({ format: 'slack' });
    expect((await api.ask('POST', `/api/v1/webhooks/${slack.id}/secrets`, { body: {} })).status).toBe(409);
  });

  it('get a new secret where the old one cannot be opened any more', async () => {
    const { id } = await create({ url: receiver.url });
    await getPool().query(`update webhook set secrets = 'v1.AAAA' where id = $1`, [id]);
    const renewed = await api.ask('POST', `/api/v1/webhooks/${id}/secrets`, { body: {} });
    expect(renewed.status).toBe(201);
    expect((renewed.json as WebhookCreated).secret).toMatch(/^whsec_/);
    expect((renewed.json as WebhookCreated).secrets).toHaveLength(1);
  });

  it('are tested; the delivery is listed, read and replayed', async () => {
    const webhook = await create();
    const tested = await api.ask('POST', `/api/v1/webhooks/${webhook.id}/test`);
    expect(tested.status).toBe(201);
    const delivery = tested.json as Delivery;
    expect(delivery).toMatchObject({ eventType: 'webhook.test', status: 'pending', webhookId: webhook.id });
    const path = `/api/v1/deliveries/${delivery.id}`;
    expect((await api.ask('POST', `${path}/replay`)).status).toBe(409);
    await pump(new TestClock(new Date().toISOString()));
    const read = (await api.ask('GET', path)).json as DeliveryDetail;
    expect(read).toMatchObject({ status: 'delivered', log: [{ status: 200 }] });
    const listed = await api.ask('GET', `/api/v1/webhooks/${webhook.id}/deliveries?status=delivered`);
    expect((listed.json as { data: Delivery[] }).data.map(({ id }) => id)).toEqual([delivery.id]);
    expect((await api.ask('POST', `${path}/replay`)).json).toMatchObject({ status: 'pending', id: delivery.id });
    expect((await api.ask('GET', `/api/v1/deliveries/${NOBODY}`)).status).toBe(404);
    await api.ask('PATCH', `/api/v1/webhooks/${webhook.id}`, { body: { enabled: false } });
    expect((await api.ask('GET', path)).json).toMatchObject({ status: 'cancelled' });
    expect((await api.ask('POST', `/api/v1/webhooks/${webhook.id}/test`)).status).toBe(409);
  });

  it('show what they would send, in their format', async () => {
    const webhook = await create({ format: 'pagerduty', url: null, secret: 'R0123456789ABCDEF0123456789ABCDE' });
    const preview = await api.ask('GET', `/api/v1/webhooks/${webhook.id}/preview?event=target.down`);
    const { sample, body, url } = preview.json as WebhookPreview;
    expect(sample).toBe(true);
    expect(url).toBe('https://events.pagerduty.com/v2/enqueue');
    expect(JSON.parse(body)).toMatchObject({ routing_key: '***', event_action: 'trigger' });
    const wrong = await api.ask('GET', `/api/v1/webhooks/${webhook.id}/preview?event=nothing`);
    expect(fieldsOf(wrong)).toEqual(['event']);
  });

  it('do not take a secret that is sent as it is to another server', async () => {
    const change = (id: string, body: object) => api.ask('PATCH', `/api/v1/webhooks/${id}`, { body });
    const key = 'R0123456789ABCDEF0123456789ABCDE';
    const pager = await create({ format: 'pagerduty', url: null, secret: key });
    expect(fieldsOf(await change(pager.id, { url: receiver.url }))).toEqual(['secret']);
    expect((await change(pager.id, { url: receiver.url, secret: key })).status).toBe(200);
    const email = { host: '127.0.0.1', from: 'a@example.org', to: ['b@example.org'] };
    const mail = await create({ format: 'email', url: null, secret: 'password', settings: { email } });
    expect(fieldsOf(await change(mail.id, { settings: { email: { ...email, port: 2525 } } }))).toEqual(['secret']);
    expect((await change(mail.id, { settings: { email: { ...email, to: ['c@example.org'] } } })).status).toBe(200);
  });

  it('show what they would send before they are made, and store nothing', async () => {
    const ask = (body: object) => api.ask('POST', '/api/v1/webhooks/preview', { body });
    const count = async () => (await getPool().query('select from webhook')).rowCount;
    const before = await count();
    const card = await ask({
      format: 'feishu',
      url: 'https://open.feishu.cn/open-apis/bot/v2/hook/very-secret',
      secret: 'robot-secret',
      language: 'zh-CN',
      event: 'target.down',
    });
    expect(card.status).toBe(200);
    const shown = card.json as WebhookPreview;
    expect(shown).toMatchObject({ event: 'target.down', sample: true, url: 'https://open.feishu.cn/***' });
    const { sign, timestamp, card: written } = JSON.parse(shown.body);
    expect({ sign, title: written.header.title.content }).toEqual({
      sign: '***',
      title: expect.stringMatching(/^\[Roundtrip\] 不可用：/),
    });
    expect(timestamp).toMatch(/^\d{10}$/);
    expect(JSON.stringify(shown)).not.toMatch(/very-secret|robot-secret/);

    const signed = (await ask({ url: receiver.url })).json as WebhookPreview;
    expect(signed.headers['webhook-signature']).toBe('v1,***');
    expect(JSON.parse(signed.body)).toMatchObject({ type: 'tls.spike.opened', data: { sample: true } });

    const template = '{"a": {{data.nothing}}}';
    const unfilled = await ask({ url: receiver.url, format: 'template', template });
    expect(unfilled.status).toBe(400);
    expect((unfilled.json as Problem).errors).toEqual([
      { field: 'template', message: '{{data.nothing}} names nothing in this message' },
    ]);
    expect(fieldsOf(await ask({ format: 'slack' }))).toEqual(['url']);
    expect(fieldsOf(await ask({ url: receiver.url, event: 'nothing' }))).toEqual(['event']);
    expect(await count()).toBe(before);
    const body = { url: receiver.url };
    expect((await api.ask('POST', '/api/v1/webhooks/preview', { key: api.keys.read, body })).status).toBe(403);
  });

  it('are changed by keys that may write alone', async () => {
    const body = { url: receiver.url };
    expect((await api.ask('POST', '/api/v1/webhooks', { key: api.keys.read, body })).status).toBe(403);
    expect((await api.ask('POST', '/api/v1/webhooks', { key: api.keys.write, body })).status).toBe(201);
  });
});

describe('a bad webhook', () => {
  const email = { host: 'mail.example.org', from: 'a@example.org', to: ['b@example.org'] };
  it.each([
    ['no url', { url: null }, 'url'],
    ['a url that is none', { url: 'hook' }, 'url'],
    ['a url of another scheme', { url: 'ftp://hook.example/' }, 'url'],
    ['a user name in the url', { url: 'https://a:b@hook.example/' }, 'url'],
    ['an unknown format', { format: 'telegram' }, 'format'],
    ['an unknown event', { events: ['tls.spike'] }, 'events.0'],
    ['an unknown severity', { severities: ['bad'] }, 'severities.0'],
    ['a secret that is too short', { secret: 'whsec_c2hvcnQ=' }, 'secret'],
    ['a secret without its prefix', { secret: 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }, 'secret'],
    ['PagerDuty without its key', { format: 'pagerduty' }, 'secret'],
    ['mail without settings', { format: 'email', url: null }, 'settings.email'],
    ['mail with a url', { format: 'email', settings: { email } }, 'url'],
    [
      'a recipient that is none',
      { format: 'email', url: null, settings: { email: { ...email, to: ['b'] } } },
      'settings.email.to.0',
    ],
    [
      'a port out of range',
      { format: 'email', url: null, settings: { email: { ...email, port: 0 } } },
      'settings.email.port',
    ],
    ['no template', { format: 'template' }, 'template'],
    ['a template that is no JSON', { format: 'template', template: '{"a": {{title}' }, 'template'],
    ['a template with an unknown root', { format: 'template', template: '{"a": "{{env.HOME}}"}' }, 'template'],
    ['a template too long', { format: 'template', template: `"${'x'.repeat(10_000)}"` }, 'template'],
    ['a label that is none', { format: 'alertmanager', settings: { labels: { 'a-b': 'c' } } }, 'settings.labels.a-b'],
    ['an unknown field', { colour: 'red' }, 'colour'],
    ['a language that is not spoken', { language: 'fr' }, 'language'],
  ])('with %s is refused, naming the field', async (_, body, field) => {
    const { rows: before } = await getPool().query('select count(*) from webhook');
    const refused = await post({ url: 'https://hook.example/', ...body });
    expect(refused.status).toBe(400);
    expect(fieldsOf(refused)).toEqual([field]);
    expect((await getPool().query('select count(*) from webhook')).rows).toEqual(before);
  });
});
