import { createHmac } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { Webhook as Verifier } from 'standardwebhooks';
import { v7 as uuid } from 'uuid';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { getDelivery, listDeliveries } from '#server/deliveries/list.ts';
import { previewWebhook } from '#server/deliveries/preview.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import {
  allowLoopback,
  enqueue,
  makeEvent,
  makeWebhook,
  pump,
  removeWebhooks,
  statesOf,
  TestClock,
} from '../support/deliveries.ts';
import { type Received, type Receiver, type Reply, startReceiver } from '../support/receiver.ts';

// Each receiver checks its protocol by itself, written from its vendor's description and not from our own code.

let database: TestDatabase;
const receivers: Receiver[] = [];
beforeAll(async () => {
  allowLoopback();
  database = await testDatabase();
});
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.stop();
  await removeWebhooks();
});
afterAll(() => database.drop());

async function receive(answer: (request: Received) => Reply): Promise<Receiver> {
  const receiver = await startReceiver(answer);
  receivers.push(receiver);
  return receiver;
}

const lastLog = async (webhookId: string) => {
  const { data } = await listDeliveries(webhookId, { limit: 1 });
  return await getDelivery(data[0]?.id ?? '', 'editor');
};
const json = (body: unknown): Exclude<Reply, string> => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
const clockNow = () => new TestClock(new Date().toISOString());

describe('Feishu', () => {
  const secret = 'feishu secret'.replace(' ', '-');

  /** open.feishu.cn: the key is timestamp, a line break and the secret; the data is empty. An hour is allowed. */
  function feishuAnswer({ body }: Received): Reply {
    const { timestamp, sign, msg_type, card } = JSON.parse(body);
    const expected = createHmac('sha256', `${timestamp}\n${secret}`).digest('base64');
    const fresh = Math.abs(Date.now() / 1_000 - Number(timestamp)) < 3_600;
    if (sign !== expected || !fresh)
      return json({ code: 19021, msg: 'sign match fail or timestamp is not within one hour' });
    if (msg_type !== 'interactive' || !card.header.title.content) return json({ code: 9499, msg: 'Bad Request' });
    return json({ code: 0, msg: 'success', data: {} });
  }

  it('takes a signed card in Chinese', async () => {
    const receiver = await receive(feishuAnswer);
    const webhook = await makeWebhook({ format: 'feishu', url: receiver.url, secret, language: 'zh-CN' });
    const clock = clockNow();
    await enqueue(
      [makeEvent({}, { effectMs: 45.2, effectRatio: 1.5, carrier: 'telecom', region: 'CN-GD' })],
      clock.now(),
    );
    await pump(clock);
    expect((await lastLog(webhook.id)).status).toBe('delivered');
    const { card } = JSON.parse(receiver.received[0]?.body ?? '');
    expect(card.header.title.content).toBe('[Roundtrip] 突增：shop.example.org · 广东电信, SSL 耗时 +45.2 ms (+150%)');
  });

  it('refuses with status 200 and a code, which is a failure', async () => {
    const receiver = await receive(feishuAnswer);
    const webhook = await makeWebhook({ format: 'feishu', url: receiver.url, secret: 'another' });
    const clock = clockNow();
    await enqueue([makeEvent()], clock.now());
    await pump(clock);
    const delivery = await lastLog(webhook.id);
    expect(delivery.status).toBe('pending');
    expect(delivery.log[0]).toMatchObject({
      status: 200,
      error: expect.stringContaining('code 19021: sign match fail'),
    });
  });
});

