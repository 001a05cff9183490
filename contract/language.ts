import { z } from 'zod';

/** The languages of pages and messages. Each has its texts in `i18n/NAME.json`, which `i18n/translator.ts` lists. */
export const LANGUAGES = ['en', 'zh-CN'] as const;
export const Language = z.enum(LANGUAGES).meta({ id: 'WebhookLanguage' });
export type Language = z.infer<typeof Language>;
