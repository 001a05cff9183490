import type { IncomingMessage } from 'node:http';
import { parseAndValidateFlightRouterState } from 'next/dist/server/app-render/parse-and-validate-flight-router-state';
import { problem } from './problem.ts';

// What Next would answer with a bare 500, or with a refusal that does not say what is allowed: refused before it gets there.

/** What the server as a whole answers. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** What a path outside of the API answers; the first that matches counts. POST to a page is a server action. */
const ANSWERED: [RegExp, string[]][] = [
  [/^\/_next\/|\.\w+$/, ['GET', 'HEAD']],
  [/^\/preferences$/, ['GET', 'HEAD']],
  [/^\/sign-(in|out)$/, ['POST']],
  [/^/, ['GET', 'HEAD', 'POST']],
];
/** Next's page for its own faults, which it serves as any other. */
const FAULT_PAGE = /^\/_global-error\b/;
/** Conditions that Next's file server answers with an error; a server may ignore each (RFC 9110, 13.2.2 and 14.2). */
const FILE_CONDITIONS = ['range', 'if-range', 'if-match', 'if-unmodified-since'];

/** The answer to a request outside of the API that goes no further: 204, 400, 404 or 405; null for all others. May put right their headers. */
export function refusalOf(request: IncomingMessage): Response | null {
  const { url = '', headers } = request;
  if (url === '*') return refuseServer(request);
  const path = pathOf(url);
  const refused = refuseMethod(request, path);
  if (refused) return refused;
  if (FAULT_PAGE.test(path)) return problem('not_found', `There is no ${path}.`);
  for (const name of FILE_CONDITIONS) delete headers[name];
  const tree = headers['next-router-state-tree'];
  return tree === undefined || isRouterState(tree)
    ? null
    : problem('invalid', 'The header next-router-state-tree is not the state of a page.');
}

/** Decoded, since Next decodes it too; `arrival.ts` has seen to it that it can be. */
function pathOf(url: string): string {
  const { pathname = '/' } = URL.parse(url, 'http://localhost') ?? {};
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

/** `*` is the server as a whole, which only `OPTIONS` can ask about. */
function refuseServer({ method }: IncomingMessage): Response {
  if (method === 'OPTIONS') return allowed(METHODS);
  return problem('invalid', 'The request target * is for OPTIONS alone: ask for a path.');
}

function refuseMethod({ method = '' }: IncomingMessage, path: string): Response | null {
  const methods = ANSWERED.find(([pattern]) => pattern.test(path))?.[1] ?? [];
  if (methods.includes(method)) return null;
  const allow = [...methods, 'OPTIONS'];
  if (method === 'OPTIONS') return allowed(allow);
  const detail = `${method} is not allowed here; ${allow.join(', ')} are.`;
  return problem('method_not_allowed', detail, undefined, { allow: allow.join(', ') });
}

const allowed = (methods: string[]) => new Response(null, { status: 204, headers: { allow: methods.join(', ') } });

function isRouterState(header: string | string[]): boolean {
  try {
    parseAndValidateFlightRouterState(header);
    return true;
  } catch {
    return false;
  }
}
