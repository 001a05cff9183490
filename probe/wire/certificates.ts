import { Cursor } from './cursor.ts';

/** A chain as it was sent, in its order: each certificate's DER. */
export type SentCertificates = Uint8Array[];

/**
 * The certificates of a Certificate message: of TLS 1.3, where each has extensions, or of earlier versions. Null where
 * the bytes are none. The list's views share the message's memory.
 */
export function parseCertificateMessage(body: Uint8Array, tls13: boolean): SentCertificates | null {
  const cursor = new Cursor(body);
  if (tls13) cursor.take(cursor.u8());
  const listed = cursor.u24();
  if (cursor.failed || listed !== cursor.left) return null;
  const sent: SentCertificates = [];
  while (cursor.left > 0) {
    sent.push(cursor.take(cursor.u24()));
    if (tls13) cursor.take(cursor.u16());
    if (cursor.failed) return null;
  }
  return sent;
}
