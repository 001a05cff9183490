import type { z } from 'zod';
import type { FormState } from '#components/ui/form.tsx';
import { RETENTION_CLASS_NAMES } from '#contract/retention.ts';
import type { Ui } from '#i18n/ui.ts';
import { type FieldError, ServiceError } from '#server/environment/errors.ts';

/** Field names whose errors have a message of their own, beginning with the more special. */
const KNOWN = [
  'settings.sni',
  'settings.address',
  'settings.resolver',
  'settings.sigalgs',
  'settings.caPem',
  'settings.clientCertificate.certPem',
  'settings.clientCertificate.keyPem',
  'settings.request.headers',
  'settings.request.secretHeaders',
  'settings.request.body',
  'settings.expect.status',
  'settings.expect.bodyContains',
  'settings.expect.bodyLacks',
  'settings.redirects',
  'settings.timeouts',
  'url',
  'name',
  'periodSeconds',
  'tags',
  'vantages',
  'country',
  'region',
  'city',
  'carrier',
  'asn',
  'access',
  'scope',
  'title',
  'at',
  'minCells',
  'reminderMinutes',
  'params.kinds',
  'params.above',
  'params.below',
  'params.windowMinutes',
  'params.minResults',
  'params.share',
  'params.days',
  'params.hitRatio',
  'params.minHandshakes',
  'params.periods',
  'startsAt',
  'endsAt',
  'cron',
  'durationMinutes',
  'timeZone',
  'comment',
  'secret',
  'template',
  'settings.contentType',
  'settings.labels',
  'settings.email.host',
  'settings.email.port',
  'settings.email.from',
  'settings.email.to',
  'currentPassword',
  'newPassword',
  'regions',
  'carriers',
  ...RETENTION_CLASS_NAMES,
] as const;

/** The answer to a form that was refused: its values go back with what is wrong. */
export function refused(ui: Ui, form: FormData, problem: string | null, fields: FieldError[]): FormState {
  const errors = Object.fromEntries(
    fields.map(({ field, message }) => [fieldName(field, form), fieldText(ui, field, message)]),
  );
  return { problem: problem ?? ui.t('formError.invalid'), errors, values: typedValues(form) };
}

/** What was typed, so that it can go back into the form: React empties one after its action. */
export function typedValues(form: FormData): Record<string, string[]> {
  const values: Record<string, string[]> = {};
  for (const [name, value] of form) {
    if (typeof value === 'string' && !name.startsWith('$')) values[name] = [...(values[name] ?? []), value];
  }
  return values;
}

export const refusedByZod = (ui: Ui, form: FormData, error: z.ZodError) =>
  refused(
    ui,
    form,
    null,
    error.issues.map((issue) => ({ field: issue.path.join('.'), message: issue.message })),
  );

/** Turns an error that the server threw on purpose into a form's answer; any other goes on. */
export function refusedByServer(ui: Ui, form: FormData, error: unknown): FormState {
  if (!(error instanceof ServiceError)) throw error;
  return refused(ui, form, ui.t(`formError.${error.code}`), error.fields ?? []);
}

/** An error in a part of a field (`vantages.regions.3`) is shown at the field. */
function fieldName(path: string, form: FormData): string {
  const parts = path.split('.');
  while (parts.length > 1 && !form.has(parts.join('.'))) parts.pop();
  return parts.join('.');
}

/** What the field takes, in the reader's language; a reader of English is also told what exactly was wrong. */
function fieldText({ t, locale }: Ui, field: string, message: string): string {
  if (message.includes('ROUNDTRIP_ALLOW_PRIVATE_TARGETS=0')) return t('fieldError.privateNever');
  if (message.includes('ROUNDTRIP_ALLOW_PRIVATE_TARGETS=1')) return t('fieldError.private');
  const known = KNOWN.find((name) => field === name || field.startsWith(`${name}.`));
  const key = (known?.split('.').at(-1) ?? 'other') as 'other';
  const text = t(`fieldError.${key}`);
  return locale === 'en' && !/^(Invalid|Too|Unrecognized|must be an? )/.test(message)
    ? t('formError.detail', { text, detail: message })
    : text;
}
