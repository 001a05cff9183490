import type { ShownState } from '#components/ui/secret-form.tsx';
import { setOut } from '#components/webhook/message-text.tsx';
import { WebhookDraft } from '#contract/webhook.ts';
import type { Ui } from '#i18n/ui.ts';
import { previewDraft } from '#server/webhooks/preview.ts';
import { typedValues } from '../form-state.ts';

/** Name of the button that asks for a preview instead of a webhook. */
export const PREVIEW_BUTTON = 'preview';

/** What the webhook of a form would send, above the form with its values still in it. Throws what is wrong with them. */
export function draftShown({ t }: Ui, form: FormData, input: object): ShownState {
  const { url, headers, body } = previewDraft(WebhookDraft.parse(input));
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const commands = [
    { label: t('webhooks.url'), command: url },
    ...(head.length > 0 ? [{ label: t('webhooks.headers'), command: head.join('\n') }] : []),
    { label: t('webhooks.body'), command: setOut(body) },
  ];
  const shown = { title: t('webhooks.preview'), text: t('webhooks.draftSample'), commands };
  return { problem: null, errors: {}, values: typedValues(form), shown };
}
