import { type NextRequest, NextResponse } from 'next/server';
import { isLocale } from '#i18n/locale.ts';

export const config = { matcher: '/((?!api/|_next/|metrics|preferences|.*\\.).*)' };

const YEAR_SECONDS = 31_536_000;

/** `?lang=zh-CN` on any page chooses the language of this page and of those after it. */
export function proxy(request: NextRequest): NextResponse {
  const lang = request.nextUrl.searchParams.get('lang');
  if (!isLocale(lang)) return NextResponse.next();
  request.cookies.set('locale', lang);
  const response = NextResponse.next({ request: { headers: request.headers } });
  response.cookies.set('locale', lang, { path: '/', maxAge: YEAR_SECONDS, sameSite: 'lax' });
  return response;
}
