import type { WebhookFormat } from '#contract/webhook.ts';
import { formLines, formList, formNumber, formText } from '../form-text.ts';

/** A webhook's form as the API would have it; Zod says what is wrong with it. An empty secret stays out of it. */
export function webhookInput(format: WebhookFormat, form: FormData) {
  const name = formText(form, 'name');
  const secret = formText(form, 'secret');
  return {
    ...(name === null ? {} : { name }),
    ...(secret === null ? {} : { secret }),
    url: formText(form, 'url'),
    language: formText(form, 'language') ?? undefined,
    events: formList(form, 'events'),
    ruleIds: formList(form, 'ruleIds'),
    severities: formList(form, 'severities'),
    settings: settingsInput(format, form),
    template: format === 'template' ? formText(form, 'template') : null,
    enabled: form.has('enabled'),
  };
}

function settingsInput(format: WebhookFormat, form: FormData) {
  if (format === 'email') return { email: emailInput(form) };
  if (format === 'template') return { contentType: formText(form, 'settings.contentType') ?? undefined };
  if (format === 'alertmanager') return { labels: labelsInput(form) };
  return {};
}

function emailInput(form: FormData) {
  return {
    host: formText(form, 'settings.email.host') ?? '',
    port: formNumber(form, 'settings.email.port'),
    secure: form.has('settings.email.secure'),
    user: formText(form, 'settings.email.user'),
    from: formText(form, 'settings.email.from') ?? '',
    to: formLines(form, 'settings.email.to'),
  };
}

/** `name=value`, one a line; a line without `=` has no value that a label could have, which Zod refuses by its name. */
function labelsInput(form: FormData): Record<string, string> {
  return Object.fromEntries(
    formLines(form, 'settings.labels').map((line) => {
      const at = line.indexOf('=');
      return at < 0 ? [`${line}=`, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}
