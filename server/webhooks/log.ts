import { hideSecrets, MASKED, shownAnswerHeaders, shownRequestHeaders, shownSign } from './masks.ts';
import type { Outgoing } from './outgoing.ts';
import type { Sent } from './send.ts';

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
