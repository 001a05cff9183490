import { createHmac } from 'node:crypto';
import { type Answer, type Format, JSON_TYPE, urlOf } from '../outgoing.ts';
import { textOf } from '../text.ts';
import { bodyCode } from './body-code.ts';

/** Feishu signs nothing with `timestamp\nsecret` as the key: base64 of HMAC-SHA256 over no bytes. */
export function feishuSign(timestamp: string, secret: string): string {
  return createHmac('sha256', `${timestamp}\n${secret}`).update('').digest('base64');
}

const TEMPLATES = { bad: 'red', warning: 'orange', good: 'green', neutral: 'blue' } as const;

/** A robot of Feishu or Lark: an interactive card; with a secret, signed in the body. It answers errors with status 200. */
export const feishu: Format = {
  url: 'given',
  secret: 'signing',
  write: (endpoint, { payload }, now) => {
    const text = textOf(payload, endpoint.language);
    const [secret] = endpoint.secrets;
    const timestamp = String(Math.floor(now.getTime() / 1_000));
    const link = text.link && {
      tag: 'action',
      actions: [
        { tag: 'button', type: 'primary', url: text.link, text: { tag: 'plain_text', content: text.linkText } },
      ],
    };
    const card = {
      config: { wide_screen_mode: true },
      header: { template: TEMPLATES[text.tone], title: { tag: 'plain_text', content: text.title } },
      elements: [{ tag: 'div', text: { tag: 'plain_text', content: text.lines.join('\n') } }, ...(link ? [link] : [])],
    };
    const signed = secret ? { timestamp, sign: feishuSign(timestamp, secret) } : {};
    const body = JSON.stringify({ ...signed, msg_type: 'interactive', card });
    return { kind: 'http', url: urlOf(endpoint), headers: { 'content-type': JSON_TYPE }, body, masks: [] };
  },
  // Old robots say StatusCode, new ones code.
  verdict: (answer: Answer) => bodyCode(answer, ['code', 'StatusCode'], ['msg', 'StatusMessage']),
  groups: true,
};
