import { createHmac } from 'node:crypto';
import { type Format, JSON_TYPE, urlOf } from '../outgoing.ts';
import { markdownOf, textOf } from '../text.ts';
import { bodyCode } from './body-code.ts';

/** DingTalk signs `timestamp\nsecret` with the secret as the key; base64, and escaped in the address. */
export function dingtalkSign(timestampMs: string, secret: string): string {
  return createHmac('sha256', secret).update(`${timestampMs}\n${secret}`).digest('base64');
}

/** A robot of DingTalk: markdown; with a secret, signed in the query. It answers errors with status 200. */
export const dingtalk: Format = {
  url: 'given',
  secret: 'signing',
  write: (endpoint, { payload }, now) => {
    const text = textOf(payload, endpoint.language);
    const url = new URL(urlOf(endpoint));
    const [secret] = endpoint.secrets;
    if (secret) {
      const timestamp = String(now.getTime());
      url.searchParams.set('timestamp', timestamp);
      url.searchParams.set('sign', dingtalkSign(timestamp, secret));
    }
    const markdown = { title: text.title, text: markdownOf(text) };
    const body = JSON.stringify({ msgtype: 'markdown', markdown });
    return { kind: 'http', url: url.href, headers: { 'content-type': JSON_TYPE }, body, masks: [] };
  },
  verdict: (answer) => bodyCode(answer, ['errcode'], ['errmsg']),
  groups: true,
  // A robot takes 20 messages a minute, and nothing for ten minutes after more.
  burst: 3,
};
