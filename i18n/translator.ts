import { createTranslator } from 'use-intl/core';
import en from './en.json' with { type: 'json' };
import type { Locale } from './locale.ts';
import zhCN from './zh-CN.json' with { type: 'json' };

export const MESSAGES: Record<Locale, typeof en> = { en, 'zh-CN': zhCN };

const make = (locale: Locale) =>
  createTranslator({
    locale,
    messages: MESSAGES[locale],
    timeZone: 'UTC',
    // A missing message is a bug of ours: the page must not show a key in its place and go on.
    onError: (error) => {
      throw error;
    },
  });

/** Gives the message of a key, its placeholders filled in. */
export type Translate = ReturnType<typeof make>;
const translators = new Map<Locale, Translate>();

/** The translator of a language, made once. Server side alone: client components are given ready strings. */
export function translator(locale: Locale): Translate {
  const known = translators.get(locale);
  if (known) return known;
  const made = make(locale);
  translators.set(locale, made);
  return made;
}

/** What a language calls itself. */
export const languageName = (locale: Locale): string => MESSAGES[locale].language.name;
