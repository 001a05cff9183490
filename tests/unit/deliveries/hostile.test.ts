import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import type { HttpOutgoing } from '#server/webhooks/outgoing.ts';
import { MAX_ANSWER_BYTES, type SendOptions, type Sent, send } from '#server/webhooks/send.ts';
import { createAuthority, type Issued, issue } from '../../support/pki.ts';

// Receivers that behave badly, byte by byte on the wire. The attempt's error is what the delivery's log shows.

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

const outgoing = (url: string): HttpOutgoing => ({ kind: 'http', url, headers: {}, body: '{}', masks: [] });

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** What comes of an attempt at a server that treats its connections so, once they have asked. */
async function attempt(behave: (socket: Socket) => void, options: SendOptions = {}): Promise<Sent> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => behave(socket));
  });
  const port = await listen(server);
  return await send(outgoing(`http://127.0.0.1:${port}/`), { allowPrivate: true, ...options });
}

/** Writes this again and again until the connection is gone. */
function drip(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 5);
  socket.on('close', () => clearInterval(timer));
}

describe('a receiver', () => {
  it.each([
    ['headers', 'x-slow: '],
    ['body', 'content-length: 1000000\r\n\r\n'],
  ])('that sends its %s byte by byte is given up on after the time-out: it has said its status', async (_, begun) => {
    const sent = await attempt(
      (socket) => {
        socket.write(`HTTP/1.1 503 Busy\r\n${begun}`);
        drip(socket, 'a');
      },
      { timeoutMs: 200 },
    );
    expect(sent).toMatchObject({ error: null, answer: { status: 503 } });
    expect(sent.durationMs).toBeGreaterThanOrEqual(199);
    expect(sent.durationMs).toBeLessThan(2_000);
  });

  it.each(['', 'HTTP/1.1 20', 'HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103 Early Hints\r\nlink: '])(
    'that says no more than "%s" has not answered within the time-out',
    async (begun) => {
      const sent = await attempt((socket) => socket.write(begun || '\r\n'), { timeoutMs: 200 });
      expect(sent).toMatchObject({ answer: null, error: 'no answer within 200 ms' });
    },
  );

  it.each([200, 500])('that answers %i with a gigabyte is read up to the bound and left', async (status) => {
    const gigabyte = 1_000_000_000;
    let written = 0;
    const { promise: left, resolve } = Promise.withResolvers<void>();
    const sent = await attempt((socket) => {
      socket.on('close', () => resolve());
      socket.write(`HTTP/1.1 ${status} X\r\ncontent-length: ${gigabyte}\r\n\r\n`);
      const chunk = Buffer.alloc(65_536, 'x');
      const pour = () => {
        while (!socket.destroyed && written < gigabyte) {
          written += chunk.length;
          if (!socket.write(chunk)) return socket.once('drain', pour);
        }
      };
      pour();
    });
    await left;
    expect(sent).toMatchObject({ error: null, answer: { status } });
    expect(sent.answer?.body).toHaveLength(MAX_ANSWER_BYTES);
    // What the two kernels and the server's own queue hold, and far from all.
    expect(written).toBeLessThan(50_000_000);
  });

  it('that closes without a word or speaks no HTTP is told apart', async () => {
    const closed = await attempt((socket) => socket.end());
    expect(closed.error).toBe('the connection was closed before an answer');
    const other = await attempt((socket) => socket.end('220 mail.example.org ESMTP\r\n'));
    expect(other.error).toMatch(/^the answer is not HTTP \(.* does not begin with HTTP/);
  });

  const OK = '{"code": 0}';
  const lines = (...all: string[]) => all.map((line) => `${line}\r\n`).join('');
  it.each<[string, string, string]>([
    ['folds a header', lines('HTTP/1.1 200 OK', 'x-a: b', ' folded', 'content-length: 11', '') + OK, OK],
    ['ends its lines with LF alone', `HTTP/1.1 200 OK\ncontent-length: 11\n\n${OK}`, OK],
    ['has bytes behind the body', `${lines('HTTP/1.1 200 OK', 'content-length: 11', '') + OK}\n<!-- -->`, OK],
    ['has bytes behind no body', `${lines('HTTP/1.1 204 No Content', '')}oh`, ''],
    [
      'has both lengths',
      lines('HTTP/1.1 200 OK', 'content-length: 11', 'transfer-encoding: chunked', '', 'b', OK, '0', ''),
      OK,
    ],
    ['has two lengths', lines('HTTP/1.1 200 OK', 'content-length: 11', 'content-length: 12', '') + OK, ''],
    ['has a space before a colon', lines('HTTP/1.1 200 OK', 'content-length : 11', '') + OK, OK],
    ['has a chunk of no size', lines('HTTP/1.1 200 OK', 'transfer-encoding: chunked', '', 'b', OK, 'zz', ''), OK],
    ['has no reason', lines('HTTP/1.1 200', 'content-length: 11', '') + OK, OK],
    ['calls itself HTTP/2', lines('HTTP/2 200', 'content-length: 11;', '') + OK, OK],
    ['ends in the middle of its body', lines('HTTP/1.1 200 OK', 'content-length: 100', '') + OK, OK],
    ['ends in the middle of its headers', 'HTTP/1.1 200 OK\r\ncontent-le', ''],
    ['floods with headers', lines('HTTP/1.1 200 OK', ...Array(2_000).fill('x-header: abcdefghij'), ''), ''],
    ['folds a header after hints', lines('HTTP/1.1 103 X', 'a: b', '', 'HTTP/1.1 202 X', 'c : d', '') + OK, OK],
  ])('that took the message and %s has taken it', async (_, answer, body) => {
    for (const end of ['end', 'reset'] as const) {
      const sent = await attempt((socket) => {
        socket.write(answer, () => (end === 'end' ? socket.end() : setImmediate(() => socket.resetAndDestroy())));
      });
      const status = Number(/(20\d) /.exec(answer)?.[1] ?? 200);
      expect(sent).toMatchObject({ error: null, answer: { status } });
      if (end === 'end') expect(sent.answer?.body).toBe(body);
    }
  });

  it('where nobody listens, or whose name does not resolve, is told apart', async () => {
    const server = createServer();
    const port = await listen(server);
    servers.pop();
    await new Promise((resolve) => server.close(resolve));
    const refused = await send(outgoing(`http://127.0.0.1:${port}/`), { allowPrivate: true });
    expect(refused.error).toBe(`nothing listens there (connect ECONNREFUSED 127.0.0.1:${port})`);
    const unknown = await send(outgoing('https://no-such-name.invalid/'), { allowPrivate: true });
    expect(unknown.error).toMatch(/^the name (does not resolve|cannot be looked up now) \(getaddrinfo E/);
  });
});

describe('a certificate', () => {
  /** An attempt at https://hook.example.org, whose server has this certificate. */
  async function attemptTls({ chainPem, keyPem }: Issued): Promise<Sent> {
    const server = createTlsServer({ cert: chainPem, key: keyPem }, (_, response) => response.end());
    const port = await listen(server);
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    return await send(outgoing(`https://hook.example.org:${port}/`), { allowPrivate: true, resolve });
  }

  it('of an authority that nobody knows, or that signed itself, is refused and says so', async () => {
    const authority = await createAuthority({ name: 'Nobody knows it', key: 'ec' });
    const unknown = await attemptTls(await issue(authority, { names: ['hook.example.org'] }));
    expect(unknown).toMatchObject({ answer: null, error: expect.stringMatching(/^the certificate is not trusted \(/) });
    const own = await attemptTls(await issue(null, { names: ['hook.example.org'] }));
    expect(own.error).toContain('the certificate is not trusted (self-signed certificate');
  });

  it('of a known authority is taken for its own name while it is valid, and not otherwise', async () => {
    const authority = await createAuthority({ name: 'Known to this process', key: 'ec' });
    const before = getCACertificates('default');
    setDefaultCACertificates([...before, authority.certPem]);
    try {
      const good = await attemptTls(await issue(authority, { names: ['hook.example.org'] }));
      expect(good).toMatchObject({ error: null, answer: { status: 200 } });
      const other = await attemptTls(await issue(authority, { names: ['other.example.org'] }));
      expect(other.error).toMatch(/^the certificate is not trusted \(Hostname\/IP does not match/);
      const day = 86_400_000;
      const dates = { notBefore: new Date(Date.now() - 3 * day), notAfter: new Date(Date.now() - day) };
      const old = await attemptTls(await issue(authority, { names: ['hook.example.org'], ...dates }));
      expect(old.error).toContain('the certificate is not trusted (certificate has expired');
    } finally {
      setDefaultCACertificates(before);
    }
  });

  it('is not reached at all where the server speaks plain HTTP', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    });
    const port = await listen(server);
    const sent = await send(outgoing(`https://127.0.0.1:${port}/`), { allowPrivate: true });
    expect(sent.error).toMatch(/^TLS failed \(.*wrong version number/s);
  });
});

describe('a name', () => {
  it('is resolved once an attempt, and the connection goes to the address that was judged', async () => {
    const hosts: (string | undefined)[] = [];
    const server = createServer((socket) => {
      socket.once('data', (request) => {
        hosts.push(/host: (\S+)/i.exec(request.toString())?.[1]);
        socket.end('HTTP/1.1 204 No Content\r\n\r\n');
      });
    });
    const port = await listen(server);
    let asked = 0;
    const resolve = async () => {
      asked++;
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const sent = await send(outgoing(`http://hook.example.org:${port}/`), { allowPrivate: true, resolve });
    expect(sent.answer?.status).toBe(204);
    expect(hosts).toEqual([`hook.example.org:${port}`]);
    expect(asked).toBe(1);
  });

  it('that turns to a private address between two attempts is refused at the second', async () => {
    const answers = ['192.0.2.1', '169.254.169.254', '::ffff:127.0.0.1', '100.100.100.200'];
    const resolve = async () => [{ address: answers.shift() ?? '', family: 4 }];
    const url = 'http://rebinding.example.org/';
    const errors: (string | null)[] = [];
    while (answers.length > 0) errors.push((await send(outgoing(url), { resolve })).error);
    const reasons = [
      '192.0.2.1 is not a public',
      '169.254.169.254 is not a public',
      '::ffff:127.0.0.1 is not a public',
    ];
    expect(errors).toEqual(
      [...reasons, '100.100.100.200 is a cloud metadata service'].map((reason) => expect.stringContaining(reason)),
    );
  });
});
