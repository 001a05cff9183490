import { v7 as uuid } from 'uuid';
import { describe, expect, it } from 'vitest';
import { releaseLease, takeLease } from '#server/webhooks/lease.ts';
import { BURST_MESSAGES, BURST_SECONDS, MAX_GROUP, nextMessage } from '#server/webhooks/queue.ts';
import {
  bodyOf,
  enqueue,
  eventsTold,
  idOf,
  makeEvent,
  makeWebhook,
  pump,
  statesOf,
  TestClock,
} from '../support/deliveries.ts';
import { extent } from '../support/extent.ts';
import { prepareOutbox } from '../support/outbox.ts';
import type { Reply } from '../support/receiver.ts';

/** A burst, some or a thousand in all: incidents a second, and for how long. */
const A_SECOND = extent(8, 17);
const SECONDS = extent(15, 60);

const { receive } = prepareOutbox();

describe('the order', () => {
  it('is that of the events, and a later message of an incident waits for the earlier', async () => {
    const failing = new Set(['first']);
    const receiver = await receive((request) => ({ status: failing.has(bodyOf(request).data.targetName) ? 500 : 200 }));
    await makeWebhook({ url: receiver.url });
    const clock = new TestClock();
    const incidentId = uuid();
    await enqueue(
      [
        makeEvent({ incidentId }, { targetName: 'first' }),
        makeEvent({ incidentId, type: 'tls.spike.resolved' }, { targetName: 'after the first' }),
        makeEvent({}, { targetName: 'other' }),
      ],
      clock.now(),
    );
    await pump(clock);
    const names = () => receiver.received.map((request) => bodyOf(request).data.targetName);
    expect(names()).toEqual(['first', 'other']);
    failing.clear();
    clock.forward(5);
    await pump(clock);
    expect(names()).toEqual(['first', 'other', 'first', 'after the first']);
  });

  it('at one endpoint does not wait for another that is dead', async () => {
    const { promise: held, resolve: letGo } = Promise.withResolvers<Reply>();
    const dead = await receive(() => held);
    const alive = await receive();
    await makeWebhook({ url: dead.url });
    await makeWebhook({ url: alive.url });
    const clock = new TestClock();
    await enqueue([makeEvent(), makeEvent(), makeEvent()], clock.now());
    const pumping = pump(clock);
    await alive.next(3);
    await dead.next(1);
    expect(dead.received).toHaveLength(1);
    letGo('break');
    await pumping;
  });
});

describe('a burst', () => {
  it('that is there at once becomes one message, up to its limits', async () => {
    const receiver = await receive();
    const webhook = await makeWebhook({ url: receiver.url });
    const clock = new TestClock();
    await enqueue(
      Array.from({ length: BURST_MESSAGES + 5 }, () => makeEvent()),
      clock.now(),
    );
    await pump(clock);
    expect(receiver.received).toHaveLength(1);
    const [request] = receiver.received;
    if (!request) throw new Error('nothing came');
    const { type, data } = bodyOf(request);
    expect(type).toBe('tls.spike.opened');
    expect(data).toMatchObject({ groupedCount: BURST_MESSAGES + 5, severity: 'warning' });
    expect(await statesOf(webhook.id)).toEqual({ grouped: BURST_MESSAGES + 5, delivered: 1 });
  });

  it('that comes bit by bit goes out singly at first, then as one message when it is over', async () => {
    const receiver = await receive();
    await makeWebhook({ url: receiver.url });
    const clock = new TestClock();
    for (let n = 0; n < BURST_MESSAGES + 7; n++) {
      await enqueue([makeEvent()], clock.now());
      await pump(clock);
      clock.forward(0.1);
    }
    expect(receiver.received).toHaveLength(BURST_MESSAGES);
    clock.forward(BURST_SECONDS);
    await pump(clock);
    const counts = receiver.received.map((request) => eventsTold(request).length);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(BURST_MESSAGES + 7);
  });

  it('is overtaken by nothing that comes while it is being settled', async () => {
    const receiver = await receive();
    const webhook = await makeWebhook({ url: receiver.url });
    const clock = new TestClock();
    await enqueue([makeEvent()], clock.now());
    await pump(clock);
    await enqueue(
      Array.from({ length: BURST_MESSAGES }, () => makeEvent()),
      clock.now(),
    );
    expect(await pump(clock)).toBe(0);
    await enqueue([makeEvent()], clock.now());
    const lease = await takeLease(webhook.id, clock.now());
    if (!lease) throw new Error('the endpoint is taken');
    // As if the new message had come after the look at the burst and before the choice of the next message.
    expect(await nextMessage(lease, clock.now(), { groups: false })).toBeNull();
    await releaseLease(lease);
    clock.forward(BURST_SECONDS);
    await pump(clock);
    expect(receiver.received.map((request) => eventsTold(request).length)).toEqual([1, BURST_MESSAGES + 1]);
  });

  it(`of ${SECONDS * A_SECOND} incidents in ${SECONDS} s arrives whole, each event once and in its turn, in few messages`, async () => {
    const receiver = await receive();
    const webhook = await makeWebhook({ url: receiver.url });
    const clock = new TestClock();
    const expected: string[] = [];
    for (let second = 0; second < SECONDS; second++) {
      const events = Array.from({ length: A_SECOND }, () => makeEvent());
      expected.push(...events.map((event) => `${event.incidentId} ${event.type}`));
      await enqueue(events, clock.now());
      await pump(clock);
      clock.forward(1);
    }
    for (let turn = 0; turn < SECONDS; turn++) {
      clock.forward(BURST_SECONDS);
      await pump(clock);
    }
    // In the order in which they happened: none that came while others waited overtook them.
    expect(receiver.received.flatMap(eventsTold).map(({ key }) => key)).toEqual(expected);
    expect(receiver.received.length).toBeLessThan(100);
    expect(new Set(receiver.received.map(idOf)).size).toBe(receiver.received.length);
    for (const request of receiver.received) {
      expect(Buffer.byteLength(request.body)).toBeLessThan(20_000);
      expect(eventsTold(request).length).toBeLessThanOrEqual(MAX_GROUP);
    }
    expect((await statesOf(webhook.id)).pending).toBeUndefined();
  }, 180_000);
});
