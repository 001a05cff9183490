import { createHmac } from 'node:crypto';
import { type Endpoint, type Format, JSON_TYPE, type Message, urlOf } from '../outgoing.ts';

/**
 * The headers of Standard Webhooks: `webhook-signature` holds a signature by every valid secret, newest first, over
 * `id.timestamp.body`.
 */
export function signedHeaders(secrets: string[], messageId: string, body: string, now: Date): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${messageId}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': messageId,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

/** Standard Webhooks: the payload itself, signed. */
export const standard: Format = {
  url: 'given',
  secretUrl: false,
  secret: 'standard',
  write: (endpoint: Endpoint, { messageId, payload }: Message, now: Date) => {
    const { type, timestamp, data } = payload;
    const body = JSON.stringify({ type, timestamp, data });
    const headers = { 'content-type': JSON_TYPE, ...signedHeaders(endpoint.secrets, messageId, body, now) };
    return { kind: 'http', url: urlOf(endpoint), headers, body, masks: [] };
  },
  groups: true,
};
