import { createTranslator } from 'use-intl/core';
import en from './en.json' with { type: 'json' };
import type { Locale } from './locale.ts';
import zhCN from './zh-CN.json' with { type: 'json' };

export const MESSAGES: Record<Locale, typeof en> = { en, 'zh-CN': zhCN };

// Chinese and Latin text stand apart by a space, also Latin words and numbers among themselves; Chinese texts do not. Where a value or a
// branch meets Chinese text or another one, whether a space is due is known only when the message is filled in: until then a character
// that no text has stands there, another one in place of a space that the message has. Between two values a space stays as it is written.
const JOINT = '\uE000';
const SPACE = '\uE001';
const HAN = '\\p{Script=Han}';
const JOINTS = new RegExp(`(?<=${HAN})(?=\\{)|(?<=\\})(?=[${HAN}{])`, 'gu');
const SPACES = new RegExp(`(?<=${HAN}) (?=\\{)|(?<=\\}) (?=${HAN})`, 'gu');
const NEEDLESS = new RegExp(`(?<=${HAN})[${JOINT}${SPACE}]+(?=${HAN})`, 'gu');
const DUE = new RegExp(`(?<=[\\w%${HAN}])${JOINT}+(?=[\\w${HAN}]|[+−-]\\d)`, 'gu');
const withJoints = <Messages>(messages: Messages): Messages =>
  JSON.parse(JSON.stringify(messages).replace(SPACES, SPACE).replace(JOINTS, JOINT)) as Messages;
const joined = (text: string) =>
  text.replace(NEEDLESS, '').replace(DUE, ' ').replaceAll(JOINT, '').replaceAll(SPACE, ' ');

const make = (locale: Locale) =>
  createTranslator({
    locale,
    messages: locale === 'zh-CN' ? withJoints(MESSAGES[locale]) : MESSAGES[locale],
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
  const plain = make(locale);
  const apart = ((...args: Parameters<Translate>) => joined(plain(...args))) as Translate;
  const made = locale === 'zh-CN' ? Object.assign(apart, plain) : plain;
  translators.set(locale, made);
  return made;
}

/** What a language calls itself. */
export const languageName = (locale: Locale): string => MESSAGES[locale].language.name;
