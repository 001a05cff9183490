import { badgeOf } from '#components/status/badge.ts';
import { isLocale, type Locale } from '#i18n/locale.ts';
import { translator } from '#i18n/translator.ts';
import { openStatus } from '../../open-status.ts';

type Context = { params: Promise<{ token: string }> };

/** The state of a status page as a picture, for a README or a wiki; `?lang=zh-CN` in Chinese. */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  const lang = new URL(request.url).searchParams.get('lang');
  const locale: Locale = isLocale(lang) ? lang : 'en';
  const status = await openStatus((await params).token);
  if (!status) return new Response(null, { status: 404 });
  const svg = badgeOf(translator(locale), status.page.title, status.targets);
  return new Response(svg, { headers: { 'content-type': 'image/svg+xml; charset=utf-8' } });
}
