import { Webhook as Verifier } from 'standardwebhooks';
import { v7 as uuid } from 'uuid';
import { describe, expect, it } from 'vitest';
import { testWebhook } from '#server/webhooks/deliveries.ts';
import { previewWebhook } from '#server/webhooks/preview.ts';
import { enqueue, lastDelivery, makeEvent, makeWebhook, pump, statesOf, TestClock } from '../support/deliveries.ts';
import { prepareOutbox } from '../support/outbox.ts';
import type { Received, Reply } from '../support/receiver.ts';
import { jsonReply } from '../support/receiver.ts';

// Each receiver checks its protocol by itself, written from its vendor's description and not from our own code.

const { receive } = prepareOutbox();

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
    if (errors.length > 0) return { ...jsonReply({ status: 'invalid event', errors }), status: 400 };
    return { ...jsonReply({ status: 'success', message: 'Event processed', dedup_key }), status: 202 };
  }

  it('gets trigger and resolve of one dedup_key, each event by itself, and the key is nowhere in the log', async () => {
    const receiver = await receive(pagerdutyAnswer);
    const routingKey = 'R0123456789ABCDEF0123456789ABCDE';
    const webhook = await makeWebhook({ format: 'pagerduty', url: receiver.url, secret: routingKey });
    const clock = TestClock.fromNow();
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
    expect(JSON.stringify(await lastDelivery(webhook.id))).not.toContain(routingKey);
  });
});

describe('what no later event ends', () => {
  const routingKey = 'R0123456789ABCDEF0123456789ABCDE';

  it('is resolved at PagerDuty as soon as it was taken, under the same dedup_key, and not before', async () => {
    const answers = [500, 202, 202, 202, 202, 202, 202];
    const receiver = await receive(() => ({ ...jsonReply({ status: 'success' }), status: answers.shift() ?? 500 }));
    const webhook = await makeWebhook({ format: 'pagerduty', url: receiver.url, secret: routingKey });
    const clock = TestClock.fromNow();
    const events = () =>
      receiver.received.map(({ body }) => {
        const { event_action, dedup_key, payload } = JSON.parse(body);
        return [event_action, dedup_key, payload.severity];
      });
    await testWebhook(webhook.id, clock.now());
    await pump(clock);
    const key = events()[0]?.[1];
    expect(events()).toEqual([['trigger', key, 'info']]);
    clock.forward(5);
    await pump(clock);
    expect(events().slice(1)).toEqual([
      ['trigger', key, 'info'],
      ['resolve', key, 'info'],
    ]);
    const improved = makeEvent({ type: 'tls.improvement.detected' }, { kind: 'improvement', severity: 'info' });
    const compared = makeEvent({ type: 'comparison.ready', incidentId: null });
    await enqueue([improved, compared], clock.now());
    await pump(clock);
    const actions = Map.groupBy(events().slice(3), ([, dedup]) => dedup);
    expect([...actions.values()].map((of) => of.map(([action]) => action))).toEqual([
      ['trigger', 'resolve'],
      ['trigger', 'resolve'],
    ]);
    expect(actions.has(improved.incidentId)).toBe(true);
    expect(await statesOf(webhook.id)).toEqual({ delivered: 6 });
  });

  it('ends at Alertmanager within minutes by itself', async () => {
    const receiver = await receive(() => ({}));
    const webhook = await makeWebhook({ format: 'alertmanager', url: receiver.url });
    const clock = TestClock.fromNow();
    await testWebhook(webhook.id, clock.now());
    const improved = makeEvent({ type: 'tls.improvement.detected' }, { kind: 'improvement' });
    await enqueue([improved, makeEvent({ type: 'comparison.ready', incidentId: null })], clock.now());
    await pump(clock);
    expect(receiver.received).toHaveLength(3);
    for (const { body } of receiver.received)
      expect(Date.parse(JSON.parse(body)[0].endsAt)).toBe(clock.now().getTime() + 300_000);
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
    const clock = TestClock.fromNow();
    await enqueue([makeEvent({}, { targetName: 'a "quoted" name' })], clock.now());
    await pump(clock);
    expect(receiver.received).toHaveLength(1);
    const [request] = receiver.received;
    const verified = new Verifier(good.secret ?? '').verify(
      request?.body ?? '',
      request?.headers as Record<string, string>,
    );
    expect(verified).toEqual({ what: 'a "quoted" name' });
    const failed = await lastDelivery(bad.id);
    expect(failed).toMatchObject({
      status: 'failed',
      log: [{ error: '{{data.nothing}} names nothing in this message' }],
    });
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
