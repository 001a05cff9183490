import { environment } from '#server/environment/environment.ts';
import { ServiceError } from '#server/environment/errors.ts';

/** What a request says of its way here: `X-Forwarded-Host` or `Host`, and `X-Forwarded-Proto`. */
type Way = { host: string | null | undefined; scheme: string | null | undefined };

/**
 * Whether a page of this origin is ours: the origin of ROUNDTRIP_PUBLIC_URL, or the host that the request is for. Default ports
 * say nothing. A proxy that says https is believed; one may also speak TLS and not say so.
 */
export function isOwnOrigin(origin: string, { host, scheme }: Way): boolean {
  const page = URL.parse(origin);
  if (page === null || !/^https?:$/.test(page.protocol)) return false;
  const { ROUNDTRIP_PUBLIC_URL: publicUrl } = environment();
  if (publicUrl !== undefined && page.origin === new URL(publicUrl).origin) return true;
  if (scheme === 'https' && page.protocol === 'http:') return false;
  return URL.parse(`${page.protocol}//${host}`)?.origin === page.origin;
}

/** A page that is not ours, as far as the request tells: `said` is the browser's `Origin`, `known` what the request is for. */
export class ForeignOriginError extends ServiceError {
  readonly said: string;
  readonly known: string;

  constructor(said: string, known: string) {
    super(
      'forbidden',
      `The browser says that its page is of ${said} (Origin), and the request reached this server as ${known}. Behind a reverse proxy pass Host on as it came (nginx: proxy_set_header Host $http_host), or set ROUNDTRIP_PUBLIC_URL. Scripts send an API key and no cookie.`,
    );
    this.said = said;
    this.known = known;
  }
}

/** Throws ForeignOriginError unless the request was made by a page of ours, or by a script, which names no origin. */
export function refuseForeignOrigin(request: Request): void {
  if (request.headers.has('origin')) refuseCrossOrigin(request);
}

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * A browser sends the cookie whichever site made it ask; only a page of our own may change things with it.
 * Throws ForeignOriginError.
 */
export function refuseCrossOrigin({ method, headers }: Request): void {
  if (READS.has(method)) return;
  const origin = headers.get('origin');
  const way = wayOf(headers);
  if (origin !== null && isOwnOrigin(origin, way)) return;
  throw new ForeignOriginError(origin ?? 'null', `${way.scheme ?? 'http'}://${way.host ?? ''}`);
}

/** Whether the page that led here is one of ours. */
export function cameFromHere({ headers }: Request, page: URL): boolean {
  return isOwnOrigin(page.origin, wayOf(headers));
}

function wayOf(headers: Headers): Way {
  return { host: headers.get('x-forwarded-host') ?? headers.get('host'), scheme: headers.get('x-forwarded-proto') };
}
