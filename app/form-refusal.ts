import type { Locale } from '#i18n/locale.ts';
import { translator } from '#i18n/translator.ts';
import { ForeignOriginError } from '#server/access/origin.ts';
import { problemOf } from '#server/http/problem.ts';
import { localeOf } from './request-ui.ts';

/** What a form of the pages is answered where it goes no further: a page that says why, with the status of the API's problem. */
export async function formRefusal(error: unknown, request: Request): Promise<Response> {
  const refusal = problemOf(error);
  const locale = localeOf(request.headers);
  const { detail } = (await refusal.json()) as { detail: string };
  const { said, known } = error instanceof ForeignOriginError ? error : {};
  const text = said && known ? translator(locale)('formError.origin', { said, known }) : detail;
  const headers = new Headers(refusal.headers);
  headers.set('content-type', 'text/html; charset=utf-8');
  return new Response(pageWith(text, locale), { status: refusal.status, headers });
}

function pageWith(text: string, locale: Locale): string {
  const t = translator(locale);
  const escaped = text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<!doctype html>
<html lang="${locale}"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${t('formError.refused')}</title>
<h1>${t('formError.refused')}</h1><p>${escaped}</p><p><a href="/login">${t('login.title')}</a></p></html>
`;
}
