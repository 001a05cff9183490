'use server';

import { revalidatePath } from 'next/cache';
import { redirect } from 'next/navigation';
import type { FormState } from '#components/ui/form.tsx';
import type { ShownState } from '#components/ui/secret-form.tsx';
import { WebhookCreate, WebhookFormat, WebhookPatch } from '#contract/webhook.ts';
import { replayDelivery, testWebhook } from '#server/webhooks/deliveries.ts';
import { createWebhook, deleteWebhook, rotateSecret, updateWebhook } from '#server/webhooks/webhooks.ts';
import { adminAction } from '../access.ts';
import { refusedByServer, refusedByZod } from '../form-state.ts';
import { requestUi } from '../request-ui.ts';
import { draftShown, draftTested, FIRST_STEP, PREVIEW_BUTTON, TEST_BUTTON } from './draft.ts';
import { webhookInput } from './form-values.ts';

/**
 * Makes a webhook of the form's format, shows what it would send, or sends a test; a secret that the server made is shown this
 * once. What is made goes to its page, or, of the first steps, back to them.
 */
export const createWebhookAction = adminAction(async (_before: FormState, form: FormData): Promise<ShownState> => {
  const ui = await requestUi();
  const { t } = ui;
  const format = WebhookFormat.parse(form.get('format'));
  const parsed = WebhookCreate.safeParse({ format, ...webhookInput(format, form) });
  if (!parsed.success) return { ...refusedByZod(ui, form, parsed.error), shown: null };
  let id: string;
  try {
    if (form.has(PREVIEW_BUTTON)) return draftShown(ui, form, parsed.data);
    if (form.has(TEST_BUTTON)) return await draftTested(ui, form, parsed.data);
    const made = await createWebhook(parsed.data);
    id = made.id;
    revalidatePath('/', 'layout');
    if (made.secret !== null && parsed.data.secret === null) {
      const commands = [{ label: t('webhooks.secretTitle', { name: made.name }), command: made.secret }];
      const title = t('webhooks.created', { name: made.name });
      const next = { href: `/webhooks/${id}`, label: t('webhooks.openIt') };
      const shown = { title, text: t('webhooks.secretText'), commands, next };
      return { problem: null, errors: {}, values: {}, shown };
    }
  } catch (error) {
    return { ...refusedByServer(ui, form, error), shown: null };
  }
  redirect(form.has(FIRST_STEP) ? '/' : `/webhooks/${id}`);
});

/** Changes a webhook; bound to its id and format by the page. */
export const updateWebhookAction = adminAction(
  async (id: string, format: WebhookFormat, _before: FormState, form: FormData): Promise<FormState> => {
    const ui = await requestUi();
    const parsed = WebhookPatch.safeParse(webhookInput(format, form));
    if (!parsed.success) return refusedByZod(ui, form, parsed.error);
    try {
      await updateWebhook(id, parsed.data);
    } catch (error) {
      return refusedByServer(ui, form, error);
    }
    revalidatePath('/webhooks', 'layout');
    redirect(`/webhooks/${id}`);
  },
);

/** Adds a signing secret, shown this once; bound to the webhook's id by the page. */
export const rotateSecretAction = adminAction(
  async (id: string, _before: ShownState, form: FormData): Promise<ShownState> => {
    const ui = await requestUi();
    const { t } = ui;
    try {
      const { name, secret } = await rotateSecret(id, { keepHours: 24 });
      revalidatePath('/webhooks', 'layout');
      const commands = [{ label: t('webhooks.secretTitle', { name }), command: secret ?? '' }];
      const shown = { title: t('webhooks.rotate'), text: t('webhooks.secretText'), commands };
      return { problem: null, errors: {}, values: {}, shown };
    } catch (error) {
      return { ...refusedByServer(ui, form, error), shown: null };
    }
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
    const message = error instanceof Error && ui.locale === 'en' ? error.message : null;
    const state = refusedByServer(ui, form, error);
    return message ? { ...state, problem: message } : state;
  }
  revalidatePath('/webhooks', 'layout');
  return { problem: null, errors: {}, values: {} };
}

export const deleteWebhookAction = adminAction(async (form: FormData): Promise<void> => {
  await deleteWebhook(String(form.get('id')));
  revalidatePath('/webhooks');
  redirect('/webhooks');
});
