import type { Language } from '#contract/language.ts';
import type { EmailSettings, FormatField, WebhookFormat, WebhookSettings } from '#contract/webhook.ts';
import type { WebhookPayload } from '#contract/webhook-event.ts';

/** An endpoint with its secrets open, as a format needs it. `secrets` are the valid ones, newest first. */
export type Endpoint = {
  format: WebhookFormat;
  url: string | null;
  secrets: string[];
  language: Language;
  settings: WebhookSettings;
  template: string | null;
};

/**
 * A message that is about to be sent; `messageId` is the same in every attempt. `thread` is what the receiver called the thread of the
 * incident's earlier messages, of a format that has such; `earlier` what its earlier messages to this endpoint said, by incident, of
 * a format that `recalls` it.
 */
export type Message = {
  messageId: string;
  incidentId: string | null;
  payload: WebhookPayload;
  thread?: string | null;
  earlier?: ReadonlyMap<string, Earlier>;
};

/** What an endpoint was sent of an incident: the data of the first message, and the severities of those that it took. */
export type Earlier = { first: WebhookPayload['data']; severities: string[] };

/** A POST. `masks` are texts that no log or preview may show. */
export type HttpOutgoing = {
  kind: 'http';
  url: string;
  headers: Record<string, string>;
  body: string;
  masks: string[];
};

export type MailOutgoing = {
  kind: 'mail';
  settings: EmailSettings;
  password: string | null;
  headers: Record<string, string>;
  subject: string;
  body: string;
};

export type Outgoing = HttpOutgoing | MailOutgoing;

/** The answer as far as it was read: `body` is cut at a bound. Header names are lower case. */
export type Answer = { status: number; headers: Record<string, string>; body: string };

/** Says why an answer with a status of success is a failure all the same, or null. */
export type Verdict = (answer: Answer) => string | null;

/** A message cannot be written in its endpoint's format: the message names the part, and trying again would not help. */
export class FormatError extends Error {
  override readonly name = 'FormatError';
}

/**
 * What a secret of a format is: `standard` signs as Standard Webhooks do, is made where none is given and can be rotated;
 * `signing` signs in the receiver's own way, where there is one; `sent` is sent as it is.
 */
export type SecretUse = 'standard' | 'signing' | 'sent' | 'none';

/** How messages are written for one kind of receiver, and what this kind needs: the API, masks and forms follow from it. */
export type Format = {
  /**
   * Whether the whole address is a credential, as a chat robot's is: it is never shown again. It counts as one unless a
   * format says that it is none.
   */
  secretUrl?: false;
  /** `given` by the user, one of the receiver's own that may be replaced, or `none` at all. */
  url: 'given' | 'none' | { usual: string };
  secret: SecretUse;
  /** What the secret is, of a format that cannot do without. */
  needsSecret?: string;
  fields?: readonly FormatField[];
  /** Throws FormatError. `now` is the instant of the attempt, which signatures carry. */
  write: (endpoint: Endpoint, message: Message, now: Date) => Outgoing;
  verdict?: Verdict;
  /** What the receiver calls the thread of a message that it took, where later messages may join it. */
  threadOf?: (answer: Answer) => string | null;
  /** Whether a message is written with what earlier ones of its incidents said. */
  recalls?: true;
  /** A message that is to follow one that was taken, where nothing else would end what it began at the receiver; null for others. */
  closing?: (message: Message) => WebhookPayload | null;
  /** Whether a burst may go out as one message. */
  groups: boolean;
  /** New messages one by one within BURST_SECONDS, where the receiver takes fewer than BURST_MESSAGES. */
  burst?: number;
};

export const JSON_TYPE = 'application/json; charset=utf-8';

/** The address; a webhook without one cannot have been stored. Throws FormatError. */
export function urlOf(endpoint: Endpoint): string {
  if (endpoint.url === null) throw new FormatError('the webhook has no url');
  return endpoint.url;
}
