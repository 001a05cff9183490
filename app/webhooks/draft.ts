import type { FormState } from '#components/ui/form.tsx';
import { setOut } from '#components/webhook/message-text.tsx';
import { type WebhookCreate, WebhookDraft } from '#contract/webhook.ts';
import type { Ui } from '#i18n/ui.ts';
import { previewDraft, testDraft } from '#server/webhooks/preview.ts';
import { shownOnce, typedValues } from '../form-state.ts';

/** Name of the button that asks for a preview instead of a webhook. */
export const PREVIEW_BUTTON = 'preview';

/** Name of the button that sends a test of what the form says, before a webhook is made of it. */
export const TEST_BUTTON = 'test';

/** Name of the field by which the form of the first steps is known. */
export const FIRST_STEP = 'firstStep';

/** Sends a test as the webhook of a form would, and says whether it was taken. Throws what is wrong with the form. */
export async function draftTested({ t }: Ui, form: FormData, input: WebhookCreate): Promise<Partial<FormState>> {
  const error = await testDraft(input);
  const values = typedValues(form);
  return error === null
    ? { values, done: t('webhooks.testTaken') }
    : { values, problem: t('webhooks.testFailed', { detail: error }) };
}

/** What the webhook of a form would send, above the form with its values still in it. Throws what is wrong with them. */
export async function draftShown(ui: Ui, form: FormData, input: object): Promise<Partial<FormState>> {
  const { t } = ui;
  const { url, headers, body } = await previewDraft(WebhookDraft.parse(input));
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const commands = [
    { label: t('webhooks.url'), command: url },
    ...(head.length > 0 ? [{ label: t('webhooks.headers'), command: head.join('\n') }] : []),
    { label: t('webhooks.body'), command: setOut(body) },
  ];
  const made = { title: t('webhooks.preview'), text: t('webhooks.draftSample'), commands };
  return { values: typedValues(form), ...shownOnce(ui, made) };
}
