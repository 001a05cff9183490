import type { z } from 'zod';
import type { FormState, Shown } from '#components/ui/form.tsx';
import { MESSAGES } from '#i18n/translator.ts';
import type { Ui } from '#i18n/ui.ts';
import { type FieldError, ServiceError } from '#server/environment/errors.ts';

/** The answer to a form with which nothing is wrong. */
export const TAKEN: FormState = { problem: null, errors: {}, values: {} };

/** What a form did; a form that leads to another page redirects instead. */
type Outcome = Partial<FormState> | undefined;

/** The answer to a form: its input was refused by its schema, or `act` did something with it, which the server may have refused. */
export async function submitted<Schema extends z.ZodType>(
  ui: Ui,
  form: FormData,
  { schema, input }: { schema: Schema; input: unknown },
  act: (input: z.output<Schema>) => Promise<Outcome>,
): Promise<FormState> {
  const parsed = schema.safeParse(input);
  return parsed.success ? await attempted(ui, form, () => act(parsed.data)) : refusedByZod(ui, form, parsed.error);
}

/** The answer to a form whose input needs no schema. */
export async function attempted(ui: Ui, form: FormData, act: () => Promise<Outcome>): Promise<FormState> {
  try {
    return { ...TAKEN, ...(await act()) };
  } catch (error) {
    return refusedByServer(ui, form, error);
  }
}

/** What a form made, such as a secret that is shown this once. */
export const shownOnce = ({ t }: Ui, made: Omit<Shown, 'copy' | 'copied'>): Pick<FormState, 'shown'> => ({
  shown: { ...made, copy: t('common.copy'), copied: t('common.copied') },
});

/** The answer to a form that was refused: its values go back with what is wrong. */
export function refused(ui: Ui, form: FormData, problem: string | null, fields: FieldError[]): FormState {
  const errors = Object.fromEntries(fields.map(({ field, message }) => [field, fieldText(ui, field, message)]));
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

type Field = keyof typeof MESSAGES.en.fieldError;
const hasText = (name: string): name is Field => Object.hasOwn(MESSAGES.en.fieldError, name);

/** What the field takes, in the reader's language; a reader of English is also told what exactly was wrong. */
function fieldText({ t, locale }: Ui, field: string, message: string): string {
  if (message.includes('ROUNDTRIP_ALLOW_PRIVATE_TARGETS=0')) return t('fieldError.privateNever');
  if (message.includes('ROUNDTRIP_ALLOW_PRIVATE_TARGETS=1')) return t('fieldError.private');
  const text = t(`fieldError.${field.split('.').find(hasText) ?? 'other'}`);
  return locale === 'en' && !/^(Invalid|Too|Unrecognized|must be an? )/.test(message)
    ? t('formError.detail', { text, detail: message })
    : text;
}
