import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Receiver, startReceiver } from '#demo/receiver.ts';

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

const send = (id: string, body: string) => fetch(receiver.url, { method: 'POST', headers: { 'webhook-id': id }, body });
const shown = async () => (await fetch(receiver.url)).text();

describe("the demo's receiver", () => {
  it('takes messages and shows the last first, a repeated one once', async () => {
    expect(await shown()).toMatch(/^No message/);
    for (const id of ['msg_1', 'msg_1', 'msg_2']) {
      expect((await send(id, JSON.stringify({ type: 'tls.spike.opened', data: { id } }))).status).toBe(204);
    }
    const page = await shown();
    expect(page.match(/tls\.spike\.opened {2}msg_\d/g)).toEqual(['tls.spike.opened  msg_2', 'tls.spike.opened  msg_1']);
  });

  it('remembers fifty, and refuses a body of more than a million bytes', async () => {
    for (let n = 0; n < 60; n++) await send(`msg_more_${n}`, '{}');
    expect((await shown()).match(/msg_more_/g)).toHaveLength(50);
    expect((await send('msg_long', 'x'.repeat(1_000_001))).status).toBe(413);
    expect(await shown()).not.toContain('msg_long');
  });
});
