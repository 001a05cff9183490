import { promisify } from 'node:util';
import { gunzip, gunzipSync } from 'node:zlib';
import { ServiceError } from '#server/environment/errors.ts';

const MIB = 1024 * 1024;
/** A full batch unpacks to a few MiB: with zlib's own 16 KiB that would be hundreds of turns of the event loop. */
const UNPACKED_AT_ONCE = MIB / 2;
/** So few bytes unpack in less than a millisecond, and cost more on their way to another thread and back. */
const UNPACKED_HERE = 32 * 1024;
/** The memory that unpacking begins with, as a multiple of what was sent; it grows as needed. */
const UNPACKED_RATIO = 12;
const decompress = promisify(gunzip);

/** A body that is not there within this time (ms) is given up: a large one holds others back (in-flight.ts). */
export const BODY_WITHIN_MS = 60_000;

/** Unsupported media type: 415, which no service can mean. */
export class MediaTypeError extends Error {
  override readonly name = 'MediaTypeError';
}

/** A body that did not arrive, or not in time: 408, since it is the sender's fault and no service can mean it. */
export class BodyTimeoutError extends Error {
  override readonly name = 'BodyTimeoutError';
}

/**
 * Reads a JSON body, plain or gzipped, of at most `maxBytes` before and after decompression. Between the two it waits for `turn`.
 * Throws MediaTypeError, BodyTimeoutError, or ServiceError `too_large` or `invalid`.
 */
export async function readJson(
  request: Request,
  maxBytes = MIB,
  turn: () => Promise<void> = async () => {},
): Promise<unknown> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type !== 'application/json') {
    throw new MediaTypeError(`The body must be application/json, not ${type || 'of no type'}.`);
  }
  const encoding = request.headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity' && encoding !== 'gzip') {
    throw new MediaTypeError(`The body may be plain or gzip, not ${encoding}.`);
  }
  const sent = await readBytes(request, maxBytes);
  await turn();
  return parseJson(encoding === 'gzip' ? await expand(sent, maxBytes) : sent);
}

const FORM_BYTES = 16 * 1024;

/** Reads the body of a plain form. Throws MediaTypeError, BodyTimeoutError, or ServiceError `too_large`. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') throw new MediaTypeError('The body must be that of a form.');
  return new URLSearchParams(new TextDecoder().decode(await readBytes(request, FORM_BYTES)));
}

/** A connection that breaks is the sender's, not that to the database, and no fault of ours. */
function goneAway(): never {
  throw new BodyTimeoutError('The connection ended before the body did: send it again.');
}

async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const slow = Promise.withResolvers<never>();
  const timer = setTimeout(() => slow.reject(tooSlow()), BODY_WITHIN_MS);
  const reader = request.body?.getReader();
  try {
    for (;;) {
      const next = await Promise.race([reader?.read().catch(goneAway), slow.promise]);
      if (!next || next.done) return Buffer.concat(chunks, bytes);
      bytes += next.value.byteLength;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      chunks.push(next.value);
    }
  } finally {
    clearTimeout(timer);
    reader?.cancel().catch(() => {});
  }
}

/** zlib stops at the limit, so a small body that unpacks to gigabytes costs as much memory as an honest one. */
async function expand(sent: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  return expandHere(sent, Math.min(maxBytes, MIB)) ?? (await expandElsewhere(sent, maxBytes));
}

/** A small body on this thread; null for one that is large, or no gzip. */
function expandHere(sent: Uint8Array, maxBytes: number): Uint8Array | null {
  if (sent.byteLength > UNPACKED_HERE) return null;
  try {
    const chunkSize = Math.max(1024, sent.byteLength * UNPACKED_RATIO);
    return gunzipSync(sent, { maxOutputLength: maxBytes, chunkSize });
  } catch {
    return null;
  }
}

async function expandElsewhere(sent: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  try {
    return await decompress(sent, { maxOutputLength: maxBytes, chunkSize: UNPACKED_AT_ONCE });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
    throw bodyError('is not the gzip that Content-Encoding says it is');
  }
}

function parseJson(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) throw bodyError('is empty: JSON is expected');
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw bodyError('is not JSON in UTF-8');
  }
}

const bodyError = (message: string) => new ServiceError('invalid', `body ${message}`, [{ field: 'body', message }]);

const tooSlow = () =>
  new BodyTimeoutError(`The body did not arrive within ${BODY_WITHIN_MS / 1_000} s: send it again.`);

function tooLarge(maxBytes: number): ServiceError {
  const message = `has more than ${maxBytes} bytes`;
  return new ServiceError('too_large', `body ${message}`, [{ field: 'body', message }]);
}
