import { Cursor } from './cursor.ts';

/** The random that marks a ServerHello as a HelloRetryRequest (RFC 8446, section 4.1.3). */
const RETRY_RANDOM = Buffer.from('cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c', 'hex');

const EXTENSION = { supportedVersions: 43, keyShare: 51 } as const;

/** What a ServerHello says in clear text. `version` and `cipher` are the wire's numbers. */
export type ServerHello = { version: number; cipher: number; group: number | null; retry: boolean };

/** Parses the body of a ServerHello or HelloRetryRequest; null where the bytes are none. */
export function parseServerHello(body: Uint8Array): ServerHello | null {
  const cursor = new Cursor(body);
  const legacyVersion = cursor.u16();
  const random = cursor.take(32);
  cursor.take(cursor.u8());
  const cipher = cursor.u16();
  cursor.u8();
  if (cursor.failed) return null;
  const hello: ServerHello = { version: legacyVersion, cipher, group: null, retry: RETRY_RANDOM.equals(random) };
  for (const [type, data] of extensionsOf(cursor)) {
    if (type === EXTENSION.supportedVersions) hello.version = new Cursor(data).u16();
    if (type === EXTENSION.keyShare) hello.group = new Cursor(data).u16();
  }
  return hello;
}

/** The named curve of a TLS 1.2 ServerKeyExchange, or null where it carries none (finite-field exchange). */
export function parseServerKeyExchange(body: Uint8Array): number | null {
  const cursor = new Cursor(body);
  const namedCurve = cursor.u8() === 3;
  const group = cursor.u16();
  return namedCurve && !cursor.failed ? group : null;
}

function* extensionsOf(cursor: Cursor): Generator<[number, Uint8Array]> {
  if (cursor.left === 0) return;
  cursor.u16();
  while (cursor.left >= 4) {
    const type = cursor.u16();
    const data = cursor.take(cursor.u16());
    if (cursor.failed) return;
    yield [type, data];
  }
}
