import { isTimeZone, parseLocal } from '#i18n/time.ts';

/** What was typed into a field, trimmed, its line ends those of a text; null where it is empty. */
export function formText(form: FormData, field: string): string | null {
  const value = form.get(field);
  return typeof value === 'string' ? value.replaceAll('\r\n', '\n').trim() || null : null;
}

/** A number of a form: undefined where it is empty, so that a default holds; what is no number is left for Zod to refuse. */
export function formNumber(form: FormData, field: string): number | undefined {
  const text = formText(form, field);
  return text === null ? undefined : Number(text);
}

/** All the boxes of one name that are ticked. */
export const formList = (form: FormData, field: string) => form.getAll(field).map(String);

/** The lines of a field that have anything in them. */
export const formLines = (form: FormData, field: string) =>
  (formText(form, field) ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** A URL as people type it, with the scheme that is meant: `example.org` is `https://example.org`. Empty where nothing was typed. */
export function formUrl(form: FormData, field: string): string {
  const typed = formText(form, field) ?? '';
  return typed === '' || /^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `https://${typed}`;
}

/** An instant (RFC 3339) that was typed in the zone that the form names: undefined where it is empty; what is no time is left for Zod to refuse. */
export function formInstant(form: FormData, field: string): string | undefined {
  const [text, zone] = [formText(form, field), formText(form, 'zone')];
  if (text === null) return undefined;
  const at = parseLocal(text, isTimeZone(zone) ? zone : 'UTC');
  return at === null ? text : new Date(at).toISOString();
}
