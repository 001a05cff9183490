import type { SessionOffer } from '#contract/tls.ts';
import { bigEndian, derElement } from '../certificate/der.ts';

/** The tags of OpenSSL's own session format (SSL_SESSION, ssl/ssl_asn1.c) that are read: each holds one value. */
const TAG = { sequence: 0x30, lifetimeHint: 0xa9, ticket: 0xaa, maxEarlyData: 0xaf } as const;
const MAX_FIELDS = 64;
const LABEL = Buffer.from('\0nodejs:tls:session:1\0', 'latin1');

/**
 * What the server gave for a later resumption: `tickets` came in TLS 1.3; up to TLS 1.2 the session itself shows
 * whether it has one. `session` is the newest, as Node's `session` event gives it. Null where none came. Never throws.
 */
export function sessionOfferOf(
  version: string | null,
  session: Uint8Array | null,
  tickets: number,
): SessionOffer | null {
  if (!session) return null;
  const fields = fieldsOf(unwrapped(session));
  const lifetime = numberOf(fields.get(TAG.lifetimeHint));
  return {
    tickets: version === 'TLSv1.3' ? tickets : fields.has(TAG.ticket) ? 1 : 0,
    // OpenSSL leaves out what is 0: a server that names no lifetime.
    lifetimeSeconds: lifetime === 0 ? null : lifetime,
    earlyDataBytes: version === 'TLSv1.3' ? numberOf(fields.get(TAG.maxEarlyData)) : 0,
  };
}

/** Newer versions of Node put a label and the server's name (two bytes of length) in front of OpenSSL's session. */
function unwrapped(session: Uint8Array): Uint8Array {
  if (!LABEL.equals(session.subarray(0, LABEL.length))) return session;
  const nameLength = bigEndian(session.subarray(LABEL.length, LABEL.length + 2));
  return session.subarray(LABEL.length + 2 + nameLength);
}

/** The fields of the outer sequence by their tag; what follows the first that is cut short is left out. */
function fieldsOf(session: Uint8Array): Map<number, Uint8Array> {
  const fields = new Map<number, Uint8Array>();
  const outer = derElement(session, 0);
  if (outer?.tag !== TAG.sequence) return fields;
  for (let at = 0; fields.size < MAX_FIELDS; ) {
    const field = derElement(outer.content, at);
    if (!field) break;
    fields.set(field.tag, field.content);
    at = field.end;
  }
  return fields;
}

/** The INTEGER inside a field, within what a Result can hold; 0 where there is none. */
function numberOf(field: Uint8Array | undefined): number {
  const integer = field && derElement(field, 0);
  if (integer?.tag !== 0x02 || integer.content.length > 6) return 0;
  return Math.min(bigEndian(integer.content), 2_147_483_647);
}
