import { readSteps } from '#components/first-steps/steps.ts';
import { isLocale } from '#i18n/locale.ts';
import { isTimeZone } from '#i18n/time.ts';
import { THEMES } from '#i18n/ui.ts';
import { cameFromHere } from '#server/access/origin.ts';

const YEAR_SECONDS = 31_536_000;

/** Keeps a language, theme, zone or the skipped first steps in a cookie and goes back to the page that the reader came from. */
export function GET(request: Request): Response {
  const { searchParams } = new URL(request.url);
  const headers = new Headers({ location: cameFrom(request), 'cache-control': 'no-store' });
  for (const [cookie, value] of [
    ['locale', isLocale(searchParams.get('lang')) ? searchParams.get('lang') : null],
    ['theme', THEMES.find((theme) => theme === searchParams.get('theme'))],
    ['tz', isTimeZone(searchParams.get('tz')) ? searchParams.get('tz') : null],
    ['skipped', readSteps(searchParams.get('skipped')).join('.')],
  ] as const) {
    if (value) {
      headers.append(
        'set-cookie',
        `${cookie}=${encodeURIComponent(value)}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax`,
      );
    }
  }
  return new Response(null, { status: 303, headers });
}

/** The path of the referring page where it is one of ours; never another server's. */
function cameFrom(request: Request): string {
  const referrer = URL.parse(request.headers.get('referer') ?? '');
  if (!referrer || !cameFromHere(request, referrer)) return '/';
  referrer.searchParams.delete('lang');
  return `${referrer.pathname.replace(/^\/+/, '/')}${referrer.search}`;
}