describe('DingTalk', () => {
  const secret = 'SEC000000000000000000000';

  /** open.dingtalk.com: data is the timestamp in ms, a line break and the secret; the key is the secret; in the query. */
  function dingtalkAnswer({ url, body }: Received): Reply {
    const query = url.slice(url.indexOf('?') + 1);
    const pairs = new Map(query.split('&').map((pair) => pair.split('=') as [string, string]));
    const timestamp = pairs.get('timestamp') ?? '';
    const expected = encodeURIComponent(
      createHmac('sha256', secret).update(`${timestamp}\n${secret}`).digest('base64'),
    );
    const fresh = Math.abs(Date.now() - Number(timestamp)) < 3_600_000;
    if (pairs.get('access_token') !== 'abc' || pairs.get('sign') !== expected || !fresh) {
      return json({ errcode: 310000, errmsg: 'sign not match' });
    }
    const { msgtype, markdown } = JSON.parse(body);
    const known = msgtype === 'markdown' && markdown.title && markdown.text;
    return json(known ? { errcode: 0, errmsg: 'ok' } : { errcode: 400, errmsg: 'bad' });
  }

  it('takes markdown signed in the query', async () => {
    const receiver = await receive(dingtalkAnswer);
    const webhook = await makeWebhook({ format: 'dingtalk', url: `${receiver.url}?access_token=abc`, secret });
    const clock = clockNow();
    await enqueue([makeEvent()], clock.now());
    await pump(clock);
    expect((await lastLog(webhook.id)).log[0]).toMatchObject({ status: 200, error: null });
  });

  it('refuses with status 200 and an errcode, which is a failure', async () => {
    const receiver = await receive(dingtalkAnswer);
    const webhook = await makeWebhook({
      format: 'dingtalk',
      url: `${receiver.url}?access_token=abc`,
      secret: 'SECwrong',
    });
    const clock = clockNow();
    await enqueue([makeEvent()], clock.now());
    await pump(clock);
    expect((await lastLog(webhook.id)).log[0]?.error).toBe('answered 200 with errcode 310000: sign not match');
  });
});

describe('WeCom and Slack', () => {
  it('WeCom takes markdown of at most 4,096 bytes, and its errcode is a failure', async () => {
    const replies = [
      { errcode: 93000, errmsg: 'invalid webhook url' },
      { errcode: 0, errmsg: 'ok' },
    ];
    const receiver = await receive(() => json(replies.shift()));
    const webhook = await makeWebhook({ format: 'wecom', url: receiver.url, language: 'zh-CN' });
    const clock = clockNow();
    await enqueue([makeEvent({}, { targetName: '目标'.repeat(2_000) })], clock.now());
    await pump(clock);
    expect((await lastLog(webhook.id)).log[0]?.error).toBe('answered 200 with errcode 93000: invalid webhook url');
    clock.forward(5);
    await pump(clock);
    expect((await lastLog(webhook.id)).status).toBe('delivered');
    const { msgtype, markdown } = JSON.parse(receiver.received[0]?.body ?? '');
    expect(msgtype).toBe('markdown');
    expect(Buffer.byteLength(markdown.content)).toBeLessThanOrEqual(4_096);
  });

  it.each(['dingtalk', 'wecom'] as const)('%s gets no more than 20 messages in any minute', async (format) => {
    const at: number[] = [];
    const clock = clockNow();
    const receiver = await receive(() => {
      at.push(clock.now().getTime());
      return json({ errcode: 0, errmsg: 'ok' });
    });
    const webhook = await makeWebhook({ format, url: `${receiver.url}?access_token=abc` });
    for (let second = 0; second < 120; second += 2) {
      await enqueue([makeEvent()], clock.now());
      await pump(clock);
      clock.forward(2);
    }
    clock.forward(10);
    await pump(clock);
    expect((await statesOf(webhook.id)).pending).toBeUndefined();
    const busiest = Math.max(...at.map((start) => at.filter((one) => one >= start && one < start + 60_000).length));
    expect(busiest).toBeLessThanOrEqual(20);
    expect(busiest).toBeGreaterThan(10);
  });

  /** docs.slack.dev: JSON with text; a section's text has 1 to 3,000 characters. Errors are words with a status of 400. */
  function slackAnswer({ body, headers }: Received): Reply {
    if (!/^application\/json/.test(headers['content-type'] ?? '')) return { status: 400, body: 'invalid_payload' };
    const { text, attachments } = JSON.parse(body);
    if (!text) return { status: 400, body: 'no_text' };
    const [{ blocks }] = attachments;
    const sound = blocks.every(
      ({ type, text: told }: { type: string; text: { type: string; text: string } }) =>
        type === 'section' && told.type === 'mrkdwn' && told.text.length >= 1 && told.text.length <= 3_000,
    );
    return sound ? { body: 'ok' } : { status: 400, body: 'invalid_blocks' };
  }

  it('Slack takes text and blocks, escaped and never too long for their link', async () => {
    const receiver = await receive(slackAnswer);
    const webhook = await makeWebhook({ format: 'slack', url: receiver.url });
    const clock = clockNow();
    const link = 'https://roundtrip.example/incidents/1';
    await enqueue([makeEvent({ data: { link } }, { targetName: '<!channel> & co' })], clock.now());
    await pump(clock);
    expect((await lastLog(webhook.id)).status).toBe('delivered');
    const message = JSON.parse(receiver.received[0]?.body ?? '');
    expect(message.text).toContain('&lt;!channel&gt; &amp; co');
    expect(message.attachments[0].blocks[0].text.text).toContain(`<${link}|`);
    await enqueue([makeEvent({ data: { link } }, { targetName: '&'.repeat(2_000) })], clock.now());
    await pump(clock);
    expect((await lastLog(webhook.id)).status).toBe('delivered');
    const long = JSON.parse(receiver.received[1]?.body ?? '');
    expect(long.attachments[0].blocks[0].text.text).toMatch(/<https:\/\/roundtrip\.example\/incidents\/1\|[^>]+>$/);
  });
});

