import { afterEach, describe, expect, it } from 'vitest';
import { WebhookCreate } from '#contract/webhook.ts';
import { getPrisma } from '#server/database/database.ts';
import { getDelivery, listDeliveries } from '#server/webhooks/deliveries.ts';
import { pointDemoWebhook } from '#server/webhooks/demo-receiver.ts';
import { createWebhook, deleteWebhook, listWebhooks, updateWebhook } from '#server/webhooks/webhooks.ts';
import { enqueue, makeEvent, pump, statesOf, TestClock } from '../support/deliveries.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

// The environment is as a user's: loopback is refused to every webhook but the demo's own.
const receivers: Receiver[] = [];
delete process.env.ROUNDTRIP_ALLOW_PRIVATE_TARGETS;
process.env.ROUNDTRIP_SECRET = 'a secret of the tests, and of them alone';
prepareTestDatabase();
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.stop();
});

async function receive(): Promise<Receiver> {
  const receiver = await startReceiver();
  receivers.push(receiver);
  return receiver;
}
const onlyWebhook = async () => {
  const { data } = await listWebhooks({ limit: 10 }, 'editor');
  expect(data).toHaveLength(1);
  return data[0]?.id ?? '';
};
const tell = async (clock: TestClock) => {
  await enqueue([makeEvent({ demo: true })], clock.now());
  await pump(clock);
};

describe("the demo's webhook", () => {
  it('reaches the receiver on this machine, at each start where that then is, and is one', async () => {
    const clock = new TestClock(new Date().toISOString());
    const first = await receive();
    await pointDemoWebhook(first.url);
    await tell(clock);
    expect(first.received.map(({ body }) => JSON.parse(body).type)).toEqual(['tls.spike.opened']);
    const second = await receive();
    await pointDemoWebhook(second.url);
    await tell(clock);
    expect([first.received.length, second.received.length]).toEqual([1, 1]);
    expect(await statesOf(await onlyWebhook())).toEqual({ delivered: 2 });
  });

  it('does not wait at a new port for what failed at the old one', async () => {
    const clock = new TestClock(new Date().toISOString());
    const id = await onlyWebhook();
    await getPrisma().webhook.update({
      where: { id },
      data: { slowUntil: new Date(clock.now().getTime() + 3_600_000), failures: 7 },
    });
    const receiver = await receive();
    await pointDemoWebhook(receiver.url);
    await tell(clock);
    expect(receiver.received).toHaveLength(1);
  });

  it('reaches nothing else on this machine when its address was changed', async () => {
    const clock = new TestClock(new Date().toISOString());
    const [own, other] = [await receive(), await receive()];
    await pointDemoWebhook(own.url);
    const id = await onlyWebhook();
    await updateWebhook(id, { url: other.url });
    await tell(clock);
    expect(other.received).toEqual([]);
    const [last] = (await listDeliveries(id, { limit: 10 })).data;
    expect((await getDelivery(last?.id ?? '')).log[0]?.error).toMatch(/127\.0\.0\.1 is not a public address/);
  });

  it('is alone in that: another webhook to the same address is refused', async () => {
    const { url } = await receive();
    await pointDemoWebhook(url);
    const other = createWebhook(WebhookCreate.parse({ format: 'standard', url }));
    await expect(other).rejects.toMatchObject({ code: 'invalid' });
  });

  it('stays removed', async () => {
    await deleteWebhook(await onlyWebhook());
    await pointDemoWebhook((await receive()).url);
    expect((await listWebhooks({ limit: 10 })).data).toEqual([]);
  });
});
