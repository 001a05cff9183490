import { Webhook as Verifier } from 'standardwebhooks';
import { v7 as uuid } from 'uuid';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { getPool, getPrisma } from '#server/database.ts';
import { beginAttempt } from '#server/deliveries/attempt.ts';
import { enqueueEvent } from '#server/deliveries/enqueue.ts';
import { standard } from '#server/deliveries/formats/standard.ts';
import { BURST_MESSAGES, BURST_SECONDS, MAX_GROUP } from '#server/deliveries/group.ts';
import { releaseLease, takeLease } from '#server/deliveries/lease.ts';
import { getDelivery, listDeliveries } from '#server/deliveries/list.ts';
import { nextMessage } from '#server/deliveries/queue.ts';
import { replayDelivery, testWebhook } from '#server/deliveries/replay.ts';
import { MAX_CUT_OFFS, RETRY_SECONDS } from '#server/deliveries/schedule.ts';
import { getWebhook, rotateSecret, updateWebhook } from '#server/webhooks.ts';
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

async function receive(answer?: (request: Received) => Reply | Promise<Reply>): Promise<Receiver> {
  const receiver = await startReceiver(answer);
  receivers.push(receiver);
  return receiver;
}

const idOf = ({ headers }: Received) => String(headers['webhook-id']);
const bodyOf = ({ body }: Received) => JSON.parse(body);
const verify = (secret: string, { body, headers }: Received) =>
  new Verifier(secret).verify(body, headers as Record<string, string>);
const onlyDelivery = async (webhookId: string) => {
  const page = await listDeliveries(webhookId, { limit: 10 });
  expect(page.data).toHaveLength(1);
  return await getDelivery(page.data[0]?.id ?? '', 'editor');
};

