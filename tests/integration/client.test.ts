import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerOf, createClient, ProblemError, type RoundtripClient } from '#client/client.ts';
import {
  acknowledge,
  advice,
  csvSince,
  makeTarget,
  makeWebhook,
  markDeployment,
  openIncidents,
  probeNow,
  tlsTimes,
  verdictOf,
  weekByCarrier,
} from '#client/examples.ts';
import { computeDue } from '#server/comparisons/compute.ts';
import { drainRollups } from '#server/rollups/rollups.ts';
import { type ApiUnderTest, startApi } from '../support/api.ts';
import { storeTls13 } from '../support/compared.ts';
import { MINUTE } from '../support/comparing.ts';
import { allowLoopback, pump, TestClock } from '../support/deliveries.ts';
import { storeIncident } from '../support/incident-of.ts';
import { ProberBench } from '../support/prober-scene.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startTlsTarget, type TlsTarget } from '../support/tls-target.ts';

// The jobs of client/examples.ts against a real server. The server of the shop went from TLS 1.2 to 1.3 at a time within the last
// two hours, and was probed every minute from 20 minutes before until 20 minutes after.

const changedAt = Math.floor(Date.now() / MINUTE) * MINUTE - 60 * MINUTE;
const iso = (minutes: number) => new Date(changedAt + minutes * MINUTE).toISOString();
const [MINUTES, VANTAGES] = [40, 5];

let api: ApiUnderTest;
let client: RoundtripClient;
let receiver: Receiver;
let origin: TlsTarget;
let shop: string;
let incidentId: string;
beforeAll(async () => {
  allowLoopback();
  [receiver, origin] = await Promise.all([startReceiver(), startTlsTarget()]);
  api = await startApi({ ROUNDTRIP_ALLOW_PRIVATE_TARGETS: '1' });
  client = createClient({ server: api.server.baseUrl, key: api.keys.write });
  const { targetId, vantages } = await storeTls13({ at: changedAt, name: 'shop' });
  shop = targetId;
  await drainRollups({ settled: true });
  const [vantage] = vantages;
  if (vantage) incidentId = await storeIncident({ targetId, vantage });
}, 300_000);
afterAll(async () => {
  await Promise.all([receiver?.stop(), origin?.close(), api?.stop()]);
});

describe('a program, by the client,', () => {
  it('makes a target, once however often it asks', async () => {
    const made = await makeTarget(client, 'https://pay.example.org/', 'pay-1');
    expect(made).toMatchObject({
      name: 'pay.example.org',
      tags: ['front'],
      vantages: { carriers: ['telecom', 'unicom'] },
    });
    expect((await makeTarget(client, 'https://pay.example.org/', 'pay-1')).id).toBe(made.id);
    await expect(makeTarget(client, 'https://other.example.org/', 'pay-1')).rejects.toMatchObject({ status: 422 });
  });

  it('reads the results of an hour', async () => {
    const times = await tlsTimes(client, shop, iso(-30));
    expect(times).toHaveLength(MINUTES * VANTAGES);
    // The farthest vantage has a round trip of 71 ms.
    expect(Math.max(...times.map(Number))).toBeCloseTo(2 * 71 + 1, -1);
  });

  it('reads p95 of the TLS time of a week by carrier, one number each', async () => {
    expect(await weekByCarrier(client, shop)).toEqual({
      telecom: expect.closeTo(2 * 47 + 1, -1),
      unicom: expect.closeTo(2 * 71 + 1, -1),
      mobile: expect.closeTo(2 * 34 + 1, -1),
    });
  });

  it('lists open incidents and acknowledges one', async () => {
    expect((await openIncidents(client)).map(({ id }) => id)).toEqual([incidentId]);
    expect(await acknowledge(client, incidentId, 'rolling back')).toMatchObject({ status: 'acknowledged' });
    expect(await openIncidents(client)).toEqual([]);
  });

  it('marks a deployment and reads what it changed', async () => {
    const id = (await markDeployment(client, shop, 'TLS 1.3', iso(0))) ?? '';
    expect(await verdictOf(client, id)).toBeNull();
    await computeDue();
    expect(await verdictOf(client, id)).toMatchObject({ direction: 'faster', shiftMs: expect.any(Number) });
  });

  it('reads advice', async () => {
    const [first] = await advice(client, shop, { from: iso(-20), to: iso(0) });
    expect(first).toMatchObject({ title: expect.any(String), savesMs: expect.any(Number) });
  });

  it('makes a webhook, tests it, and verifies what arrives', async () => {
    const { secret, deliveryId } = await makeWebhook(client, receiver.url);
    await pump(TestClock.fromNow());
    const [message] = await receiver.next(1);
    const verified = new Webhook(secret ?? '').verify(message?.body ?? '', message?.headers as Record<string, string>);
    expect(verified).toMatchObject({ type: 'webhook.test' });
    const params = { path: { id: deliveryId } };
    const delivery = await answerOf(client.GET('/api/v1/deliveries/{id}', { params }));
    expect(delivery).toMatchObject({ status: 'delivered', log: [{ status: 200 }] });
  });

  it('exports results as CSV', async () => {
    const [header, ...lines] = (await new Response(await csvSince(client, shop, iso(-20))).text())
      .trimEnd()
      .split('\r\n');
    expect(header).toMatch(/^id,.*,phases\.tls,/);
    expect(lines).toHaveLength(MINUTES * VANTAGES);
  });

  it('probes an address now, from a vantage that it enrolled', async () => {
    const admin = createClient({ server: api.server.baseUrl, key: api.keys.admin });
    const place = { name: 'the test machine', region: 'CN-GD', carrier: 'telecom' };
    const { token, vantage } = await answerOf(admin.POST('/api/v1/enrolments', { body: place }));
    const bench = new ProberBench({ url: api.server.baseUrl, token });
    bench.spawn();
    const params = { path: { id: vantage.id } };
    const seen = async () => (await answerOf(client.GET('/api/v1/vantages/{id}', { params }))).lastSeenAt;
    try {
      await expect.poll(seen).not.toBeNull();
      const { url, settings } = origin.check();
      const id = await probeNow(client, { url, vantageIds: [vantage.id], settings: { caPem: settings.caPem } });
      const read = () => answerOf(client.GET('/api/v1/measurements/{id}', { params: { path: { id } } }));
      await expect.poll(async () => (await read()).finished).toBe(true);
      expect((await read()).vantages[0]?.result?.phases.tls).toBeGreaterThan(0);
    } finally {
      await bench.stop();
      bench.remove();
    }
  });

  it('is told by a problem what is wrong', async () => {
    const refused = acknowledge(client, shop, 'no incident');
    await expect(refused).rejects.toThrow(ProblemError);
    await expect(refused).rejects.toMatchObject({ status: 404, problem: { type: 'urn:roundtrip:problem:not-found' } });
    await expect(openIncidents(createClient({ server: api.server.baseUrl }))).rejects.toMatchObject({ status: 401 });
  });
});
