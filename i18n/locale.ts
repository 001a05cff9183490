import { LANGUAGES } from '#contract/language.ts';

export const LOCALES = LANGUAGES;
export type Locale = (typeof LOCALES)[number];

/** True where the text names a language that we have messages for. */
export function isLocale(value: string | null | undefined): value is Locale {
  return LOCALES.some((locale) => locale === value);
}

/** The reader's language from an Accept-Language header; any Chinese is zh-CN, and what we don't have is English. */
export function negotiateLocale(header: string | null): Locale {
  const wanted = (header ?? '')
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().split(';');
      const quality = parameters.find((parameter) => parameter.trim().startsWith('q='));
      return { tag: tag.toLowerCase(), quality: quality ? Number(quality.trim().slice(2)) : 1 };
    })
    .filter((entry) => entry.quality > 0)
    .sort((a, b) => b.quality - a.quality);
  const primary = (tag: string) => tag.toLowerCase().split('-')[0];
  for (const { tag } of wanted) {
    const exact = LOCALES.find((locale) => locale.toLowerCase() === tag);
    const alike = exact ?? LOCALES.find((locale) => primary(locale) === primary(tag));
    if (alike) return alike;
  }
  return 'en';
}
