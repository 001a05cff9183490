import { type NextRequest, NextResponse } from 'next/server';
import { isLocale } from '#i18n/locale.ts';
import { ownCookie } from '#server/access/cookies.ts';
import { ForeignOriginError, refuseForeignOrigin } from '#server/access/origin.ts';
import { findSession, SESSION_COOKIE } from '#server/access/session.ts';
import { formRefusal } from './app/form-refusal.ts';
import { PATH_HEADER } from './app/local-path.ts';

export const config = { matcher: '/((?!api/|_next/|metrics$|preferences$|sign-in$|sign-out$).*)' };

const YEAR_SECONDS = 31_536_000;

/** What every request for a page passes first. */
export async function proxy(request: NextRequest): Promise<Response> {
  const path = pathOf(request);
  if (request.method === 'POST') {
    const refusal = await refuseStranger(request, path);
    if (refusal) return refusal;
  }
  request.headers.set(PATH_HEADER, path);
  // `?lang=zh-CN` on any page chooses the language of this page and of those after it.
  const lang = request.nextUrl.searchParams.get('lang');
  if (isLocale(lang)) request.cookies.set('locale', lang);
  const response = NextResponse.next({ request: { headers: request.headers } });
  if (isLocale(lang)) response.cookies.set('locale', lang, { path: '/', maxAge: YEAR_SECONDS, sameSite: 'lax' });
  return response;
}

/**
 * A POST to a page is a server action, and those are the administrator's. Next takes its body apart before the action can
 * judge who asks, and what it cannot read ends as a 500: so that is judged here already.
 */
async function refuseStranger(request: NextRequest, path: string): Promise<Response | null> {
  try {
    if (await findSession(ownCookie((name) => request.cookies.get(name)?.value, SESSION_COOKIE))) {
      refuseForeignOrigin(request);
      return null;
    }
  } catch (error) {
    if (error instanceof ForeignOriginError) return formRefusal(error, request);
    const headers = { 'content-type': 'text/plain', 'retry-after': '5' };
    return new NextResponse('The database cannot be reached.', { status: 503, headers });
  }
  // The header is how Next tells its script in the page where to go.
  const login = `/login?next=${encodeURIComponent(path)}`;
  return new NextResponse(null, { status: 401, headers: { 'x-action-redirect': `${login};push` } });
}

function pathOf({ nextUrl }: NextRequest): string {
  const query = new URLSearchParams(nextUrl.search);
  // Next's own, on a navigation within the dashboard.
  query.delete('_rsc');
  return query.size > 0 ? `${nextUrl.pathname}?${query}` : nextUrl.pathname;
}
