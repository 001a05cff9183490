import { Cursor } from './cursor.ts';

/** The random that marks a ServerHello as a HelloRetryRequest (RFC 8446, section 4.1.3). */
const RETRY_RANDOM = Buffer.from('cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c', 'hex');

/** Types of the extensions that are read (IANA, TLS ExtensionType Values). */
export const EXTENSION = {
  serverName: 0,
  supportedGroups: 10,
  signatureAlgorithms: 13,
  alpn: 16,
  compressCertificate: 27,
  sessionTicket: 35,
  supportedVersions: 43,
  keyShare: 51,
} as const;

/**
 * What a ServerHello says in clear text; numbers are the wire's. `version` is the one agreed on, `legacyVersion` what
 * the old field says. In TLS 1.3 the protocol of ALPN is not here but encrypted.
 */
export type ServerHello = {
  legacyVersion: number;
  version: number;
  cipher: number;
  group: number | null;
  retry: boolean;
  alpn: string | null;
  /** Up to TLS 1.2: whether it gives a session id, or promises a ticket (RFC 5077). */
  session: boolean;
};

/** What a TLS 1.2 ServerKeyExchange says: the named curve (none in a finite-field exchange), and who signs it how. */
export type ServerKeyExchange = { curve: number | null; signature: number | null };

const NAMED_CURVE = 3;

/** Parses the body of a ServerHello or HelloRetryRequest; null where the bytes are none. */
export function parseServerHello(body: Uint8Array): ServerHello | null {
  const cursor = new Cursor(body);
  const legacyVersion = cursor.u16();
  const random = cursor.take(32);
  const sessionId = cursor.take(cursor.u8());
  const cipher = cursor.u16();
  cursor.u8();
  if (cursor.failed) return null;
  const retry = RETRY_RANDOM.equals(random);
  const hello: ServerHello = {
    legacyVersion,
    version: legacyVersion,
    cipher,
    group: null,
    retry,
    alpn: null,
    session: sessionId.length > 0,
  };
  for (const [type, data] of extensionsOf(cursor)) {
    if (type === EXTENSION.supportedVersions) hello.version = new Cursor(data).u16();
    if (type === EXTENSION.keyShare) hello.group = new Cursor(data).u16();
    if (type === EXTENSION.sessionTicket) hello.session = true;
    if (type === EXTENSION.alpn) hello.alpn = protocolsOf(data)[0] ?? null;
  }
  return hello;
}

/** The names in an ALPN extension, as printable text; at most 16 of them. */
export function protocolsOf(data: Uint8Array): string[] {
  const cursor = new Cursor(data);
  cursor.u16();
  const names: string[] = [];
  while (cursor.left > 0 && names.length < 16) {
    const name = cursor.take(cursor.u8());
    if (cursor.failed) break;
    names.push(printable(name));
  }
  return names;
}

/** Parses the body of a TLS 1.2 ServerKeyExchange; null where it is none. */
export function parseServerKeyExchange(body: Uint8Array): ServerKeyExchange | null {
  return ellipticExchange(body) ?? finiteFieldExchange(body);
}

function ellipticExchange(body: Uint8Array): ServerKeyExchange | null {
  const cursor = new Cursor(body);
  if (cursor.u8() !== NAMED_CURVE) return null;
  const curve = cursor.u16();
  cursor.take(cursor.u8());
  return cursor.failed ? null : signed(cursor, curve);
}

function finiteFieldExchange(body: Uint8Array): ServerKeyExchange | null {
  const cursor = new Cursor(body);
  for (let each = 0; each < 3; each += 1) cursor.take(cursor.u16());
  return cursor.failed ? null : signed(cursor, null);
}

/** The rest must be a scheme and its signature, or (anonymous servers) nothing: else the bytes are something else. */
function signed(cursor: Cursor, curve: number | null): ServerKeyExchange | null {
  if (cursor.left === 0) return { curve, signature: null };
  const signature = cursor.u16();
  const length = cursor.u16();
  return cursor.failed || length !== cursor.left ? null : { curve, signature };
}

function printable(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(0, 32))
    .toString('latin1')
    .replace(/[^\x20-\x7e]/g, '?');
}

/** The extensions of a hello, whose list `cursor` stands in front of; stops at the first that is cut short. */
export function* extensionsOf(cursor: Cursor): Generator<[number, Uint8Array]> {
  if (cursor.left === 0) return;
  cursor.u16();
  while (cursor.left >= 4) {
    const type = cursor.u16();
    const data = cursor.take(cursor.u16());
    if (cursor.failed) return;
    yield [type, data];
  }
}
