import { ServiceError } from '#server/environment/errors.ts';

/** Most bytes of large bodies, unpacked, that this process holds at once. A single one is always let in. */
export const IN_FLIGHT_BYTES = 32 * 1024 * 1024;
/** A gzipped batch of results unpacks to about ten times its size. */
const GZIP_RATIO = 12;
/** A refused caller is asked to come back after a time (s) between these, so that not all do at once. */
const RETRY_AFTER = { least: 1, most: 5 };

let inFlight = 0;

/**
 * Lets a large body in before any of it is read, and returns what gives its place back once it has been answered. Throws
 * `rate_limited` with a time to come back where too much is in flight: a fleet that sends its spools must not fill the memory.
 */
export function admitBody(request: Request, maxBytes: number): () => void {
  const bytes = unpackedBytes(request.headers, maxBytes);
  if (inFlight > 0 && inFlight + bytes > IN_FLIGHT_BYTES) {
    const { least, most } = RETRY_AFTER;
    const retryAfter = least + Math.floor(Math.random() * (most - least + 1));
    throw new ServiceError(
      'rate_limited',
      'The server holds as many batches as it can: send it again.',
      [],
      retryAfter,
    );
  }
  inFlight += bytes;
  return () => {
    inFlight -= bytes;
  };
}

/** An estimate from above for what probers send; the largest body where the length is not said. */
function unpackedBytes(headers: Headers, maxBytes: number): number {
  const length = headers.get('content-length');
  if (length === null) return maxBytes;
  const ratio = headers.get('content-encoding')?.trim().toLowerCase() === 'gzip' ? GZIP_RATIO : 1;
  return Math.min(maxBytes, Number(length) * ratio);
}
