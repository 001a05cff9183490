import type { FormatField, WebhookFormat } from '#contract/webhook.ts';
import { formOf } from '#server/webhooks/formats/formats.ts';
import { formLines, formList, formNumber, formText } from '../form-text.ts';

/** A webhook's form as the API would have it; Zod says what is wrong with it. An empty secret stays out of it. */
export function webhookInput(format: WebhookFormat, form: FormData) {
  const name = formText(form, 'name');
  const secret = formText(form, 'secret');
  const { fields } = formOf(format);
  return {
    ...(name === null ? {} : { name }),
    ...(secret === null ? {} : { secret }),
    url: formText(form, 'url'),
    language: formText(form, 'language') ?? undefined,
    events: formList(form, 'events'),
    ruleIds: formList(form, 'ruleIds'),
    severities: formList(form, 'severities'),
    settings: settingsInput(fields, form),
    template: fields.includes('template') ? formText(form, 'template') : null,
    enabled: form.has('enabled'),
  };
}

function settingsInput(fields: readonly FormatField[], form: FormData) {
  return {
    ...(fields.includes('email') ? { email: emailInput(form) } : {}),
    ...(fields.includes('template') ? { contentType: formText(form, 'settings.contentType') ?? undefined } : {}),
    ...(fields.includes('labels') ? { labels: labelsInput(form) } : {}),
  };
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
