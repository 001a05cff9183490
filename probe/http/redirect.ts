import type { ResultHttp } from '#contract/result.ts';
import type { ProbeRequestSettings, ProbeSettings } from '#contract/target.ts';
import { MAX_LOCATION } from './exchange.ts';

/** Statuses that send a client elsewhere; 300 leaves the choice to the user, 304 is no redirect. */
const REDIRECTS: readonly (number | null)[] = [301, 302, 303, 307, 308];
/** After these the next request has the same method and body; after the others it is a GET. */
const METHOD_KEPT: readonly (number | null)[] = [307, 308];
/** Longest URL that a Result can have. */
const MAX_URL = 2_048;

/**
 * Headers that another origin may see. The list is of those that are let through, since a secret may be in a header of
 * any name.
 */
const HARMLESS = ['accept', 'accept-encoding', 'accept-language', 'cache-control', 'pragma', 'range', 'user-agent'];

/** A Result, or as much of it as a redirect needs. */
type Answered = { url: string; http: Pick<ResultHttp, 'status' | 'location'> | null };

/** The absolute https URL that a Result's answer redirects to, without its fragment; null where it leads to none. */
export function redirectTarget({ url, http }: Answered): string | null {
  if (!http || !REDIRECTS.includes(http.status)) return null;
  const location = http.location ?? null;
  // One of this length was probably longer, and what is left of it leads somewhere else.
  if (location === null || location.length >= MAX_LOCATION || !URL.canParse(location, url)) return null;
  const target = new URL(location, url);
  target.hash = '';
  const plain = target.protocol !== 'https:' || target.username !== '' || target.password !== '';
  return plain || target.href.length > MAX_URL ? null : target.href;
}

/**
 * The settings under which the redirect from `from` to the URL `to` is probed. Another origin gets no header that may
 * hold a secret, no body and no client certificate; another host is resolved and named in SNI again.
 */
export function settingsForRedirect(settings: ProbeSettings, from: Answered, to: string): ProbeSettings {
  const [here, there] = [new URL(from.url), new URL(to)];
  const request = requestAfter(settings.request, from.http?.status ?? null);
  if (here.origin === there.origin) return { ...settings, request };
  return {
    ...settings,
    request: strangersRequest(request),
    clientCertificate: null,
    ...(here.hostname === there.hostname ? {} : { address: null, sni: null }),
  };
}

/** What clients do after each status (RFC 9110, section 15.4): a HEAD stays one, anything else becomes a GET. */
function requestAfter(request: ProbeRequestSettings, status: number | null): ProbeRequestSettings {
  return METHOD_KEPT.includes(status) ? request : withoutBody(request);
}

function strangersRequest(request: ProbeRequestSettings): ProbeRequestSettings {
  const headers = request.headers.filter(({ name, secret }) => !secret && HARMLESS.includes(name.toLowerCase()));
  return { ...withoutBody(request), headers };
}

function withoutBody({ method, headers }: ProbeRequestSettings): ProbeRequestSettings {
  const ofBody = (name: string) => name.toLowerCase().startsWith('content-');
  const kept = headers.filter(({ name }) => !ofBody(name));
  return { method: method === 'HEAD' ? 'HEAD' : 'GET', headers: kept, body: null };
}
