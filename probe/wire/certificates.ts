import { Cursor } from './cursor.ts';

/** A chain as it was sent: how many certificates, and their DER bytes together. */
export type SentChain = { length: number; bytes: number };

/** Counts the certificates of a TLS 1.2 Certificate message; null where the bytes are none. */
export function parseCertificateMessage(body: Uint8Array): SentChain | null {
  const cursor = new Cursor(body);
  const listed = cursor.u24();
  if (cursor.failed || listed !== cursor.left) return null;
  const chain: SentChain = { length: 0, bytes: 0 };
  while (cursor.left > 0) {
    chain.bytes += cursor.take(cursor.u24()).length;
    chain.length += 1;
    if (cursor.failed) return null;
  }
  return chain;
}
