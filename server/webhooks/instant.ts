import type { Language } from '#contract/webhook.ts';

const ZONES: Record<Language, { zone: string; named: (time: string) => string }> = {
  en: { zone: 'UTC', named: (time) => `${time} UTC` },
  'zh-CN': { zone: 'Asia/Shanghai', named: (time) => `${time}（北京时间）` },
};

const OPTIONS = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
} as const;

/**
 * An instant of a message as people read it: `2026-11-21 08:00 UTC`, `2026-11-21 16:00（北京时间）`. A message is read by many, so
 * the zone is that of its language, and named. A text that is no instant stays as it is.
 */
export function instantText(instant: string, language: Language): string {
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return instant;
  const { zone, named } = ZONES[language];
  const parts = new Intl.DateTimeFormat('en-US', { ...OPTIONS, timeZone: zone }).formatToParts(at);
  const part = Object.fromEntries(parts.map(({ type, value }) => [type, value]));
  return named(`${part.year}-${part.month}-${part.day} ${part.hour}:${part.minute}`);
}
