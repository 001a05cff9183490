import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enqueue, lastDelivery, makeEvent, makeWebhook, pump, TestClock } from '../support/deliveries.ts';
import { prepareOutbox } from '../support/outbox.ts';

prepareOutbox();

describe('mail', () => {
  type Mail = { from: string; to: string[]; source: string };
  const mails: Mail[] = [];
  let refuse = false;
  const smtp = new SMTPServer({
    authOptional: false,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) =>
      username === 'ops' && password === 'p4ss'
        ? done(null, { user: username })
        : done(new Error('535 wrong password')),
    onRcptTo: ({ address }, _session, done) =>
      address === 'gone@example.org'
        ? done(Object.assign(new Error('no such mailbox'), { responseCode: 550 }))
        : done(),
    onData: (stream, session, done) => {
      let source = '';
      stream.on('data', (chunk: Buffer) => {
        source += chunk.toString();
      });
      stream.on('end', () => {
        if (refuse) return done(Object.assign(new Error('mailbox full'), { responseCode: 452 }));
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({ from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address), source });
        done();
      });
    },
  });
  let port = 0;
  beforeAll(async () => {
    await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
    port = (smtp.server.address() as AddressInfo).port;
  });
  afterAll(() => new Promise<void>((resolve) => smtp.close(() => resolve())));

  const make = (secret: string, to = ['a@example.org', 'b@example.org']) =>
    makeWebhook({
      format: 'email',
      secret,
      settings: {
        email: {
          host: '127.0.0.1',
          port,
          secure: false,
          user: 'ops',
          from: 'rt@example.org',
          to,
        },
        contentType: 'application/json',
        labels: {},
      },
    });

  it('reaches all recipients by SMTP, once, with one Message-ID over its attempts', async () => {
    const webhook = await make('p4ss');
    const clock = TestClock.fromNow();
    await enqueue([makeEvent()], clock.now());
    refuse = true;
    await pump(clock);
    expect((await lastDelivery(webhook.id)).log[0]).toMatchObject({ status: 452, error: 'answered 452' });
    refuse = false;
    clock.forward(5);
    await pump(clock);
    expect(mails).toHaveLength(1);
    const { messageId, status } = await lastDelivery(webhook.id);
    expect(status).toBe('delivered');
    expect(mails[0]).toMatchObject({ from: 'rt@example.org', to: ['a@example.org', 'b@example.org'] });
    expect(mails[0]?.source).toContain(`Message-ID: <${messageId}@example.org>`);
    expect(mails[0]?.source).toMatch(/Subject: \[Roundtrip\] Spike: shop\.example\.org/);
  });

  it('that one of its recipients refuses is sent once to the others, and the log names who refused', async () => {
    const before = mails.length;
    const webhook = await make('p4ss', ['a@example.org', 'gone@example.org']);
    const clock = TestClock.fromNow();
    await enqueue([makeEvent()], clock.now());
    await pump(clock);
    expect(mails.slice(before).map(({ to }) => to)).toEqual([['a@example.org']]);
    const delivery = await lastDelivery(webhook.id);
    expect(delivery.status).toBe('delivered');
    expect(delivery.log[0]?.responseBody).toMatch(/^250 .*; refused for gone@example\.org$/);
  });

  it('that all its recipients refuse has failed', async () => {
    const webhook = await make('p4ss', ['gone@example.org']);
    const clock = TestClock.fromNow();
    await enqueue([makeEvent()], clock.now());
    await pump(clock);
    expect((await lastDelivery(webhook.id)).log[0]).toMatchObject({ status: 550, error: 'answered 550' });
  });

  it('with a wrong password has failed, and says so', async () => {
    const webhook = await make('wrong');
    const clock = TestClock.fromNow();
    await enqueue([makeEvent()], clock.now());
    await pump(clock);
    expect((await lastDelivery(webhook.id)).log[0]).toMatchObject({ status: 535 });
  });
});
