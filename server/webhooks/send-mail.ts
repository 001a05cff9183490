import { isIP } from 'node:net';
import nodemailer from 'nodemailer';
import { checkedAddress } from './address-guard.ts';
import type { Answer, MailOutgoing } from './outgoing.ts';
import { untilAborted, type Way } from './send-http.ts';

/**
 * Hands a mail to its SMTP server, at the checked address of its host. The answer's status is SMTP's own: 250 took it for
 * all or some, 4xx and 5xx refused. Throws where no answer came.
 */
export async function sendMail(mail: MailOutgoing, { signal, resolve }: Way): Promise<Answer> {
  const { settings, password } = mail;
  const { address } = await untilAborted(checkedAddress(settings.host, resolve), signal);
  const transport = nodemailer.createTransport({
    host: address,
    port: settings.port,
    secure: settings.secure,
    // A password is not sent where everybody on the way can read it, but to this very machine.
    requireTLS: !settings.secure && password !== null && !isLoopback(address),
    tls: isIP(settings.host) ? {} : { servername: settings.host },
    auth: settings.user === null ? undefined : { user: settings.user, pass: password ?? '' },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const close = () => transport.close();
  signal.addEventListener('abort', close, { once: true });
  try {
    const { 'message-id': messageId, ...headers } = mail.headers;
    const { from, to } = settings;
    const sending = transport.sendMail({ from, to, subject: mail.subject, text: mail.body, messageId, headers });
    const { response, rejected } = await untilAborted(sending, signal);
    return { status: Number.parseInt(response, 10) || 250, headers: {}, body: takenBy(response, rejected) };
  } catch (error) {
    const refused = refusalOf(error);
    if (refused) return refused;
    throw error;
  } finally {
    signal.removeEventListener('abort', close);
    transport.close();
  }
}

/** Sent again, it would come again to those who have it: a mail that some took is taken, and the log names the others. */
const takenBy = (response: string, rejected: unknown[]) =>
  rejected.length === 0 ? response : `${response}; refused for ${rejected.join(', ')}`;

const isLoopback = (address: string) => address === '::1' || address.startsWith('127.');

/** What the SMTP server said, where it was the one who refused. */
function refusalOf(error: unknown): Answer | null {
  if (!(error instanceof Error) || !('responseCode' in error) || typeof error.responseCode !== 'number') return null;
  const response = 'response' in error ? String(error.response) : error.message;
  return { status: error.responseCode, headers: {}, body: response };
}
