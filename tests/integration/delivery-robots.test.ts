import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { enqueue, lastDelivery, makeEvent, makeWebhook, pump, statesOf, TestClock } from '../support/deliveries.ts';
import { extent } from '../support/extent.ts';
import { prepareOutbox } from '../support/outbox.ts';
import type { Received, Reply } from '../support/receiver.ts';
import { jsonReply } from '../support/receiver.ts';

// Each receiver checks its protocol by itself, written from its vendor's description and not from our own code.

const { receive } = prepareOutbox();

describe('Feishu', () => {
  const secret = 'feishu secret'.replace(' ', '-');

  /** open.feishu.cn: the key is timestamp, a line break and the secret; the data is empty. An hour is allowed. */
  function feishuAnswer({ body }: Received): Reply {
    const { timestamp, sign, msg_type, card } = JSON.parse(body);
    const expected = createHmac('sha256', `${timestamp}\n${secret}`).digest('base64');
    const fresh = Math.abs(Date.now() / 1_000 - Number(timestamp)) < 3_600;
    if (sign !== expected || !fresh)
      return jsonReply({ code: 19021, msg: 'sign match fail or timestamp is not within one hour' });
    if (msg_type !== 'interactive' || !card.header.title.content) return jsonReply({ code: 9499, msg: 'Bad Request' });
    return jsonReply({ code: 0, msg: 'success', data: {} });
  }

  it('takes a signed card in Chinese', async () => {
    const receiver = await receive(feishuAnswer);
    const webhook = await makeWebhook({ format: 'feishu', url: receiver.url, secret, language: 'zh-CN' });
    const clock = TestClock.fromNow();
    await enqueue(
      [makeEvent({}, { effectMs: 45.2, effectRatio: 1.5, carrier: 'telecom', region: 'CN-GD' })],
      clock.now(),
    );
    await pump(clock);
    expect((await lastDelivery(webhook.id)).status).toBe('delivered');
    const { card } = JSON.parse(receiver.received[0]?.body ?? '');
    expect(card.header.title.content).toBe('[Roundtrip] 突增：shop.example.org · 广东电信，TLS +45 ms（+150%）');
  });

  it('refuses with status 200 and a code, which is a failure', async () => {
    const receiver = await receive(feishuAnswer);
    const webhook = await makeWebhook({ format: 'feishu', url: receiver.url, secret: 'another' });
    const clock = TestClock.fromNow();
    await enqueue([makeEvent()], clock.now());
    await pump(clock);
    const delivery = await lastDelivery(webhook.id);
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
      return jsonReply({ errcode: 310000, errmsg: 'sign not match' });
    }
    const { msgtype, markdown } = JSON.parse(body);
    const known = msgtype === 'markdown' && markdown.title && markdown.text;
    return jsonReply(known ? { errcode: 0, errmsg: 'ok' } : { errcode: 400, errmsg: 'bad' });
  }

  it('takes markdown signed in the query', async () => {
    const receiver = await receive(dingtalkAnswer);
    const webhook = await makeWebhook({ format: 'dingtalk', url: `${receiver.url}?access_token=abc`, secret });
    const clock = TestClock.fromNow();
    await enqueue([makeEvent()], clock.now());
    await pump(clock);
    expect((await lastDelivery(webhook.id)).log[0]).toMatchObject({ status: 200, error: null });
  });

  it('refuses with status 200 and an errcode, which is a failure', async () => {
    const receiver = await receive(dingtalkAnswer);
    const webhook = await makeWebhook({
      format: 'dingtalk',
      url: `${receiver.url}?access_token=abc`,
      secret: 'SECwrong',
    });
    const clock = TestClock.fromNow();
    await enqueue([makeEvent()], clock.now());
    await pump(clock);
    expect((await lastDelivery(webhook.id)).log[0]?.error).toBe('answered 200 with errcode 310000: sign not match');
  });
});

describe('WeCom and Slack', () => {
  it('WeCom takes markdown of at most 4,096 bytes, and its errcode is a failure', async () => {
    const replies = [
      { errcode: 93000, errmsg: 'invalid webhook url' },
      { errcode: 0, errmsg: 'ok' },
    ];
    const receiver = await receive(() => jsonReply(replies.shift()));
    const webhook = await makeWebhook({ format: 'wecom', url: receiver.url, language: 'zh-CN' });
    const clock = TestClock.fromNow();
    await enqueue([makeEvent({}, { targetName: '目标'.repeat(2_000) })], clock.now());
    await pump(clock);
    expect((await lastDelivery(webhook.id)).log[0]?.error).toBe('answered 200 with errcode 93000: invalid webhook url');
    clock.forward(5);
    await pump(clock);
    expect((await lastDelivery(webhook.id)).status).toBe('delivered');
    const { msgtype, markdown } = JSON.parse(receiver.received[0]?.body ?? '');
    expect(msgtype).toBe('markdown');
    expect(Buffer.byteLength(markdown.content)).toBeLessThanOrEqual(4_096);
  });

  it.each(extent(['dingtalk'] as const, ['dingtalk', 'wecom'] as const))(
    '%s gets no more than 20 messages in any minute',
    async (format) => {
      const at: number[] = [];
      const clock = TestClock.fromNow();
      const receiver = await receive(() => {
        at.push(clock.now().getTime());
        return jsonReply({ errcode: 0, errmsg: 'ok' });
      });
      const webhook = await makeWebhook({ format, url: `${receiver.url}?access_token=abc` });
      for (let second = 0; second < extent(70, 120); second += 2) {
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
    },
  );

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
    const clock = TestClock.fromNow();
    const link = 'https://roundtrip.example/incidents/1';
    await enqueue([makeEvent({ data: { link } }, { targetName: '<!channel> & co' })], clock.now());
    await pump(clock);
    expect((await lastDelivery(webhook.id)).status).toBe('delivered');
    const message = JSON.parse(receiver.received[0]?.body ?? '');
    expect(message.text).toContain('&lt;!channel&gt; &amp; co');
    expect(message.attachments[0].blocks[0].text.text).toContain(`<${link}|`);
    await enqueue([makeEvent({ data: { link } }, { targetName: '&'.repeat(2_000) })], clock.now());
    await pump(clock);
    expect((await lastDelivery(webhook.id)).status).toBe('delivered');
    const long = JSON.parse(receiver.received[1]?.body ?? '');
    expect(long.attachments[0].blocks[0].text.text).toMatch(/<https:\/\/roundtrip\.example\/incidents\/1\|[^>]+>$/);
  });
});
