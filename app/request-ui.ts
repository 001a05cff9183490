import { cookies, headers } from 'next/headers';
import { cache } from 'react';
import { isLocale, type Locale, negotiateLocale } from '#i18n/locale.ts';
import { isTimeZone } from '#i18n/time.ts';
import { translator } from '#i18n/translator.ts';
import { THEMES, type Ui } from '#i18n/ui.ts';

/** How the reader of this request wants the pages: language, zone and theme from cookies, else from the browser's headers. */
export const requestUi = cache(async (): Promise<Ui> => {
  const [jar, head] = await Promise.all([cookies(), headers()]);
  const locale = localeOf(head);
  const zone = decoded(jar.get('tz')?.value ?? '');
  const theme = THEMES.find((known) => known === jar.get('theme')?.value) ?? 'system';
  return { locale, t: translator(locale), timeZone: isTimeZone(zone) ? zone : 'UTC', theme };
});

/** The language that a reader chose, by the cookie, else that of the browser. */
export function localeOf(head: Pick<Headers, 'get'>): Locale {
  const chosen = /(?:^|; *)locale=([\w-]+)/.exec(head.get('cookie') ?? '')?.[1];
  return isLocale(chosen) ? chosen : negotiateLocale(head.get('accept-language'));
}

/** A cookie can hold anything. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return '';
  }
}
