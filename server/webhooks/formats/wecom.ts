import { type Format, JSON_TYPE, urlOf } from '../outgoing.ts';
import { markdownOf, textOf } from '../text.ts';
import { bodyCode } from './body-code.ts';

/** Most bytes of markdown that a robot of WeCom takes. */
const MAX_BYTES = 4_096;

/** A robot of WeCom: markdown. Its key is in the address. It answers errors with status 200. */
export const wecom: Format = {
  url: 'given',
  secret: 'none',
  write: (endpoint, { payload }) => {
    const content = markdownOf(textOf(payload, endpoint.language), (told, link) =>
      cutBytes(told, MAX_BYTES - Buffer.byteLength(link)),
    );
    const body = JSON.stringify({ msgtype: 'markdown', markdown: { content } });
    return { kind: 'http', url: urlOf(endpoint), headers: { 'content-type': JSON_TYPE }, body, masks: [] };
  },
  verdict: (answer) => bodyCode(answer, ['errcode'], ['errmsg']),
  groups: true,
  // A robot takes 20 messages a minute.
  burst: 3,
};

/** The text in at most so many bytes of UTF-8, never ending within a character. */
export function cutBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  const room = bytes - Buffer.byteLength('…');
  const cut = new TextDecoder().decode(Buffer.from(text).subarray(0, room), { stream: true });
  return `${cut}…`;
}
