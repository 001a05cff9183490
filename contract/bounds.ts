import { z } from 'zod';

/** No duration on a Result exceeds ten minutes: beyond it the value is a fault of the clock. */
export const MAX_DURATION_MS = 600_000;
/** A clock that is off by more than a hundred years tells nothing. */
export const MAX_CLOCK_OFFSET_MS = 3_155_760_000_000;

/** Milliseconds; null where nothing of the kind happened. */
export const duration = z.number().min(0).max(MAX_DURATION_MS).nullable();
/** As PostgreSQL's `integer` holds it. */
export const count = z.number().int().min(0).max(2_147_483_647);
/** PostgreSQL has no year 0, and neither has a calendar. */
export const instant = z.iso
  .datetime({ precision: 3, abort: true })
  .refine((value) => !value.startsWith('0000'), 'must lie in the years 1 to 9999')
  .meta({ description: 'RFC 3339, UTC, milliseconds; years 1 to 9999' });

/** An address in which `+` was not written as `%2B`. */
const lostPlus = ({ input }: { input?: unknown }) =>
  / \d\d:\d\d$/.test(String(input)) ? 'has a space in its offset: write + as %2B in an address' : undefined;

/**
 * An instant as somebody else wrote it: any offset, `t` and `z` for `T` and `Z`, which come out of it, and milliseconds of a fraction:
 * PostgreSQL refuses hundreds of digits, which `Date` takes.
 */
export const rfc3339 = z
  .string()
  .overwrite((value) => value.replace(/(?<=\d)[tz]/g, (letter) => letter.toUpperCase()).replace(/(\.\d{3})\d+/, '$1'))
  .check(z.iso.datetime({ offset: true, abort: true, error: lostPlus }));

/**
 * What the API's schema says of an address whose host is a name, or an IPv4 or IPv6 address. `URL` judges the rest, such as the letters
 * of a name, and repairs some addresses that are not of this form.
 */
export const addressPattern = (scheme: string) => `^${scheme}://(${NAME}|${IPV4}|${IPV6})(:[0-9]{1,5})?([/?#].*)?$`;
const NAME = String.raw`([\p{L}\p{N}_][\p{L}\p{M}\p{N}_.-]*)?\p{L}[\p{L}\p{M}\p{N}_-]*\.?`;
const IPV4 = String.raw`[0-9]{1,3}(\.[0-9]{1,3}){3}`;
const IPV6 = String.raw`\[[0-9A-Fa-f:.]+\]`;

/** Whether PostgreSQL can hold a text: it takes neither NUL nor half a surrogate pair. */
export const isStorable = (value: string): boolean => value.isWellFormed() && !value.includes('\0');
export const text = (max: number) =>
  z.string().max(max).refine(isStorable, 'must not contain NUL or an unpaired surrogate');
