import type { Locale } from './locale.ts';
import type { Translate } from './translator.ts';

export const THEMES = ['light', 'dark', 'system'] as const;
export type Theme = (typeof THEMES)[number];

/** How this reader wants the pages: handed by a page to every component that shows text, numbers or times. */
export type Ui = { locale: Locale; t: Translate; timeZone: string; theme: Theme };
