import { brotliDecompressSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { Cursor } from './cursor.ts';
import { EXTENSION, extensionsOf, protocolsOf } from './hello.ts';
import { MESSAGE, MessageReader } from './messages.ts';
import { recordOpener } from './open-flight.ts';
import { RECORD } from './records.ts';

/** What a TLS 1.3 server says under encryption before its handshake is over; null for what was not found. */
export type ServerFlight = {
  alpn: string | null;
  /** The body of the Certificate message, decompressed where it came compressed. */
  certificate: Buffer | null;
  /** Bytes of the Certificate (or CompressedCertificate) message with its header. */
  certificateBytes: number | null;
  /** How a CompressedCertificate was compressed, and the bytes of the message before; null where there was none. */
  compression: number | null;
  uncompressedBytes: number | null;
  /** The scheme by which the server proved its key. */
  signature: number | null;
};

const WANTED = [
  MESSAGE.encryptedExtensions,
  MESSAGE.certificate,
  MESSAGE.certificateVerify,
  MESSAGE.compressedCertificate,
];
const MESSAGE_HEADER = 4;

/**
 * Reads the encrypted records (payloads, in order) that follow a TLS 1.3 ServerHello, up to the CertificateVerify.
 * Null where the suite or the secret does not fit. Never throws.
 */
export function readServerFlight(records: Uint8Array[], suite: number, secret: Uint8Array): ServerFlight | null {
  const open = recordOpener(suite, secret);
  if (!open) return null;
  const flight: ServerFlight = {
    alpn: null,
    certificate: null,
    certificateBytes: null,
    compression: null,
    uncompressedBytes: null,
    signature: null,
  };
  const reader = new MessageReader(WANTED, ({ type, length, body }) => {
    if (type === MESSAGE.compressedCertificate) flight.certificateBytes ??= length + MESSAGE_HEADER;
    if (!body) return;
    if (type === MESSAGE.encryptedExtensions) flight.alpn ??= alpnOf(body);
    if (type === MESSAGE.compressedCertificate && flight.compression === null) readCompressed(flight, body);
    if (type === MESSAGE.certificateVerify) flight.signature ??= new Cursor(body).u16();
    if (type === MESSAGE.certificate && !flight.certificate) {
      flight.certificate = body;
      flight.certificateBytes = length + MESSAGE_HEADER;
    }
  });
  for (const record of records) {
    const inner = open(record);
    if (inner?.type !== RECORD.handshake) break;
    reader.push(inner.content);
    if (flight.signature !== null) break;
  }
  return flight;
}

/** Any of them is bounded by the length that the server gave, and that by what OpenSSL takes. */
const MOST_UNCOMPRESSED = 131_072;
const DECOMPRESS: Record<number, (data: Uint8Array, options: { maxOutputLength: number }) => Buffer> = {
  1: inflateSync,
  2: brotliDecompressSync,
  3: zstdDecompressSync,
};

/** A CompressedCertificate (RFC 8879, section 4): the algorithm, the length of the Certificate message, and that message. */
function readCompressed(flight: ServerFlight, body: Uint8Array): void {
  const cursor = new Cursor(body);
  flight.compression = cursor.u16();
  const length = cursor.u24();
  const data = cursor.take(cursor.u24());
  flight.uncompressedBytes = length + MESSAGE_HEADER;
  const decompress = DECOMPRESS[flight.compression];
  if (cursor.failed || !decompress || length > MOST_UNCOMPRESSED) return;
  try {
    flight.certificate = decompress(data, { maxOutputLength: Math.max(1, length) });
  } catch {
    // What Node knows of the chain stands for it.
  }
}

function alpnOf(body: Uint8Array): string | null {
  for (const [type, data] of extensionsOf(new Cursor(body))) {
    if (type === EXTENSION.alpn) return protocolsOf(data)[0] ?? null;
  }
  return null;
}
