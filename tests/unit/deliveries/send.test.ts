import { afterEach, describe, expect, it, vi } from 'vitest';
import type { HttpOutgoing } from '#server/webhooks/outgoing.ts';
import { send, TIMEOUT_MS } from '#server/webhooks/send.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';

let receiver: Receiver | undefined;
afterEach(() => receiver?.stop());

const outgoing = (url: string): HttpOutgoing => ({ kind: 'http', url, headers: {}, body: '{}', masks: [] });

describe('an attempt', () => {
  it('does not reach a private address, whether given or hidden behind a name', async () => {
    receiver = await startReceiver();
    const literal = await send(outgoing(receiver.url));
    expect(literal).toMatchObject({
      answer: null,
      error: expect.stringContaining('127.0.0.1 is not a public address'),
    });
    const named = new URL(receiver.url);
    named.hostname = 'hook.example.org';
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    const hidden = await send(outgoing(named.href), { resolve });
    expect(hidden.error).toContain('127.0.0.1 is not a public address (loopback)');
    expect(receiver.received).toEqual([]);
  });

  it('does not reach one by mail either', async () => {
    const email = {
      host: '10.0.0.1',
      port: 25,
      secure: false,
      user: null,
      from: 'a@example.org',
      to: ['b@example.org'],
    };
    const sent = await send({ kind: 'mail', settings: email, password: null, headers: {}, subject: 's', body: 'b' });
    expect(sent.error).toContain('10.0.0.1 is not a public address (private)');
  });

  it('whose name is never resolved ends with the time-out', async () => {
    const sent = await send(outgoing('https://hook.example.org/'), {
      timeoutMs: 50,
      resolve: () => new Promise(() => {}),
    });
    expect(sent).toMatchObject({ answer: null, error: 'no answer within 50 ms' });
  });

  it('has 20 seconds where nothing else is said', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      expect(TIMEOUT_MS).toBe(20_000);
      let over = false;
      const sending = send(outgoing('https://hook.example.org/'), { resolve: () => new Promise(() => {}) });
      sending.then(() => {
        over = true;
      });
      await vi.advanceTimersByTimeAsync(19_999);
      expect(over).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      expect((await sending).error).toBe('no answer within 20000 ms');
    } finally {
      vi.useRealTimers();
    }
  });

  it('whose name does not resolve says so', async () => {
    const resolve = () => Promise.reject(new Error('getaddrinfo ENOTFOUND hook.example.org'));
    const sent = await send(outgoing('https://hook.example.org/'), { resolve });
    expect(sent.error).toBe('getaddrinfo ENOTFOUND hook.example.org');
  });
});
