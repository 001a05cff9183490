'use server';

import { revalidatePath } from 'next/cache';
import type { ShownState } from '#components/ui/secret-form.tsx';
import { KeyCreate } from '#contract/key.ts';
import { createKey, revokeKey } from '#server/keys.ts';
import { requireAdmin } from '../access.ts';
import { refusedByServer, refusedByZod } from '../form-state.ts';
import { requestUi } from '../request-ui.ts';

/** Makes an API key; the answer shows it this once. */
export async function createKeyAction(_before: ShownState, form: FormData): Promise<ShownState> {
  const ui = await requestUi();
  const { t } = ui;
  const parsed = KeyCreate.safeParse({ name: form.get('name'), scope: form.get('scope') });
  if (!parsed.success) return { ...refusedByZod(ui, form, parsed.error), shown: null };
  try {
    await requireAdmin();
    const { name, key } = await createKey(parsed.data);
    revalidatePath('/settings');
    const shown = {
      title: t('settings.createdTitle', { name }),
      text: t('settings.createdText'),
      commands: [{ label: t('settings.keys'), command: key }],
    };
    return { problem: null, errors: {}, values: {}, shown };
  } catch (error) {
    return { ...refusedByServer(ui, form, error), shown: null };
  }
}

export async function revokeKeyAction(form: FormData): Promise<void> {
  await requireAdmin();
  await revokeKey(String(form.get('id')));
  revalidatePath('/settings');
}
