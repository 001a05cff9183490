import { once } from 'node:events';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { createAuthority, issue } from './pki.ts';

// A process of its own, so that what a server holds is not taken for what the engine holds. It listens once for each
// behaviour, says where, and on each message how many connections are open.

type Connection = { socket: TLSSocket; tcp: Socket };
type Behaviour = { protocol: 'h2' | 'http/1.1'; eager?: boolean; act(connection: Connection): void };

const frame = (
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array | readonly number[] | string = '',
): Buffer => {
  const body = typeof payload === 'string' ? Buffer.from(payload) : Buffer.from(payload);
  const head = Buffer.alloc(9);
  head.writeUIntBE(body.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, body]);
};
const u32 = (...values: number[]) =>
  Buffer.concat(values.map((value) => Buffer.from(new Uint32Array([value]).buffer).swap32()));
const field = (name: string, value: string) =>
  Buffer.concat([Buffer.from([0x00, name.length]), Buffer.from(name), Buffer.from([value.length]), Buffer.from(value)]);
const SETTINGS = frame(4, 0, 0);
const OK = frame(1, 4, 1, [0x88]);
const status = (text: string) => frame(1, 4, 1, field(':status', text));
const times = (count: number, bytes: Uint8Array) => Buffer.concat(Array.from({ length: count }, () => bytes));

/** Says `first`, and then `again` for as long as anybody takes it. */
const flood =
  (first: Uint8Array | string, again: Uint8Array) =>
  ({ socket }: Connection) => {
    const more = () => {
      while (!socket.destroyed && socket.write(again));
    };
    socket.on('drain', more);
    socket.write(first, more);
  };
const say =
  (...pieces: (Uint8Array | string)[]) =>
  ({ socket }: Connection) => {
    socket.write(Buffer.concat(pieces.map((piece) => Buffer.from(piece))));
  };
const drip =
  (first: Uint8Array | string, slowly: Uint8Array) =>
  ({ socket }: Connection) => {
    let at = 0;
    socket.write(first);
    const timer = setInterval(() => socket.write(slowly.subarray(at, ++at)), 100);
    socket.once('close', () => clearInterval(timer));
  };
const reset =
  (first: Uint8Array | string) =>
  ({ socket, tcp }: Connection) => {
    // Once the bytes have left; TLS itself has no reset.
    socket.write(first, () => setTimeout(() => tcp.resetAndDestroy(), 50));
  };
const cut =
  (first: string) =>
  ({ socket, tcp }: Connection) => {
    socket.write(first, () => setTimeout(() => tcp.end(), 50));
  };

