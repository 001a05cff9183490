import { type Format, FormatError } from '../outgoing.ts';
import { textOf } from '../text.ts';

/** Mail: the message as plain text. Attempts of one message carry one Message-ID, and an incident's mails are a thread. */
export const email: Format = {
  url: 'none',
  secret: 'sent',
  fields: ['email'],
  write: (endpoint, { messageId, incidentId, payload }) => {
    const settings = endpoint.settings.email;
    if (!settings) throw new FormatError('the webhook has no settings.email');
    const text = textOf(payload, endpoint.language);
    const domain = settings.from.split('@').at(-1) ?? 'localhost';
    const thread = incidentId && `<incident-${incidentId}@${domain}>`;
    return {
      kind: 'mail',
      settings,
      password: endpoint.secrets[0] ?? null,
      headers: {
        'message-id': `<${messageId}@${domain}>`,
        'x-webhook-id': messageId,
        ...(thread ? { references: thread, 'in-reply-to': thread } : {}),
      },
      subject: text.title.replace(/\s+/g, ' '),
      body: [...text.lines, ...(text.link ? ['', text.link] : []), ''].join('\n'),
    };
  },
  groups: true,
};
