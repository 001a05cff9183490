import { v7 } from 'uuid';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { getPool, getPrisma } from '#server/database.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { allowLoopback, makeWebhook, pump, statesOf, TestClock } from '../support/deliveries.ts';
import { makeDetection, makeEnd, record } from '../support/detections.ts';
import { type Received, type Receiver, startReceiver } from '../support/receiver.ts';
import { makeVantage } from '../support/vantages.ts';

const STORM = 1_000;
/** What the job's transaction may take, ms; some seconds where nothing else is done. */
const LONGEST_MS = 300_000;
/** Ten go out by themselves; the rest in messages of up to 20 kB. */
const MOST_MESSAGES = 60;
const START = '2026-11-21T08:00:00Z';

const vantage = makeVantage('CN-GD', 'telecom');
let database: TestDatabase;
let receiver: Receiver;
let targetIds: string[];
beforeAll(async () => {
  allowLoopback();
  database = await testDatabase([vantage]);
  receiver = await startReceiver();
  targetIds = Array.from({ length: STORM }, () => v7());
  await getPool().query(
    `insert into target (id, name, url, period_seconds, vantages, settings, demo, updated_at)
      select id, 'shop ' || n, 'https://shop.example.org/', 60, '{}', '{}', false, now()
      from unnest($1::uuid[]) with ordinality as t (id, n)`,
    [targetIds],
  );
});
afterAll(async () => {
  await receiver.stop();
  await database.drop();
});

type Told = { type: string; data: { id: string } };

/** What the receiver was told, of one event or of many in a message. Every message came once. */
function toldOf(received: readonly Received[]): Told[] {
  const ids = received.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(ids.length);
  return received.flatMap(({ body }) => {
    const event = JSON.parse(body) as Told & { data: { grouped?: Told[] } };
    return event.data.grouped ?? [event];
  });
}

/** Sends all that is due, and what a burst holds back. */
async function sendAll(clock: TestClock): Promise<void> {
  await pump(clock);
  clock.forward(10);
  await pump(clock);
}

it('1,000 incidents in a minute reach a receiver whole, in few messages', { timeout: 900_000 }, async () => {
  const webhook = await makeWebhook({ url: receiver.url });
  const clock = new TestClock(START);
  const spikes = targetIds.map((targetId) => makeDetection({ targetId, vantage, at: clock.now() }));
  const begun = performance.now();
  await record(spikes, [], clock.now());
  const recorded = performance.now();
  await sendAll(clock);
  const sent = performance.now();
  clock.forward(2_100);
  await record(
    [],
    spikes.map((spike) => makeEnd(spike, vantage, clock.now())),
    clock.now(),
  );
  const ended = performance.now();
  const opening = receiver.received.length;
  await sendAll(clock);

  const told = toldOf(receiver.received);
  const of = (type: string) => told.filter((event) => event.type === type).map(({ data }) => data.id);
  const ids = (await getPrisma().incident.findMany({ select: { id: true } })).map(({ id }) => id).sort();
  expect(ids).toHaveLength(STORM);
  expect(of('tls.spike.opened').sort()).toEqual(ids);
  expect(of('tls.spike.resolved').sort()).toEqual(ids);
  expect(told).toHaveLength(2 * STORM);
  expect(opening).toBeLessThanOrEqual(MOST_MESSAGES);
  expect(receiver.received.length - opening).toBeLessThanOrEqual(MOST_MESSAGES);
  expect((await statesOf(webhook.id)).pending).toBeUndefined();
  expect(await getPrisma().incident.count({ where: { status: 'resolved' } })).toBe(STORM);
  const seconds = { record: recorded - begun, send: sent - recorded, end: ended - sent };
  for (const ms of Object.values(seconds)) expect(ms, JSON.stringify(seconds)).toBeLessThan(LONGEST_MS);
});