describe('a standard message', () => {
  it('is accepted by the published library, with its payload under its id', async () => {
    const receiver = await receive();
    const webhook = await makeWebhook({ url: receiver.url });
    const clock = new TestClock(new Date().toISOString());
    const event = makeEvent();
    await enqueue([event], clock.now());
    expect(await pump(clock)).toBe(1);
    const [request] = receiver.received;
    if (!request) throw new Error('nothing came');
    expect(verify(webhook.secret ?? '', request)).toEqual({
      type: 'tls.spike.opened',
      timestamp: '2026-11-21T08:00:00.000Z',
      data: event.data,
    });
    expect(request.headers['content-type']).toMatch(/^application\/json/);
    const delivery = await onlyDelivery(webhook.id);
    expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, nextAt: null, messageId: idOf(request) });
    expect(delivery.log).toMatchObject([{ status: 200, error: null }]);
  });

  it('is signed with every valid secret while one is rotated, and with the new alone afterwards', async () => {
    const receiver = await receive();
    const old = await makeWebhook({ url: receiver.url });
    const clock = new TestClock(new Date().toISOString());
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
      await enqueueEvent(tx, makeEvent());
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

describe('a receiver that fails', () => {
  it('is tried on the schedule, under one id and with one body, and then no more', async () => {
    const receiver = await receive(() => ({ status: 500, body: 'broken' }));
    const webhook = await makeWebhook({ url: receiver.url });
    const clock = new TestClock();
    await enqueue([makeEvent()], clock.now());
    for (const [index, pause] of RETRY_SECONDS.entries()) {
      clock.forward(pause - 1);
      if (index > 0) expect(await pump(clock)).toBe(0);
      clock.forward(1);
      expect(await pump(clock)).toBe(1);
    }
    clock.forward(7 * 86_400);
    expect(await pump(clock)).toBe(0);
    expect(receiver.received).toHaveLength(10);
    expect(new Set(receiver.received.map(idOf)).size).toBe(1);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    const delivery = await onlyDelivery(webhook.id);
    expect(delivery).toMatchObject({ status: 'failed', attempts: 10, nextAt: null });
    expect(delivery.log).toHaveLength(10);
    expect(delivery.log[0]).toMatchObject({ status: 500, error: 'answered 500', responseBody: 'broken' });
  });

  it('with 410 is disabled with the reason, and what waited is cancelled', async () => {
    const receiver = await receive(() => ({ status: 410 }));
    const webhook = await makeWebhook({ url: receiver.url });
    const clock = new TestClock();
    await enqueue([makeEvent(), makeEvent()], clock.now());
    await pump(clock);
    expect(receiver.received).toHaveLength(1);
    expect(await statesOf(webhook.id)).toEqual({ failed: 1, cancelled: 1 });
    const shown = await getWebhook(webhook.id, 'editor');
    expect(shown).toMatchObject({ enabled: false, disabledReason: expect.stringContaining('410') });
    await enqueue([makeEvent()], clock.now());
    expect(await statesOf(webhook.id)).toEqual({ failed: 1, cancelled: 1 });
    expect(await updateWebhook(webhook.id, { enabled: true })).toMatchObject({ enabled: true, disabledReason: null });
  });

  it.each([429, 502, 504])('with %i gets nothing for a while, twice as long each time', async (status) => {
    const receiver = await receive(() => ({ status }));
    const webhook = await makeWebhook({ url: receiver.url });
    const clock = new TestClock();
    await enqueue([makeEvent(), makeEvent()], clock.now());
    expect(await pump(clock)).toBe(1);
    const slow = (await getWebhook(webhook.id)).slowUntil ?? '';
    expect(Date.parse(slow) - clock.now().getTime()).toBe(10_000);
    clock.forward(9);
    expect(await pump(clock)).toBe(0);
    clock.forward(1);
    expect(await pump(clock)).toBe(1);
    expect(Date.parse((await getWebhook(webhook.id)).slowUntil ?? '') - clock.now().getTime()).toBe(20_000);
  });

  it('is left alone as long as its retry-after says, in seconds or as a date, an hour at most', async () => {
    const clock = new TestClock();
    const asks = ['120', new Date(clock.now().getTime() + 240_000).toUTCString(), '999999999'];
    const receiver = await receive(() => ({ status: 503, headers: { 'retry-after': asks.shift() ?? '0' } }));
    await makeWebhook({ url: receiver.url });
    await enqueue([makeEvent()], clock.now());
    await pump(clock);
    for (const pause of [120, 240 - 120]) {
      clock.forward(pause - 1);
      expect(await pump(clock)).toBe(0);
      clock.forward(1);
      // The schedule asks for five minutes by then: the later of the two counts.
      if (pause === 120 && receiver.received.length === 1) expect(await pump(clock)).toBe(1);
    }
    clock.forward(300);
    expect(await pump(clock)).toBe(1);
    clock.forward(3_599);
    expect(await pump(clock)).toBe(0);
    clock.forward(1);
    expect(await pump(clock)).toBe(1);
  });

  it('by a redirect has failed: nobody follows it', async () => {
    const elsewhere = await receive();
    const receiver = await receive(() => ({ status: 302, headers: { location: elsewhere.url } }));
    const webhook = await makeWebhook({ url: receiver.url });
    const clock = new TestClock();
    await enqueue([makeEvent()], clock.now());
    await pump(clock);
    expect(elsewhere.received).toEqual([]);
    const delivery = await onlyDelivery(webhook.id);
    expect(delivery.status).toBe('pending');
    expect(delivery.log[0]?.error).toContain('answered 302, a redirect');
  });

  it('by silence is given up on after the time-out', async () => {
    const receiver = await receive(() => 'hang');
    const webhook = await makeWebhook({ url: receiver.url });
    const clock = new TestClock();
    await enqueue([makeEvent()], clock.now());
    await pump(clock, { timeoutMs: 100 });
    expect((await onlyDelivery(webhook.id)).log[0]).toMatchObject({
      status: null,
      error: 'no whole answer within 100 ms',
    });
  });

  it('by a body without end is read up to a bound, and the log keeps its beginning', async () => {
    const receiver = await receive(() => ({ status: 500, body: 'x'.repeat(1_000_000) }));
    const webhook = await makeWebhook({ url: receiver.url });
    const clock = new TestClock();
    await enqueue([makeEvent()], clock.now());
    await pump(clock);
    expect((await onlyDelivery(webhook.id)).log[0]?.responseBody).toHaveLength(2_048);
  });

  it('for an hour gets every event once it is back, each incident in its order', async () => {
    let down = true;
    const receiver = await receive(() => (down ? 'break' : {}));
    const webhook = await makeWebhook({ url: receiver.url });
    const clock = new TestClock();
    const incidents = Array.from({ length: 24 }, () => uuid());
    for (const incidentId of incidents) {
      for (const type of ['tls.spike.opened', 'tls.spike.resolved'] as const) {
        await enqueue([makeEvent({ incidentId, type })], clock.now());
        await pump(clock);
        clock.forward(75);
      }
    }
    down = false;
    receiver.received.length = 0;
    for (let turn = 0; turn < 100 && (await statesOf(webhook.id)).pending; turn++) {
      clock.forward(120);
      await pump(clock);
    }
    const told = receiver.received.flatMap(eventsOf);
    expect(told.map(({ key }) => key).sort()).toEqual(
      incidents.flatMap((id) => [`${id} tls.spike.opened`, `${id} tls.spike.resolved`]).sort(),
    );
    for (const incidentId of incidents) {
      const types = told.filter((event) => event.key.startsWith(incidentId)).map(({ type }) => type);
      expect(types).toEqual(['tls.spike.opened', 'tls.spike.resolved']);
    }
    expect((await statesOf(webhook.id)).pending).toBeUndefined();
  }, 120_000);
});

/** The events that a message tells of, one or those of a burst. */
function eventsOf(request: Received): { key: string; type: string }[] {
  const { type, data } = bodyOf(request);
  const events: { type: string; data: { id: string } }[] = data.grouped ?? [{ type, data }];
  return events.map((event) => ({ key: `${event.data.id} ${event.type}`, type: event.type }));
}

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
    const counts = receiver.received.map((request) => eventsOf(request).length);
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
    expect(receiver.received.map((request) => eventsOf(request).length)).toEqual([1, BURST_MESSAGES + 1]);
  });

  it('of a thousand incidents in a minute arrives whole, each event once and in its turn, in few messages', async () => {
    const receiver = await receive();
    const webhook = await makeWebhook({ url: receiver.url });
    const clock = new TestClock();
    const expected: string[] = [];
    for (let second = 0; second < 60; second++) {
      const events = Array.from({ length: second < 40 ? 17 : 16 }, () => makeEvent());
      expected.push(...events.map((event) => `${event.incidentId} ${event.type}`));
      await enqueue(events, clock.now());
      await pump(clock);
      clock.forward(1);
    }
    for (let turn = 0; turn < 60; turn++) {
      clock.forward(BURST_SECONDS);
      await pump(clock);
    }
    expect(expected).toHaveLength(1_000);
    // In the order in which they happened: none that came while others waited overtook them.
    expect(receiver.received.flatMap(eventsOf).map(({ key }) => key)).toEqual(expected);
    expect(receiver.received.length).toBeLessThan(100);
    expect(new Set(receiver.received.map(idOf)).size).toBe(receiver.received.length);
    for (const request of receiver.received) {
      expect(Buffer.byteLength(request.body)).toBeLessThan(20_000);
      expect(eventsOf(request).length).toBeLessThanOrEqual(MAX_GROUP);
    }
    expect((await statesOf(webhook.id)).pending).toBeUndefined();
  }, 180_000);
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
});

