import type { TLSSocket } from 'node:tls';
import { ENGINE_VERSION } from '#contract/result.ts';
import type { Tap, TapLimits } from './tap.ts';

/** A body is read to its end or to this many bytes; what lies beyond is not fetched. */
export const MAX_BODY_BYTES = 1_048_576;

/** Added to what the handshake took: the body, its framing and headers, and room for tickets and control frames. */
export const HTTP_LIMITS: TapLimits = { bytesIn: MAX_BODY_BYTES * 2, bytesOut: 262_144, recordsIn: 40_000 };

/** Largest header block, in bytes, that a response may have. */
export const MAX_HEADER_BYTES = 65_536;

/** The head of a response, and when its first byte arrived. */
export type ResponseHead = {
  at: number;
  status: number | null;
  version: '1.0' | '1.1' | '2';
  server: string | null;
  location: string | null;
};

/** How a body ended: when its last byte arrived, and how many bytes of it were read. */
export type ResponseBody = { at: number; bytes: number };

/** One request in progress. The two promises settle in turn; `bytes` is what has been read so far. */
export type Exchange = {
  head: Promise<ResponseHead>;
  body: Promise<ResponseBody>;
  bytes(): number;
  close(): void;
};

/** What an exchange needs: the secured socket, its tap for the stamps, and the URL. */
export type ExchangeOptions = { socket: TLSSocket; tap: Tap; url: URL; now(): number };

export const USER_AGENT = `roundtrip/${ENGINE_VERSION}`;

/** A header of one line, cut to `max` characters; null where there is none. */
export function headerText(value: unknown, max: number): string | null {
  const text = Array.isArray(value) ? value[0] : value;
  return typeof text === 'string' ? text.slice(0, max) : null;
}
