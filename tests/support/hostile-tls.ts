import { connect, type Socket } from 'node:net';
import { type Listening, rawServer } from './probing.ts';

/** One TLS record. */
export function record(type: number, payload: Uint8Array | number[], version = 0x0303): Buffer {
  const header = Buffer.from([type, version >> 8, version & 255, 0, 0]);
  header.writeUInt16BE(payload.length, 3);
  return Buffer.concat([header, Buffer.from(payload)]);
}

/** One handshake message; `length` may lie about its body. */
export function message(type: number, body: Uint8Array, length = body.length): Buffer {
  const header = Buffer.from([type, 0, 0, 0]);
  header.writeUIntBE(length, 1, 3);
  return Buffer.concat([header, body]);
}

/** The extension without which many clients refuse to go on with TLS 1.2 (RFC 5746). */
const RENEGOTIATION_INFO = [0xff, 1, 0, 1, 0];

/** The body of a ServerHello, for TLS 1.2 unless told otherwise. */
export function serverHello({ version = 0x0303, cipher = 0xc02f, extensions = RENEGOTIATION_INFO } = {}): Buffer {
  const body = Buffer.alloc(2 + 32 + 1 + 2 + 1);
  body.writeUInt16BE(version, 0);
  body.fill(7, 2, 34);
  body.writeUInt16BE(cipher, 35);
  return Buffer.concat([body, Buffer.from([0, extensions.length]), Buffer.from(extensions)]);
}

/** Sends `first`, then `again` for as long as the client takes it, once the client has spoken. */
export function flooding(first: Uint8Array, again: Uint8Array): Promise<Listening> {
  const block = Buffer.concat(Array.from({ length: Math.ceil(16_384 / again.length) }, () => again));
  return rawServer((socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write(block));
    };
    socket.on('drain', more);
    socket.once('data', () => socket.write(first, more));
  });
}

/** Answers whatever comes first with these bytes and then waits in silence. */
export function answering(bytes: Uint8Array): Promise<Listening> {
  return rawServer((socket) => socket.once('data', () => socket.write(bytes)));
}

/** What becomes of a connection once so many bytes of the server have gone through. */
export type Cut = 'reset' | 'end' | 'silence';

/** A relay in front of a real server that lets `bytes` of its bytes through, and then cuts both ends off. */
export function cutting(port: number, bytes: number, cut: Cut): Promise<Listening> {
  return relaying(port, (chunk, passed, client) => {
    if (passed + chunk.length < bytes) return chunk;
    // What is let through must leave before the end does, and a reset throws away what has not.
    setImmediate(() => cutOff(client, cut));
    return chunk.subarray(0, Math.max(0, bytes - passed));
  });
}

function cutOff(client: Socket, cut: Cut): void {
  if (cut === 'reset') client.resetAndDestroy();
  if (cut === 'end') client.end();
}

/** A relay that passes the client's bytes on as they are, and the server's as `change` makes them. */
export function relaying(
  port: number,
  change: (chunk: Buffer, passed: number, client: Socket) => Uint8Array,
): Promise<Listening> {
  return rawServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    let passed = 0;
    upstream.on('error', () => client.destroy());
    upstream.on('data', (chunk: Buffer) => {
      const bytes = change(chunk, passed, client);
      passed += chunk.length;
      if (bytes.length > 0 && client.writable) client.write(bytes);
    });
    client.on('data', (chunk) => upstream.write(chunk));
    client.on('close', () => upstream.destroy());
  });
}

/** The server's first `count` records, cut into records of one byte each; what follows passes unchanged. */
export function crumbling(count: number): (chunk: Buffer) => Uint8Array {
  let left = count;
  return (chunk) => {
    const pieces: Buffer[] = [];
    for (let at = 0; at + 5 <= chunk.length; ) {
      const end = at + 5 + chunk.readUInt16BE(at + 3);
      if (left-- > 0) for (const byte of chunk.subarray(at + 5, end)) pieces.push(record(22, [byte]));
      else pieces.push(chunk.subarray(at, end));
      at = end;
    }
    return Buffer.concat(pieces);
  };
}