describe('an attempt whose process died', () => {
  it('comes back when the lease ends, under its id', async () => {
    const receiver = await receive();
    const webhook = await makeWebhook({ url: receiver.url });
    const clock = new TestClock();
    await enqueue([makeEvent()], clock.now());
    // What a process leaves behind that is killed between its request and its commit.
    await getPool().query(
      `update webhook set lease_id = gen_random_uuid(), lease_until = $1::timestamptz + interval '60 s'`,
      [clock.now()],
    );
    expect(await pump(clock)).toBe(0);
    clock.forward(60);
    expect(await pump(clock)).toBe(1);
    expect(await statesOf(webhook.id)).toEqual({ delivered: 1 });
  });

  /** Begins an attempt, as a process does that is killed before the answer; returns in how many seconds the message is back. */
  async function killedAttempt(webhookId: string, clock: TestClock): Promise<number> {
    const lease = await takeLease(webhookId, clock.now());
    const waiting = lease && (await nextMessage(lease, clock.now(), standard));
    if (!lease || !waiting) throw new Error('nothing to send');
    expect(await beginAttempt(lease, waiting, clock.now())).not.toBeNull();
    const { nextAt } = await onlyDelivery(webhookId);
    return (Date.parse(nextAt ?? '') - clock.now().getTime()) / 1_000;
  }

  it('is no failure of the receiver: after ten of them the message still goes out, with all its attempts ahead', async () => {
    let status = 500;
    const receiver = await receive(() => ({ status }));
    const webhook = await makeWebhook({ url: receiver.url });
    const clock = new TestClock();
    await enqueue([makeEvent()], clock.now());
    const pauses: number[] = [];
    for (let kill = 0; kill < 10; kill++) {
      const pause = await killedAttempt(webhook.id, clock);
      pauses.push(pause);
      clock.forward(pause - 1);
      expect(await pump(clock)).toBe(0);
      clock.forward(1);
    }
    expect(pauses).toEqual([60, 60, 60, 60, 60, 120, 240, 480, 960, 1_920]);
    expect(receiver.received).toEqual([]);
    expect(await pump(clock)).toBe(1);
    const failed = await onlyDelivery(webhook.id);
    expect(failed).toMatchObject({
      status: 'pending',
      attempts: 11,
      log: [{ error: 'answered 500' }, ...Array(10).fill({})],
    });
    expect(Date.parse(failed.nextAt ?? '') - clock.now().getTime()).toBe(5_000);
    status = 200;
    clock.forward(5);
    expect(await pump(clock)).toBe(1);
    expect(await onlyDelivery(webhook.id)).toMatchObject({ status: 'delivered', attempts: 12 });
  });

  it('ends its message after 50 of them; replayed, it has as many again', async () => {
    const receiver = await receive();
    const webhook = await makeWebhook({ url: receiver.url });
    const clock = new TestClock();
    await enqueue([makeEvent()], clock.now());
    for (let kill = 0; kill < MAX_CUT_OFFS; kill++) clock.forward(await killedAttempt(webhook.id, clock));
    await pump(clock);
    const failed = await onlyDelivery(webhook.id);
    expect(failed).toMatchObject({ status: 'failed', attempts: 50, nextAt: null });
    expect(receiver.received).toEqual([]);
    await replayDelivery(failed.id, clock.now());
    clock.forward(await killedAttempt(webhook.id, clock));
    await pump(clock);
    expect(await statesOf(webhook.id)).toEqual({ delivered: 1 });
  });
});
