import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect, it } from 'vitest';
import { enqueue, makeEvent, makeWebhook, onlyDelivery, pump, TestClock } from '../support/deliveries.ts';
import { prepareOutbox } from '../support/outbox.ts';
import { createAuthority, issue } from '../support/pki.ts';

// Receivers that take the message and answer 200 in HTTP that curl takes. tests/unit/deliveries/hostile.test.ts has more of them.

prepareOutbox();

const TAKEN = '{"code": 0}';
const lines = (...all: string[]) => all.map((line) => `${line}\r\n`).join('');
const ANSWERS: [string, string, ('reset' | 'stay')?][] = [
  ['folds a header', lines('HTTP/1.1 200 OK', 'x-a: b', ' folded', 'content-length: 11', '') + TAKEN],
  ['ends its lines with LF alone', `HTTP/1.1 200 OK\ncontent-length: 11\n\n${TAKEN}`],
  ['has bytes behind the body', `${lines('HTTP/1.1 200 OK', 'content-length: 11', '') + TAKEN}\n<!-- -->`],
  [
    'has both lengths',
    lines('HTTP/1.1 200 OK', 'content-length: 11', 'transfer-encoding: chunked', '', 'b', TAKEN, '0', ''),
  ],
  ['resets the connection in the body', lines('HTTP/1.1 200 OK', 'content-length: 100', '') + TAKEN, 'reset'],
  ['never ends its body', lines('HTTP/1.1 200 OK', 'content-length: 100', '') + TAKEN, 'stay'],
];

for (const scheme of ['http', 'https'] as const)
  it.each(ANSWERS)(`a receiver over ${scheme} that %s gets its message once`, async (_, answer, end) => {
    const authority = await createAuthority({ name: 'Known to this process', key: 'ec' });
    const { chainPem, keyPem } = await issue(authority, { names: ['hook.example.org'] });
    const requests: string[] = [];
    let raw: Socket | undefined;
    const receive = (socket: Socket) => {
      let request = '';
      socket.on('error', () => {});
      socket.on('data', (bytes) => {
        request += bytes.toString();
        const [head = '', body = ''] = request.split('\r\n\r\n');
        if (Buffer.byteLength(body) < Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Number.POSITIVE_INFINITY))
          return;
        requests.push(request);
        socket.write(answer, () => {
          if (end === 'reset') setImmediate(() => raw?.resetAndDestroy());
          else if (end !== 'stay') socket.end();
        });
      });
    };
    const server =
      scheme === 'http' ? createServer(receive) : createTlsServer({ cert: chainPem, key: keyPem }, receive);
    server.on('connection', (connection: Socket) => {
      raw = connection.on('error', () => {});
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const before = getCACertificates('default');
    setDefaultCACertificates([...before, authority.certPem]);
    try {
      const { port } = server.address() as AddressInfo;
      // A robot says in the body that it took the message.
      const webhook = await makeWebhook({ format: 'feishu', url: `${scheme}://hook.example.org:${port}/` });
      const clock = TestClock.fromNow();
      await enqueue([makeEvent()], clock.now());
      const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
      for (const pause of [0, 5, 300, 1_800]) {
        clock.forward(pause);
        await pump(clock, { resolve, timeoutMs: 1_000 });
      }
      expect(requests).toHaveLength(1);
      const delivery = await onlyDelivery(webhook.id);
      expect(delivery).toMatchObject({ status: 'delivered', attempts: 1 });
      expect(delivery.log[0]).toMatchObject({ status: 200, error: null, responseBody: TAKEN });
    } finally {
      setDefaultCACertificates(before);
      await new Promise((resolve) => server.close(resolve));
    }
  });
