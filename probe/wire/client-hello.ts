import { Cursor } from './cursor.ts';
import { EXTENSION, extensionsOf, protocolsOf } from './hello.ts';

/** What a ClientHello offers; numbers are the wire's, in the order of preference. */
export type ClientHello = {
  versions: number[];
  groups: number[];
  keyShares: number[];
  alpn: string[];
  /** Algorithms of certificate compression (RFC 8879). */
  compressions: number[];
  signatures: number[];
  /** Whether a server name (SNI) was sent. */
  named: boolean;
};

/** Most entries of any one list: more than there are names to offer. */
const MAX_LISTED = 64;

/** Parses the body of a ClientHello; null where the bytes are none. Never throws. */
export function parseClientHello(body: Uint8Array): ClientHello | null {
  const cursor = new Cursor(body);
  const legacyVersion = cursor.u16();
  cursor.take(32);
  cursor.take(cursor.u8());
  cursor.take(cursor.u16());
  cursor.take(cursor.u8());
  if (cursor.failed) return null;
  const hello: ClientHello = {
    versions: [],
    groups: [],
    keyShares: [],
    alpn: [],
    compressions: [],
    signatures: [],
    named: false,
  };
  for (const [type, data] of extensionsOf(cursor)) readExtension(hello, type, data);
  // A client without the extension offers one version, in the old field.
  if (hello.versions.length === 0) hello.versions.push(legacyVersion);
  return hello;
}

function readExtension(hello: ClientHello, type: number, data: Uint8Array): void {
  if (type === EXTENSION.serverName) hello.named = data.length > 0;
  if (type === EXTENSION.supportedVersions) hello.versions = numbers(data.subarray(1));
  if (type === EXTENSION.supportedGroups) hello.groups = numbers(data.subarray(2));
  if (type === EXTENSION.signatureAlgorithms) hello.signatures = numbers(data.subarray(2));
  if (type === EXTENSION.alpn) hello.alpn = protocolsOf(data);
  if (type === EXTENSION.compressCertificate) hello.compressions = numbers(data.subarray(1));
  if (type === EXTENSION.keyShare) hello.keyShares = sharesOf(data);
}

function numbers(list: Uint8Array): number[] {
  const cursor = new Cursor(list);
  const found: number[] = [];
  while (cursor.left >= 2 && found.length < MAX_LISTED) found.push(cursor.u16());
  return found;
}

function sharesOf(data: Uint8Array): number[] {
  const cursor = new Cursor(data);
  cursor.u16();
  const groups: number[] = [];
  while (cursor.left >= 4 && groups.length < MAX_LISTED) {
    groups.push(cursor.u16());
    cursor.take(cursor.u16());
  }
  return groups;
}
