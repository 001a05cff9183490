import type { WebhookFormat } from '#contract/webhook.ts';
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

/** How each format writes a message, and reads its receiver's answer. */
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
