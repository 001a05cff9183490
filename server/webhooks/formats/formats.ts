import type { FormatForm, WebhookFormat } from '#contract/webhook.ts';
import type { Format } from '../outgoing.ts';
import { alertmanager } from './alertmanager.ts';
import { dingtalk } from './dingtalk.ts';
import { email } from './email.ts';
import { feishu } from './feishu.ts';
import { pagerduty } from './pagerduty.ts';
import { slack } from './slack.ts';
import { standard } from './standard.ts';
import { template } from './template.ts';
import { wecom } from './wecom.ts';

/** Every format, by the name that the API has for it. */
export const WRITERS: Record<WebhookFormat, Format> = {
  standard,
  slack,
  feishu,
  dingtalk,
  wecom,
  pagerduty,
  alertmanager,
  template,
  email,
};

/** What the form of this format asks for; an address that the format has by itself is not asked for. */
export function formOf(format: WebhookFormat): FormatForm {
  const { url, secret, fields = [] } = WRITERS[format];
  return { url: url === 'given', secret: secret !== 'none', fields };
}

/** Whether its messages are signed as Standard Webhooks, with a secret that can be rotated. */
export const isSigned = (format: WebhookFormat): boolean => WRITERS[format].secret === 'standard';

/** Whether the whole address is a credential, which is never shown again. */
export const isSecretUrl = (format: WebhookFormat): boolean => WRITERS[format].secretUrl ?? true;

/** The address where none was given: the receiver's own; null: the format has none. */
export function usualUrl(format: WebhookFormat): string | null {
  const { url } = WRITERS[format];
  return typeof url === 'object' ? url.usual : null;
}
