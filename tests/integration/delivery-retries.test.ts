import { v7 as uuid } from 'uuid';
import { describe, expect, it } from 'vitest';
import { getPool } from '#server/database/database.ts';
import { beginAttempt } from '#server/webhooks/attempt.ts';
import { replayDelivery } from '#server/webhooks/deliveries.ts';
import { standard } from '#server/webhooks/formats/standard.ts';
import { takeLease } from '#server/webhooks/lease.ts';
import { MAX_CUT_OFFS, RETRY_SECONDS } from '#server/webhooks/outcome.ts';
import { nextMessage } from '#server/webhooks/queue.ts';
import { getWebhook, updateWebhook } from '#server/webhooks/webhooks.ts';
import {
  enqueue,
  eventsTold,
  idOf,
  makeEvent,
  makeWebhook,
  onlyDelivery,
  pump,
  statesOf,
  TestClock,
} from '../support/deliveries.ts';
import { extent, isLong } from '../support/extent.ts';
import { prepareOutbox } from '../support/outbox.ts';

const { receive } = prepareOutbox();

describe('a receiver that fails', () => {
  it.runIf(isLong)('is tried on the schedule, under one id and with one body, and then no more', async () => {
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
      error: 'no answer within 100 ms',
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
    // In an hour of them: eight, or 24.
    const pause = extent(225, 75);
    const incidents = Array.from({ length: 1_800 / pause }, () => uuid());
    for (const incidentId of incidents) {
      for (const type of ['tls.spike.opened', 'tls.spike.resolved'] as const) {
        await enqueue([makeEvent({ incidentId, type })], clock.now());
        await pump(clock);
        clock.forward(pause);
      }
    }
    down = false;
    receiver.received.length = 0;
    for (let turn = 0; turn < 100 && (await statesOf(webhook.id)).pending; turn++) {
      clock.forward(120);
      await pump(clock);
    }
    const told = receiver.received.flatMap(eventsTold);
    expect(told.map(({ key }) => key).sort()).toEqual(
      incidents.flatMap((id) => [`${id} tls.spike.opened`, `${id} tls.spike.resolved`]).sort(),
    );
    for (const incidentId of incidents) {
      const types = told.filter((event) => event.key.startsWith(incidentId)).map(({ type }) => type);
      expect(types).toEqual(['tls.spike.opened', 'tls.spike.resolved']);
    }
    expect((await statesOf(webhook.id)).pending).toBeUndefined();
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
