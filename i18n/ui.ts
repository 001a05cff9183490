import type { Locale } from './locale.ts';
import type { Translate } from './translator.ts';

export const THEMES = ['light', 'dark', 'system'] as const;
export type Theme = (typeof THEMES)[number];

/** Whom a text is for: the language, and the zone of times. Of a message they are those of its webhook. */
export type Voice = { locale: Locale; t: Translate; timeZone: string };

/** How this reader wants the pages: handed by a page to every component that shows text, numbers or times. */
export type Ui = Voice & { theme: Theme };
