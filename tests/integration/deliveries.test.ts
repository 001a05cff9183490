import { Webhook as Verifier } from 'standardwebhooks';
import { v7 as uuid } from 'uuid';
import { describe, expect, it } from 'vitest';
import { getPrisma } from '#server/database/database.ts';
import { replayDelivery, testWebhook } from '#server/webhooks/deliveries.ts';
import { enqueueEvents } from '#server/webhooks/enqueue.ts';
import { rotateSecret } from '#server/webhooks/webhooks.ts';
import {
  bodyOf,
  enqueue,
  idOf,
  makeEvent,
  makeWebhook,
  onlyDelivery,
  pump,
  statesOf,
  TestClock,
} from '../support/deliveries.ts';
import { prepareOutbox } from '../support/outbox.ts';
import type { Received } from '../support/receiver.ts';

const { receive } = prepareOutbox();

const verify = (secret: string, { body, headers }: Received) =>
  new Verifier(secret).verify(body, headers as Record<string, string>);

describe('a standard message', () => {
  it('is accepted by the published library, with its payload under its id', async () => {
    const receiver = await receive();
    const webhook = await makeWebhook({ url: receiver.url });
    const clock = TestClock.fromNow();
    const event = makeEvent();
    await enqueue([event], clock.now());
    expect(await pump(clock)).toBe(1);
    const [request] = receiver.received;
    if (!request) throw new Error('nothing came');
    expect(verify(webhook.secret ?? '', request)).toEqual({
      type: 'tls.spike.opened',
      timestamp: '2026-11-21T08:00:00.000Z',
      data: { ...event.data, summary: 'Spike: shop.example.org, since 2026-11-21 08:00 UTC' },
    });
    expect(request.headers['content-type']).toMatch(/^application\/json/);
    const delivery = await onlyDelivery(webhook.id);
    expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, nextAt: null, messageId: idOf(request) });
    expect(delivery.log).toMatchObject([{ status: 200, error: null }]);
  });

  it('is signed with every valid secret while one is rotated, and with the new alone afterwards', async () => {
    const receiver = await receive();
    const old = await makeWebhook({ url: receiver.url });
    const clock = TestClock.fromNow();
    const fresh = await rotateSecret(old.id, { keepHours: 1 }, clock.now());
    await enqueue([makeEvent()], clock.now());
    await pump(clock);
    const [both] = receiver.received;
    if (!both) throw new Error('nothing came');
    expect(String(both.headers['webhook-signature']).split(' ')).toHaveLength(2);
    expect(() => verify(old.secret ?? '', both)).not.toThrow();
    expect(() => verify(fresh.secret ?? '', both)).not.toThrow();
    clock.forward(3_601);
    await enqueue([makeEvent()], clock.now());
    await pump(clock);
    expect(String(receiver.received[1]?.headers['webhook-signature']).split(' ')).toHaveLength(1);
  });

  it('stays under 20 kB however many cells there are, and says how many it left out', async () => {
    const receiver = await receive();
    await makeWebhook({ url: receiver.url });
    const clock = new TestClock();
    const cells = Array.from({ length: 900 }, (_, n) => ({ targetId: uuid(), region: 'CN-GD', carrier: `net${n}` }));
    await enqueue([makeEvent({ data: { cells } })], clock.now());
    await pump(clock);
    const [request] = receiver.received;
    if (!request) throw new Error('nothing came');
    expect(Buffer.byteLength(request.body)).toBeLessThan(20_000);
    const { data } = bodyOf(request);
    expect(data.cells.length).toBeGreaterThan(50);
    expect(data.cells.length + data.cellsOmitted).toBe(900);
  });

  it('is committed with the change it tells of, or not at all', async () => {
    const webhook = await makeWebhook({ url: 'http://127.0.0.1:9/' });
    const failed = getPrisma().$transaction(async (tx) => {
      await enqueueEvents(tx, [makeEvent()]);
      throw new Error('the change failed');
    });
    await expect(failed).rejects.toThrow('the change failed');
    expect(await statesOf(webhook.id)).toEqual({});
  });

  it('goes to the webhooks that ask for its rule, severity and type, and to no other', async () => {
    const rule = uuid();
    const wanting = await Promise.all([
      makeWebhook({ url: 'http://127.0.0.1:9/' }),
      makeWebhook({
        url: 'http://127.0.0.1:9/',
        ruleIds: [rule],
        severities: ['warning'],
        events: ['tls.spike.opened'],
      }),
    ]);
    const others = await Promise.all([
      makeWebhook({ url: 'http://127.0.0.1:9/', ruleIds: [uuid()] }),
      makeWebhook({ url: 'http://127.0.0.1:9/', severities: ['critical'] }),
      makeWebhook({ url: 'http://127.0.0.1:9/', events: ['target.down'] }),
      makeWebhook({ url: 'http://127.0.0.1:9/', enabled: false }),
    ]);
    await enqueue([makeEvent({ ruleId: rule })], new Date());
    for (const { id } of wanting) expect(await statesOf(id)).toEqual({ pending: 1 });
    for (const { id } of others) expect(await statesOf(id)).toEqual({});
  });
});

describe('by hand', () => {
  it('a message is sent again under its id, and its log goes on', async () => {
    const receiver = await receive();
    const webhook = await makeWebhook({ url: receiver.url });
    const clock = new TestClock();
    await enqueue([makeEvent()], clock.now());
    await pump(clock);
    const before = await onlyDelivery(webhook.id);
    await replayDelivery(before.id, clock.now());
    await expect(replayDelivery(before.id, clock.now())).rejects.toThrow('on its way');
    await pump(clock);
    expect(receiver.received.map(idOf)).toEqual([before.messageId, before.messageId]);
    expect((await onlyDelivery(webhook.id)).log).toHaveLength(2);
  });

  it('a test is sent, whatever the webhook asks for', async () => {
    const receiver = await receive();
    const webhook = await makeWebhook({ url: receiver.url, events: ['target.down'] });
    const clock = new TestClock();
    await testWebhook(webhook.id, clock.now());
    await pump(clock);
    expect(receiver.received.map(bodyOf)).toMatchObject([{ type: 'webhook.test' }]);
  });

  it('of another version that cannot be put into words fails alone, and the next is sent', async () => {
    const receiver = await receive();
    const webhook = await makeWebhook({ url: receiver.url, format: 'slack' });
    const clock = TestClock.fromNow();
    await enqueue([makeEvent()], clock.now());
    await getPrisma().$executeRaw`update delivery set payload = payload #- '{data,affected}'`;
    await enqueue([makeEvent()], clock.now());
    await pump(clock);
    expect(receiver.received).toHaveLength(1);
    expect(await statesOf(webhook.id)).toEqual({ failed: 1, delivered: 1 });
  });
});
