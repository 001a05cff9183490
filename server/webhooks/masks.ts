import type { Outgoing } from './outgoing.ts';

// What nobody is shown, not even who may change the webhook: a signature lets whoever sees it send the same message once more,
// and the address of a chat's robot is its only credential. Receivers like to repeat an address, above all in redirects.

/** What stands in the place of what is not shown. */
export const MASKED = '***';

/** The headers of a request without its signatures. */
export function shownRequestHeaders(headers: Record<string, string>): Record<string, string> {
  const signature = headers['webhook-signature'];
  return signature ? { ...headers, 'webhook-signature': signature.replace(/v1,\S+/g, `v1,${MASKED}`) } : headers;
}

/** Headers by name alone, for who may read but not change. */
export const blank = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, MASKED]));

/** A robot's signature in the body would let whoever sees it post for an hour. */
export const shownSign = (body: string) => body.replace(SIGN, `"sign":"${MASKED}"`);

const SIGN = /"sign":"([^"]+)"/g;

/** The headers of an answer: `location` is cut to its origin, and no other repeats the address. */
export function shownAnswerHeaders(outgoing: Outgoing, headers: Record<string, string>): Record<string, string> {
  const shown = Object.entries(headers).map(([name, value]) => [
    name,
    name === 'location' ? shownLocation(value) : hideSecrets(outgoing, value),
  ]);
  return Object.fromEntries(shown);
}

/** Where a redirect leads: the origin alone. */
export function shownLocation(location: string): string {
  const url = URL.canParse(location) ? new URL(location) : null;
  return url && /^https?:$/.test(url.protocol) ? `${url.origin}/${MASKED}` : MASKED;
}

/** A text of the receiver's without the secrets and the address that it was sent. */
export function hideSecrets(outgoing: Outgoing, text: string): string {
  if (outgoing.kind === 'mail') return hide(text, outgoing.password === null ? [] : [outgoing.password]);
  const { pathname, search, searchParams } = new URL(outgoing.url);
  const parts = [`${pathname}${search}`, search, pathname, ...searchParams.values(), ...pathname.split('/')];
  const long = parts.filter((part) => part.length >= SECRET_CHARACTERS);
  return hide(text, [...outgoing.masks, ...signaturesOf(outgoing), ...long]);
}

/** Some receivers answer with the very request. */
function signaturesOf({ headers, body }: Outgoing): string[] {
  const signed = [...(headers['webhook-signature'] ?? '').matchAll(/v1,(\S+)/g), ...body.matchAll(SIGN)];
  return signed.flatMap(([, signature]) => signature ?? []);
}

/** What is shorter is no credential, and may well be a word of the receiver's own. */
const SECRET_CHARACTERS = 12;

/**
 * Why an attempt failed, as the log and the timelines of incidents tell it: also readers see it, so the mail server and the
 * mailboxes are not named either.
 */
export function shownError(outgoing: Outgoing, error: string): string {
  const hidden = hideSecrets(outgoing, error);
  if (outgoing.kind === 'http') return hidden;
  const { host, user, from, to } = outgoing.settings;
  return hide(hidden, [from, ...to, ...(user === null ? [] : [user]), host]);
}

const hide = (text: string, secrets: string[]) =>
  secrets.filter(Boolean).reduce((shown, secret) => shown.replaceAll(secret, MASKED), text);