describe('PagerDuty', () => {
  /** developer.pagerduty.com, Events API v2: 202 and the key of the alert, or 400 and what is wrong. */
  function pagerdutyAnswer({ body }: Received): Reply {
    const { routing_key, event_action, dedup_key, payload, links } = JSON.parse(body);
    const errors = [
      /^[0-9A-Za-z]{32}$/.test(routing_key) ? null : "'routing_key' is invalid",
      ['trigger', 'acknowledge', 'resolve'].includes(event_action) ? null : "'event_action' is invalid",
      dedup_key && dedup_key.length <= 255 ? null : "'dedup_key' is too long",
      payload.summary && payload.summary.length <= 1_024 ? null : "'payload.summary' is missing or too long",
      payload.source ? null : "'payload.source' is missing",
      ['critical', 'error', 'warning', 'info'].includes(payload.severity) ? null : "'payload.severity' is invalid",
      (links ?? []).every(({ href }: { href?: string }) => href) ? null : "'links' is invalid",
    ].filter(Boolean);
    if (errors.length > 0) return { ...json({ status: 'invalid event', errors }), status: 400 };
    return { ...json({ status: 'success', message: 'Event processed', dedup_key }), status: 202 };
  }

  it('gets trigger and resolve of one dedup_key, each event by itself, and the key is nowhere in the log', async () => {
    const receiver = await receive(pagerdutyAnswer);
    const routingKey = 'R0123456789ABCDEF0123456789ABCDE';
    const webhook = await makeWebhook({ format: 'pagerduty', url: receiver.url, secret: routingKey });
    const clock = clockNow();
    const incidentId = uuid();
    await enqueue(
      [
        makeEvent({ incidentId }),
        ...Array.from({ length: 12 }, () => makeEvent()),
        makeEvent({ incidentId, data: { status: 'acknowledged' } }),
        makeEvent({ incidentId, type: 'tls.spike.resolved' }),
      ],
      clock.now(),
    );
    await pump(clock);
    const events = receiver.received.map(({ body }) => JSON.parse(body));
    expect(events).toHaveLength(15);
    expect(await statesOf(webhook.id)).toEqual({ delivered: 15 });
    const ours = events.filter((event) => event.dedup_key === incidentId);
    expect(ours.map((event) => event.event_action)).toEqual(['trigger', 'acknowledge', 'resolve']);
    expect(ours[0]).toMatchObject({
      routing_key: routingKey,
      payload: { severity: 'warning', source: 'shop.example.org' },
    });
    expect(JSON.stringify(await lastLog(webhook.id))).not.toContain(routingKey);
  });
});

describe('a template', () => {
  it('is signed, and a placeholder that names nothing ends the message with an error that names it', async () => {
    const receiver = await receive(() => ({}));
    const good = await makeWebhook({
      format: 'template',
      url: receiver.url,
      template: '{"what": "{{data.targetName}}"}',
    });
    const bad = await makeWebhook({ format: 'template', url: receiver.url, template: '{"x": "{{data.nothing}}"}' });
    const clock = clockNow();
    await enqueue([makeEvent({}, { targetName: 'a "quoted" name' })], clock.now());
    await pump(clock);
    expect(receiver.received).toHaveLength(1);
    const [request] = receiver.received;
    const verified = new Verifier(good.secret ?? '').verify(
      request?.body ?? '',
      request?.headers as Record<string, string>,
    );
    expect(verified).toEqual({ what: 'a "quoted" name' });
    const failed = await lastLog(bad.id);
    expect(failed).toMatchObject({
      status: 'failed',
      log: [{ error: '{{data.nothing}} names nothing in this message' }],
    });
  });
});

