import { Language } from '#contract/language.ts';
import { MASK } from '#contract/target-secrets.ts';
import { type Webhook, WebhookFormat, WebhookSettings } from '#contract/webhook.ts';
import type { Webhook as Row } from '#prisma/generated/client.ts';
import { openable, unseal } from '#server/access/sealing.ts';
import type { Viewer } from '#server/access/secret-settings.ts';
import { isSecretUrl } from './formats/formats.ts';
import type { Outgoing } from './outgoing.ts';
import { openSecrets } from './secrets.ts';
import type { Sent } from './send.ts';

/** A webhook as it may leave the server for this viewer. */
export function presentWebhook(row: Row, viewer: Viewer): Webhook {
  const format = WebhookFormat.parse(row.format);
  return {
    id: row.id,
    name: row.name,
    format,
    url: shownUrl(row, format, viewer),
    secrets: shownSecrets(row, viewer),
    language: Language.parse(row.language),
    events: row.events,
    ruleIds: row.ruleIds,
    severities: row.severities,
    settings: shownSettings(row, viewer),
    template: viewer === 'editor' || row.template === null ? row.template : MASK,
    enabled: row.enabled,
    disabledReason: row.disabledReason,
    slowUntil: row.slowUntil?.toISOString() ?? null,
    demo: row.demo,
    managed: row.managedAt !== null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

/** The mail server, its user and the mailboxes are for those alone who may change them. */
function shownSettings(row: Row, viewer: Viewer): WebhookSettings {
  const settings = WebhookSettings.parse(row.settings);
  return viewer === 'reader' ? { ...settings, email: null } : settings;
}

function shownUrl(row: Row, format: WebhookFormat, viewer: Viewer): string | null {
  if (row.url === null) return null;
  const url = openable(() => unseal(row.url ?? ''));
  // A page must show what there is, also where this process cannot open it.
  if (url === null) return MASK;
  return viewer === 'reader' || isSecretUrl(format) ? maskedUrl(url) : url;
}

/** The host alone: path and query may hold credentials. */
export const maskedUrl = (url: string) => `${new URL(url).origin}/${MASK}`;

/** Whether an address that was given is a mask of the stored one. */
export const isMaskedUrl = (url: string) => url.includes(MASK);

const HINT_CHARACTERS = 4;

function shownSecrets(row: Row, viewer: Viewer): Webhook['secrets'] {
  if (viewer === 'reader') return [];
  const secrets = openable(() => openSecrets(row.secrets, new Date())) ?? [];
  return secrets.map(({ secret, expiresAt }) => ({
    hint: secret.length > 12 ? `…${secret.slice(-HINT_CHARACTERS)}` : MASK,
    expiresAt,
  }));
}

// What is never shown, not even to those who may change the webhook: a signature lets its reader send the same message again,
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

/** A robot's signature in the body would let its reader post for an hour. */
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

/** Most bytes of a request's and of an answer's body that the log keeps. */
export const LOGGED_BYTES = 2_048;

/** An attempt as the log keeps it: nothing in it is secret. */
export type Shown = {
  status: number | null;
  durationMs: number | null;
  requestHeaders: Record<string, string> | null;
  requestBody: string | null;
  responseHeaders: Record<string, string> | null;
  responseBody: string | null;
};

/** What the log shows of an attempt. */
export function shownAttempt(outgoing: Outgoing, sent: Sent): Shown {
  return {
    status: sent.answer?.status ?? null,
    durationMs: sent.durationMs,
    requestHeaders: mapValues(shownRequestHeaders(outgoing.headers), storable),
    requestBody: cut(shownBody(outgoing)),
    responseHeaders: sent.answer && mapValues(shownAnswerHeaders(outgoing, sent.answer.headers), storable),
    responseBody: sent.answer && cut(hideSecrets(outgoing, sent.answer.body)),
  };
}

/** An attempt that came to no request. */
export const NOTHING_SENT: Shown = {
  status: null,
  durationMs: null,
  requestHeaders: null,
  requestBody: null,
  responseHeaders: null,
  responseBody: null,
};

/** The body with its secrets masked; of a mail, the subject and the text. */
export function shownBody(outgoing: Outgoing): string {
  if (outgoing.kind === 'mail') return `${outgoing.subject}\n\n${outgoing.body}`;
  return shownSign(outgoing.masks.reduce((body, secret) => body.replaceAll(secret, MASKED), outgoing.body));
}

function cut(text: string): string {
  const bytes = Buffer.from(storable(text));
  return bytes.length <= LOGGED_BYTES
    ? bytes.toString()
    : new TextDecoder().decode(bytes.subarray(0, LOGGED_BYTES), { stream: true });
}

/** A receiver may answer what PostgreSQL cannot hold. */
const storable = (text: string) => text.replaceAll('\0', '\uFFFD').toWellFormed();

const mapValues = (record: Record<string, string>, map: (value: string) => string) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [storable(key), map(value)]));
