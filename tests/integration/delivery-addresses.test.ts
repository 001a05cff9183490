import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { SMTPServer } from 'smtp-server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MOST_CONNECT_MS } from '#server/webhooks/connect.ts';
import { type DeafPort, deafPort } from '../support/deaf-port.ts';
import { enqueue, lastDelivery, makeEvent, makeWebhook, pump, TestClock } from '../support/deliveries.ts';
import { isLong } from '../support/extent.ts';
import { prepareOutbox } from '../support/outbox.ts';
import { createAuthority, issue } from '../support/pki.ts';

// A name with several addresses, some of which are broken. The receiver that works is always on 127.0.0.1.

const { receive } = prepareOutbox();

const servers: (Server | DeafPort)[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function listen(server: Server, host: string, port = 0): Promise<number> {
  servers.push(server);
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const resolveTo =
  (...addresses: string[]) =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

/** Sends one message to this webhook, whose name has these addresses, in so many attempts; answers its delivery. */
async function sendTo(input: Parameters<typeof makeWebhook>[0], addresses: string[], timeoutMs?: number, attempts = 1) {
  const webhook = await makeWebhook(input);
  const clock = TestClock.fromNow();
  await enqueue([makeEvent()], clock.now());
  for (let left = attempts; left > 0; left--) {
    await pump(clock, { resolve: resolveTo(...addresses), ...(timeoutMs && { timeoutMs }) });
    clock.forward(3_600);
  }
  return await lastDelivery(webhook.id);
}

const named = (port: number | string, scheme = 'http') => `${scheme}://hook.example.org:${port}/hook`;

describe('a webhook', () => {
  it('whose name has a first address where nobody listens is sent to the next one, once', async () => {
    const receiver = await receive();
    const { port } = new URL(receiver.url);
    const delivery = await sendTo({ url: named(port) }, ['::1', '127.0.0.1']);
    expect(delivery).toMatchObject({ status: 'delivered', attempts: 1 });
    expect(receiver.received).toHaveLength(1);
    expect(receiver.received[0]?.headers.host).toBe(`hook.example.org:${port}`);
  });

  it('whose first addresses are silent is sent to the next one within the time of one attempt', async () => {
    const receiver = await receive();
    const port = Number(new URL(receiver.url).port);
    for (const host of ['127.0.0.2', '127.0.0.3']) servers.push(await deafPort({ host, port }));
    const delivery = await sendTo({ url: named(port) }, ['127.0.0.2', '127.0.0.3', '127.0.0.1'], 1_200);
    expect(delivery).toMatchObject({ status: 'delivered', attempts: 1 });
    expect(receiver.received).toHaveLength(1);
  });

  it.runIf(isLong)('gives a silent address up after three seconds where there is more time', async () => {
    expect(MOST_CONNECT_MS).toBe(3_000);
    const receiver = await receive();
    const port = Number(new URL(receiver.url).port);
    servers.push(await deafPort({ host: '127.0.0.2', port }));
    const { log } = await sendTo({ url: named(port) }, ['127.0.0.2', '127.0.0.1']);
    expect(log[0]?.status).toBe(200);
    expect(log[0]?.durationMs).toBeGreaterThanOrEqual(MOST_CONNECT_MS - 1);
    expect(log[0]?.durationMs).toBeLessThan(2 * MOST_CONNECT_MS);
  });

  it('whose first address breaks off TLS, or has the certificate of another, is sent to the next one', async () => {
    const authority = await createAuthority({ name: 'Known to this process', key: 'ec' });
    const before = getCACertificates('default');
    setDefaultCACertificates([...before, authority.certPem]);
    try {
      let taken = 0;
      const serverFor = async (name: string) => {
        const { chainPem, keyPem } = await issue(authority, { names: [name] });
        return createTlsServer({ cert: chainPem, key: keyPem }, (request, response) => {
          taken++;
          request.resume().on('end', () => response.end());
        });
      };
      const port = await listen(await serverFor('hook.example.org'), '127.0.0.1');
      await listen(
        createServer((socket) => socket.destroy()),
        '127.0.0.2',
        port,
      );
      await listen(await serverFor('other.example.org'), '127.0.0.3', port);
      const delivery = await sendTo({ url: named(port, 'https') }, ['127.0.0.2', '127.0.0.3', '127.0.0.1']);
      expect(delivery).toMatchObject({ status: 'delivered', attempts: 1 });
      expect(taken).toBe(1);
    } finally {
      setDefaultCACertificates(before);
    }
  });

  it('that was written to one address is not sent to another in the same attempt', async () => {
    const receiver = await receive();
    const port = Number(new URL(receiver.url).port);
    const reset = createServer((socket: Socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.resetAndDestroy());
    });
    await listen(reset, '127.0.0.2', port);
    const delivery = await sendTo({ url: named(port) }, ['127.0.0.2', '127.0.0.1']);
    expect(delivery).toMatchObject({ status: 'pending', attempts: 1 });
    expect(delivery.log[0]?.error).toMatch(/^the connection was closed before an answer/);
    expect(receiver.received).toEqual([]);
  });

  it('whose first address takes connections and closes them is sent to the next one later, once', async () => {
    const receiver = await receive();
    const port = Number(new URL(receiver.url).port);
    await listen(
      createServer((socket) => socket.on('error', () => {}).destroy()),
      '127.0.0.2',
      port,
    );
    const delivery = await sendTo({ url: named(port) }, ['127.0.0.2', '127.0.0.1'], undefined, 2);
    expect(delivery).toMatchObject({ status: 'delivered', attempts: 2 });
    expect(receiver.received).toHaveLength(1);
  });

  it('none of whose addresses can be connected to says why for each', async () => {
    const server = createServer();
    const port = await listen(server, '127.0.0.1');
    servers.pop();
    await new Promise((resolve) => server.close(resolve));
    servers.push(await deafPort({ host: '127.0.0.2', port }));
    const { log } = await sendTo({ url: named(port) }, ['127.0.0.2', '127.0.0.1'], 900);
    const refused = `nothing listens there (connect ECONNREFUSED 127.0.0.1:${port})`;
    expect(log[0]?.error).toBe(`127.0.0.2 did not answer within 300 ms; ${refused}`);
  });
});

describe('a mail', () => {
  const mails: string[] = [];
  let smtp: SMTPServer;
  beforeEach(async () => {
    mails.length = 0;
    smtp = new SMTPServer({
      disabledCommands: ['STARTTLS', 'AUTH'],
      onData: (stream, _session, done) => {
        let source = '';
        stream.on('data', (chunk: Buffer) => {
          source += chunk.toString();
        });
        stream.on('end', () => done(null, String(mails.push(source))));
      },
    });
    await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => new Promise<void>((resolve) => smtp.close(() => resolve())));

  const portOf = ({ server }: SMTPServer) => (server.address() as AddressInfo).port;
  const mailTo = (port: number) => {
    const [from, to] = ['rt@example.org', ['ops@example.org']];
    const email = { host: 'smtp.example.org', port, secure: false, user: null, from, to };
    return { format: 'email' as const, settings: { email, contentType: 'application/json', labels: {} } };
  };

  it.each([
    ['where nobody listens', '::1'],
    ['that is silent', '127.0.0.2'],
  ])('whose server has a first address %s is handed to the next one, once', async (_, first) => {
    const port = portOf(smtp);
    servers.push(await deafPort({ host: '127.0.0.2', port }));
    const delivery = await sendTo(mailTo(port), [first, '127.0.0.1'], 3_000);
    expect(delivery).toMatchObject({ status: 'delivered', attempts: 1 });
    expect(mails).toHaveLength(1);
  });

  it.each<[string, (socket: Socket) => void]>([
    ['closes', (socket) => socket.end()],
    ['says nothing', () => {}],
    ['greets with a refusal', (socket) => socket.end('554 no mail here\r\n')],
    ['closes once it was greeted', (socket) => socket.on('data', () => socket.end()).write('220 here\r\n')],
  ])(
    'whose server has a first address that takes connections and %s is handed to the next one later, once',
    async (_, how) => {
      const port = portOf(smtp);
      await listen(createServer(how), '127.0.0.2', port);
      const delivery = await sendTo(mailTo(port), ['127.0.0.2', '127.0.0.1'], 1_000, 2);
      expect(delivery).toMatchObject({ status: 'delivered', attempts: 2 });
      expect(mails).toHaveLength(1);
    },
  );
});