describe('mail', () => {
  type Mail = { from: string; to: string[]; source: string };
  const mails: Mail[] = [];
  let refuse = false;
  const smtp = new SMTPServer({
    authOptional: false,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) =>
      username === 'ops' && password === 'p4ss'
        ? done(null, { user: username })
        : done(new Error('535 wrong password')),
    onRcptTo: ({ address }, _session, done) =>
      address === 'gone@example.org'
        ? done(Object.assign(new Error('no such mailbox'), { responseCode: 550 }))
        : done(),
    onData: (stream, session, done) => {
      let source = '';
      stream.on('data', (chunk: Buffer) => {
        source += chunk.toString();
      });
      stream.on('end', () => {
        if (refuse) return done(Object.assign(new Error('mailbox full'), { responseCode: 452 }));
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({ from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address), source });
        done();
      });
    },
  });
  let port = 0;
  beforeAll(async () => {
    await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
    port = (smtp.server.address() as AddressInfo).port;
  });
  afterAll(() => new Promise<void>((resolve) => smtp.close(() => resolve())));

  const make = (secret: string, to = ['a@example.org', 'b@example.org']) =>
    makeWebhook({
      format: 'email',
      secret,
      settings: {
        email: {
          host: '127.0.0.1',
          port,
          secure: false,
          user: 'ops',
          from: 'rt@example.org',
          to,
        },
        contentType: 'application/json',
        labels: {},
      },
    });

  it('reaches all recipients by SMTP, once, with one Message-ID over its attempts', async () => {
    const webhook = await make('p4ss');
    const clock = clockNow();
    await enqueue([makeEvent()], clock.now());
    refuse = true;
    await pump(clock);
    expect((await lastLog(webhook.id)).log[0]).toMatchObject({ status: 452, error: 'answered 452' });
    refuse = false;
    clock.forward(5);
    await pump(clock);
    expect(mails).toHaveLength(1);
    const { messageId, status } = await lastLog(webhook.id);
    expect(status).toBe('delivered');
    expect(mails[0]).toMatchObject({ from: 'rt@example.org', to: ['a@example.org', 'b@example.org'] });
    expect(mails[0]?.source).toContain(`Message-ID: <${messageId}@example.org>`);
    expect(mails[0]?.source).toMatch(/Subject: \[Roundtrip\] Spike: shop\.example\.org/);
  });

  it('that one of its recipients refuses is sent once to the others, and the log names who refused', async () => {
    const before = mails.length;
    const webhook = await make('p4ss', ['a@example.org', 'gone@example.org']);
    const clock = clockNow();
    await enqueue([makeEvent()], clock.now());
    await pump(clock);
    expect(mails.slice(before).map(({ to }) => to)).toEqual([['a@example.org']]);
    const delivery = await lastLog(webhook.id);
    expect(delivery.status).toBe('delivered');
    expect(delivery.log[0]?.responseBody).toMatch(/^250 .*; refused for gone@example\.org$/);
  });

  it('that all its recipients refuse has failed', async () => {
    const webhook = await make('p4ss', ['gone@example.org']);
    const clock = clockNow();
    await enqueue([makeEvent()], clock.now());
    await pump(clock);
    expect((await lastLog(webhook.id)).log[0]).toMatchObject({ status: 550, error: 'answered 550' });
  });

  it('with a wrong password has failed, and says so', async () => {
    const webhook = await make('wrong');
    const clock = clockNow();
    await enqueue([makeEvent()], clock.now());
    await pump(clock);
    expect((await lastLog(webhook.id)).log[0]).toMatchObject({ status: 535 });
  });
});

describe('a preview', () => {
  it('shows a sample, then the latest real message, and no signature', async () => {
    const receiver = await receive(() => ({}));
    const webhook = await makeWebhook({ url: `${receiver.url}?token=abc` });
    const sample = await previewWebhook(webhook.id, { event: 'tls.spike.opened' }, 'editor');
    expect(sample).toMatchObject({ sample: true, headers: { 'webhook-signature': 'v1,***' } });
    expect(sample.url).not.toContain('abc');
    await enqueue([makeEvent({}, { targetName: 'the real one' })], new Date());
    const real = await previewWebhook(webhook.id, { event: 'tls.spike.opened' }, 'editor');
    expect(real.sample).toBe(false);
    expect(JSON.parse(real.body).data.targetName).toBe('the real one');
  });
});
