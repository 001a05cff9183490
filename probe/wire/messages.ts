import { Cursor } from './cursor.ts';

/** Types of handshake messages (RFC 8446, section 4, and RFC 5246). */
export const MESSAGE = {
  clientHello: 1,
  serverHello: 2,
  encryptedExtensions: 8,
  certificate: 11,
  serverKeyExchange: 12,
  certificateVerify: 15,
  compressedCertificate: 25,
} as const;

const HEADER_LENGTH = 4;
/** Bodies larger than this are counted, not kept. */
const MAX_KEPT_BODY = 131_072;

/** A handshake message in clear text. `body` is null where it was not kept (not of interest, or too large). */
export type HandshakeMessage = { type: number; length: number; body: Buffer | null };

/**
 * Joins the payloads of handshake records into messages, which may span records or share one. Keeps the bodies of the
 * message types `wanted`, and at most 128 KiB of any; never throws.
 */
export class MessageReader {
  readonly #onMessage: (message: HandshakeMessage) => void;
  readonly #wanted: readonly number[];
  readonly #header = Buffer.alloc(HEADER_LENGTH);
  #headerFilled = 0;
  #remaining = 0;
  #pieces: Uint8Array[] = [];

  constructor(wanted: readonly number[], onMessage: (message: HandshakeMessage) => void) {
    this.#wanted = wanted;
    this.#onMessage = onMessage;
  }

  push(piece: Uint8Array): void {
    let offset = 0;
    while (offset < piece.length) {
      if (this.#headerFilled < HEADER_LENGTH) offset += this.#fillHeader(piece, offset);
      else offset += this.#takeBody(piece, offset);
      if (this.#headerFilled === HEADER_LENGTH && this.#remaining === 0) this.#finish();
    }
  }

  #fillHeader(piece: Uint8Array, offset: number): number {
    const taken = Math.min(HEADER_LENGTH - this.#headerFilled, piece.length - offset);
    this.#header.set(piece.subarray(offset, offset + taken), this.#headerFilled);
    this.#headerFilled += taken;
    if (this.#headerFilled === HEADER_LENGTH) this.#remaining = this.#header.readUIntBE(1, 3);
    return taken;
  }

  #takeBody(piece: Uint8Array, offset: number): number {
    const taken = Math.min(this.#remaining, piece.length - offset);
    this.#remaining -= taken;
    if (this.#keepsBody()) this.#pieces.push(Buffer.from(piece.subarray(offset, offset + taken)));
    return taken;
  }

  #keepsBody(): boolean {
    return this.#wanted.includes(this.#header[0] ?? 0) && this.#header.readUIntBE(1, 3) <= MAX_KEPT_BODY;
  }

  #finish(): void {
    const body = this.#keepsBody() ? Buffer.concat(this.#pieces) : null;
    this.#pieces = [];
    this.#headerFilled = 0;
    this.#onMessage({ type: this.#header[0] ?? 0, length: this.#header.readUIntBE(1, 3), body });
  }
}

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
