import type { Locale } from './locale.ts';

/** True for a zone that this runtime knows, such as Asia/Shanghai. */
export function isTimeZone(zone: string | null | undefined): zone is string {
  if (!zone || zone.length > 64) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

const formats = new Map<string, Intl.DateTimeFormat>();
function partsFormat(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    timeZoneName: 'longOffset',
  });
  formats.set(zone, made);
  return made;
}

/** Wall-clock parts of an instant in a zone, each padded: `year month day hour minute second fractionalSecond`. */
function wallClock(instant: number, zone: string): Record<string, string> {
  return Object.fromEntries(
    partsFormat(zone)
      .formatToParts(instant)
      .map((part) => [part.type, part.value]),
  );
}

export type TimeDetail = 'minute' | 'second' | 'millisecond';

/** `2026-11-21 16:00:03` in the zone; pages name the zone once beside it. */
export function formatTime(instant: string | number, zone: string, detail: TimeDetail = 'second'): string {
  const at = typeof instant === 'number' ? instant : Date.parse(instant);
  const part = wallClock(at, zone);
  const minute = `${part.year}-${part.month}-${part.day} ${part.hour}:${part.minute}`;
  if (detail === 'minute') return minute;
  const second = `${minute}:${part.second}`;
  return detail === 'second' ? second : `${second}.${part.fractionalSecond}`;
}

/** `16:00` in the zone: of a time that is not long ago. */
export const formatClock = (instant: string | number, zone: string): string =>
  formatTime(instant, zone, 'minute').slice(-'16:00'.length);

/** `12 Nov` or `11月12日`: the day in the zone, of this year or the one before. */
export const formatDay = (instant: string, zone: string, locale: Locale): string =>
  new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : locale, {
    day: 'numeric',
    month: 'short',
    timeZone: zone,
  }).format(Date.parse(instant));

/** The zone's distance from UTC at an instant, such as `UTC+08:00`. */
export function zoneOffset(zone: string, instant: number = Date.now()): string {
  const name = wallClock(instant, zone).timeZoneName ?? 'GMT';
  return name === 'GMT' ? 'UTC+00:00' : name.replace('GMT', 'UTC');
}

/** The value of a `datetime-local` field for an instant. */
export const toLocalField = (instant: string | number, zone: string) =>
  formatTime(instant, zone, 'minute').replace(' ', 'T');

/** The instant (ms) of a `datetime-local` value in a zone, or of a text with an offset of its own; null where it is neither. */
export function parseLocal(value: string, zone: string): number | null {
  if (/(?:Z|[+-]\d\d:?\d\d)$/.test(value)) return Number.isNaN(Date.parse(value)) ? null : Date.parse(value);
  const asUtc = Date.parse(`${value}${value.length === 16 ? ':00' : ''}Z`);
  if (Number.isNaN(asUtc)) return null;
  // The offset is a function of the instant we seek: two steps are enough, even over a change to summer time.
  const first = asUtc - offsetMs(asUtc, zone);
  return asUtc - offsetMs(first, zone);
}

function offsetMs(instant: number, zone: string): number {
  const whole = Math.floor(instant / 1_000) * 1_000;
  return Date.parse(`${formatTime(whole, zone).replace(' ', 'T')}Z`) - whole;
}

/** An instant as short as `now` (ms) allows, in the reader's zone: `23:58`, `11-20 23:58` of another day, the year of another year. */
export function sinceText({ timeZone }: { timeZone: string }, at: string, now: number): string {
  const [day = '', time = ''] = formatTime(at, timeZone, 'minute').split(' ');
  const [today = ''] = formatTime(now, timeZone, 'minute').split(' ');
  if (day === today) return time;
  return day.slice(0, 4) === today.slice(0, 4) ? `${day.slice(5)} ${time}` : `${day} ${time}`;
}
