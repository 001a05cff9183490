import type { WebhookFormat } from '#contract/webhook.ts';
import { alertmanager } from './formats/alertmanager.ts';
import { dingtalk } from './formats/dingtalk.ts';
import { email } from './formats/email.ts';
import { feishu } from './formats/feishu.ts';
import { pagerduty } from './formats/pagerduty.ts';
import { slack } from './formats/slack.ts';
import { standard } from './formats/standard.ts';
import { template } from './formats/template.ts';
import { wecom } from './formats/wecom.ts';
import type { Format } from './outgoing.ts';

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
