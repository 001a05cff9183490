import { createHash } from 'node:crypto';
import { inTransaction } from '#server/database/database.ts';
import { lock } from '#server/database/lock.ts';
import { ServiceError } from '#server/environment/errors.ts';
import { problem } from './problem.ts';

// Conditional requests (RFC 9110, 13). A read has an `ETag`, the hash of its bytes: who sends it back in `If-None-Match` is answered
// 304 where nothing changed. A change with `If-Match` is made only where what it changes is still what its caller read.

const etagOf = (body: string) => `"${createHash('sha1').update(body).digest('base64url')}"`;

/** Whether a header's list of tags has this one. A `W/` before it is a proxy's, which packed the bytes. */
const lists = (header: string, etag: string) =>
  header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);

/** The answer to a read with its `ETag`, or 304 where the caller has it. What is no JSON, or went wrong, stays as it is. */
export async function withEtag(request: Request, response: Response): Promise<Response> {
  if (response.status !== 200 || response.headers.get('content-type') !== 'application/json') return response;
  const body = await response.text();
  const etag = etagOf(body);
  const headers = new Headers(response.headers);
  headers.set('etag', etag);
  if (!lists(request.headers.get('if-none-match') ?? '', etag)) return new Response(body, { headers });
  headers.delete('content-type');
  return new Response(null, { status: 304, headers });
}

/** Most changes with `If-Match` or `Idempotency-Key` that this process has, the one that is made included. */
export const MAX_CHANGES_AT_ONCE = 100;

let last: Promise<unknown> = Promise.resolve();
let count = 0;

/**
 * One change with `If-Match` or `Idempotency-Key` at a time in this process: each holds a connection for its lock. Throws `rate_limited` where
 * MAX_CHANGES_AT_ONCE wait already.
 */
export async function oneAtATime<T>(run: () => Promise<T>): Promise<T> {
  if (count >= MAX_CHANGES_AT_ONCE) {
    const text = `${count} changes with If-Match or Idempotency-Key wait for their turn: send it again.`;
    throw new ServiceError('rate_limited', text, [], 1);
  }
  count += 1;
  const turn = last.then(run, run).finally(() => {
    count -= 1;
  });
  last = turn.catch(() => {});
  return await turn;
}

/**
 * Makes a change where what `read` answers is what the caller's `If-Match` names: 412 where it is not, and what `read` refuses. Between
 * the look and the change no other that is conditional comes, in whatever process.
 */
export async function ifMatched(
  request: Request,
  read: (request: Request) => Promise<Response>,
  change: () => Promise<Response>,
): Promise<Response> {
  const expected = request.headers.get('if-match');
  if (expected === null) return await change();
  const { pathname, origin } = new URL(request.url);
  return await oneAtATime(() =>
    inTransaction(async (client) => {
      await lock(client, 'conditional', pathname);
      const headers = new Headers(request.headers);
      for (const name of ['content-type', 'content-length', 'if-none-match', 'transfer-encoding']) headers.delete(name);
      const current = await read(new Request(`${origin}${pathname}`, { headers }));
      if (current.status !== 200) return current;
      if (lists(expected, etagOf(await current.text()))) return await change();
      return problem('precondition_failed', 'It has changed since it was read: read it again.');
    }),
  );
}