const h2 = (...pieces: Uint8Array[]): Behaviour => ({ protocol: 'h2', act: say(SETTINGS, ...pieces) });
const h2Flood = (first: Uint8Array, again: Uint8Array): Behaviour => ({
  protocol: 'h2',
  act: flood(Buffer.concat([SETTINGS, first]), times(Math.ceil(16_000 / again.length), again)),
});
const h1 = (text: string | Uint8Array): Behaviour => ({ protocol: 'http/1.1', act: say(text) });
const h1Flood = (first: string, again: string): Behaviour => ({
  protocol: 'http/1.1',
  act: flood(first, Buffer.from(again.repeat(Math.ceil(16_000 / again.length)))),
});
const HEAD = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${HEAD}transfer-encoding: chunked\r\n\r\n`;
const BOMB = gzipSync(Buffer.alloc(20_000_000));
const none = new Uint8Array();

const BEHAVIOURS: Record<string, Behaviour> = {
  'h2: a header block without end': h2Flood(frame(1, 0, 1, [0x88]), frame(9, 0, 1, Buffer.alloc(16_000, 0x88))),
  'h2: empty CONTINUATION frames': h2Flood(frame(1, 0, 1, [0x88]), frame(9, 0, 1)),
  'h2: a table entry named over and over': h2(
    frame(
      1,
      4,
      1,
      Buffer.concat([
        Buffer.from([0x88, 0x40, 1, 0x61, 0x7f, 0x81, 0x1e]),
        Buffer.alloc(4_000, 0x62),
        Buffer.alloc(12_000, 0xbe),
      ]),
    ),
  ),
  'h2: a header block that is no HPACK': h2(frame(1, 4, 1, [0xff, 0xff, 0xff, 0xff, 0xff, 0x7f])),
  'h2: settings': h2Flood(none, SETTINGS),
  'h2: pings': h2Flood(none, frame(6, 0, 0, Buffer.alloc(8))),
  'h2: empty DATA frames': h2Flood(OK, frame(0, 0, 1)),
  'h2: window updates': h2Flood(none, frame(8, 0, 1, u32(1))),
  'h2: a window that overflows': h2(times(2, frame(8, 0, 0, u32(0x7fffffff)))),
  'h2: resets of other streams': h2Flood(none, frame(3, 0, 3, u32(8))),
  'h2: priorities': h2Flood(none, frame(2, 0, 3, [0, 0, 0, 0, 1])),
  'h2: ALTSVC and ORIGIN': h2Flood(
    none,
    Buffer.concat([frame(10, 0, 0, '\0\x0bexample.org'), frame(12, 0, 0, '\0\x01x')]),
  ),
  'h2: unknown frames, then an answer': h2(
    frame(10, 0, 0, '\0\0'),
    frame(12, 0, 0),
    frame(0xfa, 0xff, 7, 'x'),
    OK,
    frame(0, 1, 1, 'hi'),
  ),
  'h2: a pushed stream': h2(frame(5, 4, 1, Buffer.concat([u32(2), Buffer.from([0x82])]))),
  'h2: an answer on another stream': h2(frame(1, 4, 3, [0x88])),
  'h2: padding': h2Flood(OK, frame(0, 8, 1, Buffer.concat([Buffer.from([255]), Buffer.alloc(255)]))),
  'h2: more padding than bytes': h2(OK, frame(0, 8, 1, [9, 1])),
  'h2: a body beyond its window': h2Flood(OK, frame(0, 0, 1, Buffer.alloc(16_384))),
  'h2: tiny DATA frames': h2Flood(OK, frame(0, 0, 1, 'x')),
  'h2: a body shorter than its length': h2(
    frame(1, 4, 1, Buffer.concat([Buffer.from([0x88]), field('content-length', '9')])),
    frame(0, 1, 1, 'hi'),
  ),
  'h2: a body byte by byte': {
    protocol: 'h2',
    act: drip(Buffer.concat([SETTINGS, OK]), times(100, frame(0, 0, 1, 'x'))),
  },
  'h2: a head byte by byte': { protocol: 'h2', act: drip(SETTINGS, times(100, frame(0xfa, 0, 0))) },
  'h2: an orderly GOAWAY before the answer': h2(frame(7, 0, 0, u32(0, 0))),
  'h2: an orderly GOAWAY that lets the answer come': h2(frame(7, 0, 0, u32(1, 0)), OK, frame(0, 1, 1, 'hi')),
  'h2: a GOAWAY with an error': h2(frame(7, 0, 0, u32(0, 11))),
  'h2: a refused stream': h2(frame(3, 0, 1, u32(7))),
  'h2: a stream cancelled within the body': h2(OK, frame(0, 0, 1, 'hi'), frame(3, 0, 1, u32(8))),
  'h2: interim answers': h2Flood(none, status('103')),
  'h2: status 42': h2(status('42')),
  'h2: status 999': h2(status('999'), frame(0, 1, 1)),
  'h2: no status': h2(frame(1, 5, 1, field('server', 'x'))),
  'h2: status 101': h2(status('101')),
  'h2: a name in capitals': h2(frame(1, 5, 1, Buffer.concat([Buffer.from([0x88]), field('Server', 'x')]))),
  'h2: a line break in a value': h2(frame(1, 5, 1, Buffer.concat([Buffer.from([0x88]), field('location', 'a\r\nb')]))),
  'h2: a frame of 16 MB': h2(Buffer.from([0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1])),
  'h2: garbage': { protocol: 'h2', act: flood('', Buffer.alloc(16_000, 0xa5)) },
  'h2: an end after the request': { protocol: 'h2', act: ({ socket }) => void socket.end() },
  'h2: a reset after the request': { protocol: 'h2', act: reset('') },
  'h2: a reset within the head': { protocol: 'h2', act: reset(Buffer.concat([SETTINGS, OK.subarray(0, 9)])) },
  'h2: a reset within the body': { protocol: 'h2', act: reset(Buffer.concat([SETTINGS, OK, frame(0, 0, 1, 'hi')])) },
  'h2: an answer before the request': { protocol: 'h2', eager: true, act: say(SETTINGS, OK, frame(0, 1, 1, 'hi')) },
  'a header block of many lines': h1Flood(HEAD, 'a: b\r\n'),
  'a header of 16 MB': h1Flood(`${HEAD}a: `, 'b'),
  'interim answers': h1Flood('', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
  'a body without end': h1Flood(`${HEAD}\r\n`, 'x'),
  'a body byte by byte': {
    protocol: 'http/1.1',
    act: drip(`${HEAD}content-length: 99\r\n\r\n`, Buffer.alloc(99, 'x')),
  },
  'a head byte by byte': { protocol: 'http/1.1', act: drip(HEAD, Buffer.alloc(99, 'x')) },
  'chunk extensions': h1Flood(`${CHUNKED}1;`, 'x=y;'),
  'a chunk without end': h1Flood(`${CHUNKED}ffffffff\r\n`, 'x'),
  'a chunk size that no number holds': h1(`${CHUNKED}ffffffffffffffffff\r\n`),
  'tiny chunks': h1Flood(CHUNKED, '1\r\nx\r\n'),
  'trailers without end': h1Flood(`${CHUNKED}0\r\n`, 'a: b\r\n'),
  garbage: { protocol: 'http/1.1', act: flood('', Buffer.alloc(16_000, 0xa5)) },
  'status 101': h1('HTTP/1.1 101 X\r\n\r\n'),
  'status 999': h1('HTTP/1.1 999 X\r\ncontent-length: 0\r\n\r\n'),
  'status 42': h1('HTTP/1.1 42 X\r\ncontent-length: 0\r\n\r\n'),
  'a byte 0 in a header': h1(`${HEAD}location: a\0b\r\ncontent-length: 0\r\n\r\n`),
  'garbage after the answer': h1Flood(`${HEAD}content-length: 2\r\n\r\nhi`, 'garbage'),
  'a reset after the request': { protocol: 'http/1.1', act: reset('') },
  'a reset within the head': { protocol: 'http/1.1', act: reset(`${HEAD}ser`) },
  'a reset within the body': { protocol: 'http/1.1', act: reset(`${HEAD}content-length: 9\r\n\r\nhi`) },
  'an end without a close_notify after the request': { protocol: 'http/1.1', act: cut('') },
  'a body cut without a close_notify': { protocol: 'http/1.1', act: cut(`${HEAD}\r\nhi`) },
  'a gzip bomb': h1(
    Buffer.concat([Buffer.from(`${HEAD}content-encoding: gzip\r\ncontent-length: ${BOMB.length}\r\n\r\n`), BOMB]),
  ),
  'an answer before the request': { protocol: 'http/1.1', eager: true, act: say(`${HEAD}content-length: 2\r\n\r\nhi`) },
};

async function main(): Promise<void> {
  const authority = await createAuthority({ name: 'Hostile root', key: 'ec' });
  const identity = await issue(authority, { names: ['localhost'] });
  const open = new Set<Socket>();
  const urls: Record<string, string> = {};
  for (const [name, { protocol, eager, act }] of Object.entries(BEHAVIOURS)) {
    const secure = createServer({ key: identity.keyPem, cert: identity.chainPem, ALPNProtocols: [protocol] });
    const sockets = new Map<number | undefined, Socket>();
    secure.on('tlsClientError', () => {});
    secure.on('secureConnection', (socket) => {
      const tcp = sockets.get(socket.remotePort);
      socket.on('error', () => {});
      if (!tcp) return;
      if (eager) act({ socket, tcp });
      else socket.once('data', () => act({ socket, tcp }));
      socket.resume();
    });
    const server = createTcpServer((tcp) => {
      open.add(tcp);
      sockets.set(tcp.remotePort, tcp);
      tcp.on('error', () => {});
      tcp.once('close', () => open.delete(tcp));
      secure.emit('connection', tcp);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    urls[name] = `https://localhost:${(server.address() as AddressInfo).port}/`;
  }
  process.on('message', () => process.send?.({ open: open.size }));
  process.on('disconnect', () => process.exit());
  process.send?.({ urls, caPem: authority.certPem });
}

await main();
