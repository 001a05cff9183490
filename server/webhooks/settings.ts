import type { WebhookFormat, WebhookSettings } from '#contract/webhook.ts';
import { invalidField } from '#server/environment/errors.ts';
import { refusePrivateHost } from './address-guard.ts';
import { templateProblem } from './formats/template.ts';

/** Throws `invalid` where the format needs another address than this, or where it is private and such are not allowed. */
export function refuseBadUrl(format: WebhookFormat, url: string | null): void {
  if (format === 'email') {
    if (url !== null) throw invalidField('url', 'is not used by the format email: give settings.email');
    return;
  }
  if (url === null) {
    if (format === 'pagerduty') return;
    throw invalidField('url', `is needed by the format ${format}`);
  }
  refusePrivateHost('url', new URL(url).hostname);
}

type Given = { format: WebhookFormat; settings: WebhookSettings };

/** Throws `invalid` where the format lacks its settings, or they name a private mail server and such are not allowed. */
export function refuseBadSettings({ format, settings }: Given, { demo }: { demo: boolean }): void {
  if (format !== 'email') return;
  if (settings.email === null) throw invalidField('settings.email', 'is needed by the format email');
  if (!demo) refusePrivateHost('settings.email.host', settings.email.host);
}

/** The template as it is to be stored: null but for the format `template`. Throws `invalid`, naming the placeholder. */
export function acceptedTemplate(
  format: WebhookFormat,
  template: string | null,
  { contentType }: WebhookSettings,
): string | null {
  if (format !== 'template') return null;
  if (template === null) throw invalidField('template', 'is needed by the format template');
  const problem = templateProblem(template, contentType);
  if (problem) throw invalidField('template', problem);
  return template;
}
