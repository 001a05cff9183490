import { afterAll, beforeAll, expect, it } from 'vitest';
import { MeasurementCreate } from '#contract/measurement.ts';
import { TargetCreate } from '#contract/target.ts';
import { WebhookCreate } from '#contract/webhook.ts';
import { allowsPrivateAddresses, changePrivateAddresses } from '#server/access/private-addresses.ts';
import { createMeasurement } from '#server/measurements/measurements.ts';
import { createTarget, updateTarget } from '#server/targets/targets.ts';
import { assignmentsSince } from '#server/vantages/assignments.ts';
import { enrolVantages, exchangeToken } from '#server/vantages/enrolments.ts';
import { authenticateProber } from '#server/vantages/probers.ts';
import { testDraft } from '#server/webhooks/preview.ts';
import { createWebhook } from '#server/webhooks/webhooks.ts';
import { testDatabase } from '../support/database.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

process.env.ROUNDTRIP_SECRET = 'a secret of the tests, and of them alone';
delete process.env.ROUNDTRIP_ALLOW_PRIVATE_TARGETS;

let drop: () => Promise<void>;
let receiver: Receiver;
beforeAll(async () => {
  ({ drop } = await testDatabase([]));
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.stop();
  await drop();
});

const LOOPBACK = 'https://127.0.0.1:8443/';
const target = (url: string) => createTarget(TargetCreate.parse({ url }));
const webhook = () => WebhookCreate.parse({ format: 'standard', url: receiver.url });
const measurement = () =>
  createMeasurement(MeasurementCreate.parse({ url: LOOPBACK }), { name: 'ci', limitBy: 'key:ci', viewer: 'editor' });

async function enrolledProber() {
  const place = { country: 'CN', region: 'CN-GD', city: null, carrier: 'telecom', asn: null, access: 'idc' } as const;
  const { token } = await enrolVantages([{ name: 'Canton', ...place }]);
  const { credential } = await exchangeToken({ token, engineVersion: 1 });
  return authenticateProber(`Bearer ${credential}`);
}

it('private addresses are refused until the settings allow them, and probers hear of both', async () => {
  const prober = await enrolledProber();
  const { id } = await target('https://a.example/');
  const refused = {
    code: 'invalid',
    fields: [{ message: expect.stringContaining('allow private addresses in Settings') }],
  };
  for (const make of [() => target(LOOPBACK), () => updateTarget(id, { url: LOOPBACK }), measurement])
    await expect(make()).rejects.toMatchObject(refused);
  await expect(createWebhook(webhook())).rejects.toMatchObject(refused);
  await expect(testDraft(webhook())).rejects.toMatchObject(refused);
  const first = await assignmentsSince(prober, null);
  expect(first.checks).toMatchObject([{ allowPrivate: false }]);

  await changePrivateAddresses(true);
  const next = await assignmentsSince(prober, first.revision);
  expect(next).toMatchObject({ full: true, checks: [{ id: first.checks[0]?.id, allowPrivate: true }] });
  expect(await updateTarget(id, { url: LOOPBACK })).toMatchObject({ url: LOOPBACK });
  await measurement();
  expect(await testDraft(webhook())).toBeNull();
  expect(receiver.received).toHaveLength(1);
  await createWebhook(webhook());

  await changePrivateAddresses(false);
  expect(await allowsPrivateAddresses()).toBe(false);
  // One that was answered while the setting changed hears of it at its next poll, whatever else it was told meanwhile.
  const last = await assignmentsSince(prober, next.revision);
  expect(last.checks).toMatchObject([{ url: LOOPBACK, allowPrivate: false }]);
  expect(await assignmentsSince(prober, last.revision)).toMatchObject({ full: false, checks: [] });
  await expect(target(LOOPBACK)).rejects.toMatchObject(refused);
});
