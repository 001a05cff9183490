import { AnswerError } from '#contract/http1-answer.ts';
import type { Origin } from '../exchange.ts';

/** Types of frames (RFC 9113, section 6); all others are passed over. */
export const FRAME = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const FLAG = { ack: 0x1, endStream: 0x1, endHeaders: 0x4, padded: 0x8, priority: 0x20 } as const;
export const SETTING = { enablePush: 2, initialWindowSize: 4, maxHeaderListSize: 6 } as const;

/** Largest payload of a frame: the initial SETTINGS_MAX_FRAME_SIZE, which we never raise. */
export const MAX_FRAME_BYTES = 16_384;
const HEADER_BYTES = 9;

/** `origin` is the record that the frame began in, `payloadOrigin` the one that holds the first byte of its payload. */
export type Frame = {
  type: number;
  flags: number;
  stream: number;
  payload: Buffer;
  origin: Origin;
  payloadOrigin: Origin;
};

/**
 * Cuts the server's bytes into frames, however they come. Holds one frame at most; throws an AnswerError for one
 * that is longer than was agreed on, as any other protocol's bytes are.
 */
export class FrameReader {
  readonly #header = Buffer.alloc(HEADER_BYTES);
  readonly #onFrame: (frame: Frame) => void;
  #headerFilled = 0;
  #payload: Buffer | null = null;
  #payloadFilled = 0;
  #origin: Origin = { at: 0, plainBytes: 0, nth: 0 };
  #payloadOrigin: Origin | null = null;

  constructor(onFrame: (frame: Frame) => void) {
    this.#onFrame = onFrame;
  }

  /** Takes the clear text of the next record. */
  push(chunk: Buffer, origin: Origin): void {
    let offset = 0;
    while (offset < chunk.length) {
      if (this.#headerFilled < HEADER_BYTES) offset += this.#fillHeader(chunk, offset, origin);
      if (this.#headerFilled === HEADER_BYTES) {
        if (offset < chunk.length) this.#payloadOrigin ??= origin;
        offset += this.#takePayload(chunk, offset);
      }
    }
  }

  #fillHeader(chunk: Buffer, offset: number, origin: Origin): number {
    if (this.#headerFilled === 0) this.#origin = origin;
    const taken = chunk.copy(this.#header, this.#headerFilled, offset, offset + HEADER_BYTES - this.#headerFilled);
    this.#headerFilled += taken;
    if (this.#headerFilled === HEADER_BYTES && this.#length() > MAX_FRAME_BYTES) {
      const begin = this.#header.toString('latin1').replace(/[^ -~]/g, '.');
      throw new AnswerError('http_protocol', `the server sent a frame that is too long, beginning "${begin}"`);
    }
    return taken;
  }

  #takePayload(chunk: Buffer, offset: number): number {
    const length = this.#length();
    if (!this.#payload && chunk.length - offset >= length) {
      this.#finish(chunk.subarray(offset, offset + length));
      return length;
    }
    this.#payload ??= Buffer.allocUnsafe(length);
    const taken = chunk.copy(this.#payload, this.#payloadFilled, offset);
    this.#payloadFilled += taken;
    if (this.#payloadFilled === length) this.#finish(this.#payload);
    return taken;
  }

  #finish(payload: Buffer): void {
    const payloadOrigin = this.#payloadOrigin ?? this.#origin;
    this.#headerFilled = 0;
    this.#payload = null;
    this.#payloadFilled = 0;
    this.#payloadOrigin = null;
    const [, , , type = 0, flags = 0] = this.#header;
    const stream = this.#header.readUInt32BE(5) & 0x7fffffff;
    this.#onFrame({ type, flags, stream, payload, origin: this.#origin, payloadOrigin });
  }

  #length(): number {
    return this.#header.readUIntBE(0, 3);
  }
}

/** A frame in bytes. */
export function frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes[3] = type;
  bytes[4] = flags;
  bytes.writeUInt32BE(stream, 5);
  bytes.set(payload, HEADER_BYTES);
  return bytes;
}

/** The payload of a DATA or HEADERS frame without padding and priority. */
export function unpadded({ type, flags, payload }: Frame): Buffer {
  const padded = (flags & FLAG.padded) !== 0;
  const start = (padded ? 1 : 0) + (type === FRAME.headers && (flags & FLAG.priority) !== 0 ? 5 : 0);
  const end = payload.length - (padded ? (payload[0] ?? 0) : 0);
  if (start > end) throw new AnswerError('http_protocol', 'the server sent a frame with more padding than bytes');
  return payload.subarray(start, end);
}
