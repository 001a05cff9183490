'use server';

import { revalidatePath } from 'next/cache';
import { redirect } from 'next/navigation';
import type { FormState } from '#components/ui/form.tsx';
import { WebhookCreate, WebhookFormat, WebhookPatch } from '#contract/webhook.ts';
import { replayDelivery, testWebhook } from '#server/webhooks/deliveries.ts';
import { createWebhook, deleteWebhook, rotateSecret, updateWebhook } from '#server/webhooks/webhooks.ts';
import { adminAction } from '../access.ts';
import { attempted, refusedByServer, shownOnce, submitted, TAKEN } from '../form-state.ts';
import { requestUi } from '../request-ui.ts';
import { draftShown, draftTested, FIRST_STEP, PREVIEW_BUTTON, TEST_BUTTON } from './draft.ts';
import { webhookInput } from './form-values.ts';

/**
 * Makes a webhook of the form's format, shows what it would send, or sends a test; a secret that the server made is shown this
 * once. What is made goes to its page, or, of the first steps, back to them.
 */
export const createWebhookAction = adminAction(async (_before: FormState, form: FormData): Promise<FormState> => {
  const ui = await requestUi();
  const { t } = ui;
  const format = WebhookFormat.parse(form.get('format'));
  const input = { format, ...webhookInput(format, form) };
  return submitted(ui, form, { schema: WebhookCreate, input }, async (parsed) => {
    if (form.has(PREVIEW_BUTTON)) return draftShown(ui, form, parsed);
    if (form.has(TEST_BUTTON)) return draftTested(ui, form, parsed);
    const { id, name, secret } = await createWebhook(parsed);
    revalidatePath('/', 'layout');
    if (secret === null || parsed.secret !== null) redirect(form.has(FIRST_STEP) ? '/' : `/webhooks/${id}`);
    return shownOnce(ui, {
      title: t('webhooks.created', { name }),
      text: t('webhooks.secretText'),
      commands: [{ label: t('webhooks.secretTitle', { name }), command: secret }],
      next: { href: `/webhooks/${id}`, label: t('webhooks.openIt') },
    });
  });
});

/** Changes a webhook; bound to its id and format by the page. */
export const updateWebhookAction = adminAction(
  async (id: string, format: WebhookFormat, _before: FormState, form: FormData): Promise<FormState> => {
    const input = webhookInput(format, form);
    return submitted(await requestUi(), form, { schema: WebhookPatch, input }, async (patch) => {
      await updateWebhook(id, patch);
      revalidatePath('/webhooks', 'layout');
      redirect(`/webhooks/${id}`);
    });
  },
);

/** Adds a signing secret, shown this once; bound to the webhook's id by the page. */
export const rotateSecretAction = adminAction(
  async (id: string, _before: FormState, form: FormData): Promise<FormState> => {
    const ui = await requestUi();
    const { t } = ui;
    return attempted(ui, form, async () => {
      const { name, secret } = await rotateSecret(id, { keepHours: 24 });
      revalidatePath('/webhooks', 'layout');
      const commands = [{ label: t('webhooks.secretTitle', { name }), command: secret ?? '' }];
      return shownOnce(ui, { title: t('webhooks.rotate'), text: t('webhooks.secretText'), commands });
    });
  },
);

/** Sends a test; the answer is a form's, so that a refusal can be told. Bound to the webhook's id by the page. */
export const testWebhookAction = adminAction(
  async (id: string, _before: FormState, form: FormData): Promise<FormState> => {
    return send(form, () => testWebhook(id));
  },
);

/** Sends a delivery again; bound to its id by the page. */
export const replayDeliveryAction = adminAction(
  async (id: string, _before: FormState, form: FormData): Promise<FormState> => {
    return send(form, () => replayDelivery(id));
  },
);

async function send(form: FormData, work: () => Promise<unknown>): Promise<FormState> {
  const ui = await requestUi();
  try {
    await work();
  } catch (error) {
    const state = refusedByServer(ui, form, error);
    return error instanceof Error && ui.locale === 'en' ? { ...state, problem: error.message } : state;
  }
  revalidatePath('/webhooks', 'layout');
  return TAKEN;
}

export const deleteWebhookAction = adminAction(async (form: FormData): Promise<void> => {
  await deleteWebhook(String(form.get('id')));
  revalidatePath('/webhooks');
  redirect('/webhooks');
});
