// Instants as monitors and spreadsheets write them.

const MINUTE_MS = 60_000;
/** Those of the world: from UTC-12 to UTC+14. */
const [LEAST_OFFSET, MOST_OFFSET] = [-12 * 60, 14 * 60];

/** `+08:00`, `+0800`, `+08` or `Z` in minutes; null for what is no offset of this world. */
export function offsetMinutes(text: string): number | null {
  if (/^z$/i.test(text)) return 0;
  const [, sign, hours, minutes = '0'] = /^([+-])(\d\d)(?::?([0-5]\d))?$/.exec(text) ?? [];
  if (!sign) return null;
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  return offset >= LEAST_OFFSET && offset <= MOST_OFFSET ? offset : null;
}

/** What is wrong with a local time where no offset was given. */
export const NO_ZONE = 'has no time zone: give --offset, such as +08:00';

const LOCAL =
  /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})[ T](\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?\s?(Z|[+-]\d\d(?::?\d\d)?)?$/i;

/**
 * An instant: RFC 3339, seconds or ms since 1970, or a local time (2026/1/5 8:05) in `offset`, minutes. Otherwise what is wrong with it, as
 * the rest of a sentence.
 */
export function instantOf(cell: string, offset: number | null): Date | string {
  if (/^\d{10}(\.\d+)?$/.test(cell)) return new Date(Number(cell) * 1_000);
  if (/^\d{13}$/.test(cell)) return new Date(Number(cell));
  const [all, year, , month, day, hour, minute, second = '0', fraction = '', zone] = LOCAL.exec(cell) ?? [];
  if (all === undefined) return 'is no time';
  const [y, mo, d, h, mi, s] = [year, month, day, hour, minute, second].map(Number) as Six;
  const ms = Number(fraction.slice(0, 3).padEnd(3, '0'));
  const local = new Date(Date.UTC(y, mo - 1, d, h, mi, s, ms));
  // What a calendar has not, such as 30 February, would come out as another day.
  const same = [local.getUTCMonth() + 1, local.getUTCDate(), local.getUTCHours(), local.getUTCMinutes()];
  if (s > 59 || [mo, d, h, mi].some((part, index) => part !== same[index])) return 'is no time of the calendar';
  const minutes = zone === undefined ? offset : offsetMinutes(zone);
  if (minutes !== null) return new Date(local.getTime() - minutes * MINUTE_MS);
  return zone === undefined ? NO_ZONE : `has no known time zone: ${zone}`;
}

type Six = [number, number, number, number, number, number];
