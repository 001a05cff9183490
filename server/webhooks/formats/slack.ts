import { type Format, JSON_TYPE, urlOf } from '../outgoing.ts';
import { COLOURS, textOf } from '../text.ts';

/** Most characters of a section's text. */
const MAX_SECTION = 3_000;

const escapeSlack = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/** Slack's incoming webhooks: a title for notifications, and blocks beside a bar of colour. */
export const slack: Format = {
  url: 'given',
  secret: 'none',
  write: (endpoint, { payload }) => {
    const text = textOf(payload, endpoint.language);
    const title = escapeSlack(text.title);
    const lines = text.lines.map(escapeSlack).join('\n');
    const link = text.link ? `\n<${text.link}|${escapeSlack(text.linkText)}>` : '';
    const told = `*${title}*\n${lines}`.slice(0, MAX_SECTION - link.length) + link;
    const section = { type: 'section', text: { type: 'mrkdwn', text: told } };
    const body = JSON.stringify({ text: title, attachments: [{ color: COLOURS[text.tone], blocks: [section] }] });
    return { kind: 'http', url: urlOf(endpoint), headers: { 'content-type': JSON_TYPE }, body, masks: [] };
  },
  groups: true,
};
