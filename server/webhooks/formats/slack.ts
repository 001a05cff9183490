import { type Answer, type Endpoint, type Format, FormatError, JSON_TYPE, urlOf } from '../outgoing.ts';
import { COLOURS, textOf, unemphasized, writtenWithin } from '../text.ts';

/** Most characters of a section's text. */
const MAX_SECTION = 3_000;

const escapeSlack = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/**
 * Slack: a title for notifications, and blocks beside a bar of colour. An incoming webhook takes single messages alone. With the
 * token of an app as the secret, messages go to `chat.postMessage` in the channel that the address names, and those of an incident
 * are one thread: the answer to the first says its `ts`, which later ones give as `thread_ts`.
 */
export const slack: Format = {
  url: 'given',
  secret: 'sent',
  write: (endpoint, { payload, thread }) => {
    const text = textOf(payload, endpoint.language);
    const title = escapeSlack(text.title);
    // It stands between stars itself.
    const bold = unemphasized(text.title).replaceAll('*', '∗');
    const lines = text.lines.map(unemphasized).join('\n');
    const link = text.link ? `\n<${text.link}|${escapeSlack(text.linkText)}>` : '';
    const told = writtenWithin(`*${bold}*\n${lines}`, MAX_SECTION - link.length, escapeSlack);
    const section = { type: 'section', text: { type: 'mrkdwn', text: told + link } };
    const message = { text: title, attachments: [{ color: COLOURS[text.tone], blocks: [section] }] };
    const [token] = endpoint.secrets;
    const type = { 'content-type': JSON_TYPE };
    if (!token) return { kind: 'http', url: urlOf(endpoint), headers: type, body: JSON.stringify(message), masks: [] };
    const { url, channel } = channelOf(endpoint);
    const body = JSON.stringify({ channel, ...(thread ? { thread_ts: thread } : {}), ...message });
    return { kind: 'http', url, headers: { ...type, authorization: `Bearer ${token}` }, body, masks: [token] };
  },
  // The API answers 200 to what it refuses; an incoming webhook answers with another status, and `ok` as plain text.
  verdict: (answer) => {
    const said = answerOf(answer);
    return said?.ok === false ? `answered 200 with error ${String(said.error)}` : null;
  },
  threadOf: (answer) => {
    const ts = answerOf(answer)?.ts;
    return typeof ts === 'string' ? ts : null;
  },
  groups: true,
};

/** `https://slack.com/api/chat.postMessage?channel=C012345`: the address, and the channel that it names. Throws FormatError. */
function channelOf(endpoint: Endpoint): { url: string; channel: string } {
  const url = new URL(urlOf(endpoint));
  const channel = url.searchParams.get('channel');
  if (!channel)
    throw new FormatError('with a token the url must name the channel, as .../api/chat.postMessage?channel=C012345');
  url.search = '';
  return { url: url.href, channel };
}

function answerOf({ body }: Answer): Record<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
