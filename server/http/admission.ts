import type { IncomingMessage, ServerResponse } from 'node:http';
import { isThisMachine, networkOf } from '#server/access/client-address.ts';
import { environment } from '#server/environment/environment.ts';
import { countRequestHere } from './rate-limit.ts';

// What every request passes before Next or a route sees it: it is for the host that this server has, and its sender has not
// used up its requests of the minute. Operations of the API are limited by `handle`, which knows their key (http.ts).

/** Why a request is not served: a status, a sentence, and headers. */
type Refusal = { status: 421 | 429; sentence: string; headers: Record<string, string> };

/** What orchestrators and probers ask by whatever name they know. */
const BY_ANY_NAME = /^\/api\/(health|ready|ingest\/.*)$/;
/** Answered to a key that works, by whatever name, and to no other: a page under a rebound name may send the header, but has no key. */
const BY_KEY = /^\/(api\/v1\/.*|metrics(\/probes)?)$/;
/** Limited by `handle`, or files that are the same for all; `/api/docs` is a page. */
const LIMITED_ELSEWHERE = /^\/(api\/(?!docs(\/|$))|_next\/static\/)/;

/** Refuses the request where it must; says whether it did. */
export async function refused(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
  const refusal = wrongHost(request) ?? (await tooMany(request));
  if (!refusal) return false;
  const { status, sentence, headers } = refusal;
  const all = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...headers };
  response.writeHead(status, all).end(`${sentence}\n`);
  request.resume();
  return true;
}

/** A server that knows its own name answers to no other: not to rebound names, and not for links or caches of another host. */
function wrongHost({ url = '', headers, socket }: IncomingMessage): Refusal | null {
  const { ROUNDTRIP_PUBLIC_URL: publicUrl } = environment();
  if (publicUrl === undefined || BY_ANY_NAME.test(pathOf(url))) return null;
  if (headers.authorization !== undefined && BY_KEY.test(pathOf(url))) return null;
  const named = headers['x-forwarded-host'] ?? headers.host;
  const hostname = URL.parse(`http://${named}`)?.hostname;
  if (hostname === new URL(publicUrl).hostname) return null;
  if (hostname !== undefined && isThisMachine(hostname) && isThisMachine(socket.remoteAddress ?? '')) return null;
  const sentence = `This server is ${new URL(publicUrl).origin} (ROUNDTRIP_PUBLIC_URL); the request names another host.`;
  return { status: 421, sentence, headers: {} };
}

async function tooMany({ url = '', headers }: IncomingMessage): Promise<Refusal | null> {
  if (LIMITED_ELSEWHERE.test(pathOf(url))) return null;
  const { allowed, headers: limits } = await countRequestHere(
    `address:${networkOf(String(headers['x-forwarded-for']))}`,
  );
  if (allowed) return null;
  const sentence = `At most ${limits['RateLimit-Limit']} requests a minute. Try again in ${limits['Retry-After']} s.`;
  return { status: 429, sentence, headers: limits };
}

const pathOf = (url: string) => url.split('?', 1)[0] ?? '';
