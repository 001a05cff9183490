import { type NextRequest, NextResponse } from 'next/server';
import { isLocale } from '#i18n/locale.ts';
import { findSession, SESSION_COOKIE } from '#server/session.ts';
import { PATH_HEADER } from './app/local-path.ts';

export const config = { matcher: '/((?!api/|_next/|metrics$|preferences$|sign-in$|sign-out$).*)' };

const YEAR_SECONDS = 31_536_000;

/** What every request for a page passes first. */
export async function proxy(request: NextRequest): Promise<NextResponse> {
  const path = pathOf(request);
  // Next takes the body of a server action apart before the action is asked, and what it cannot read ends as a 500.
  if (request.method === 'POST' && !(await findSession(request.cookies.get(SESSION_COOKIE)?.value))) {
    const login = `/login?next=${encodeURIComponent(path)}`;
    return new NextResponse(null, { status: 401, headers: { 'x-action-redirect': `${login};push` } });
  }
  request.headers.set(PATH_HEADER, path);
  // `?lang=zh-CN` on any page chooses the language of this page and of those after it.
  const lang = request.nextUrl.searchParams.get('lang');
  if (isLocale(lang)) request.cookies.set('locale', lang);
  const response = NextResponse.next({ request: { headers: request.headers } });
  if (isLocale(lang)) response.cookies.set('locale', lang, { path: '/', maxAge: YEAR_SECONDS, sameSite: 'lax' });
  return response;
}

function pathOf({ nextUrl }: NextRequest): string {
  const query = new URLSearchParams(nextUrl.search);
  // Next's own, on a navigation within the dashboard.
  query.delete('_rsc');
  return query.size > 0 ? `${nextUrl.pathname}?${query}` : nextUrl.pathname;
}
