'use server';

import { revalidatePath } from 'next/cache';
import { redirect } from 'next/navigation';
import type { FormState } from '#components/ui/form.tsx';
import { SilenceCreate } from '#contract/silence.ts';
import { parseLocal } from '#i18n/time.ts';
import { createSilence, deleteSilence } from '#server/incidents/silences.ts';
import { adminAction } from '../access.ts';
import { refusedByServer, refusedByZod } from '../form-state.ts';
import { formList, formNumber, formText } from '../form-text.ts';
import { requestUi } from '../request-ui.ts';

/** Makes a silence; its times are read in the reader's zone. */
export const createSilenceAction = adminAction(async (_before: FormState, form: FormData): Promise<FormState> => {
  const ui = await requestUi();
  const parsed = SilenceCreate.safeParse(silenceInput(form, ui.timeZone));
  if (!parsed.success) return refusedByZod(ui, form, parsed.error);
  try {
    await createSilence(parsed.data, 'dashboard');
  } catch (error) {
    return refusedByServer(ui, form, error);
  }
  revalidatePath('/silences');
  redirect('/silences');
});

export const deleteSilenceAction = adminAction(async (form: FormData): Promise<void> => {
  await deleteSilence(String(form.get('id')));
  revalidatePath('/silences');
});

function silenceInput(form: FormData, zone: string) {
  const instant = (field: string) => {
    const text = formText(form, field);
    const at = text === null ? null : parseLocal(text, zone);
    // What is no time is left for Zod to refuse.
    return at === null ? text : new Date(at).toISOString();
  };
  return {
    targetIds: formList(form, 'targetIds'),
    regions: formList(form, 'regions'),
    carriers: formList(form, 'carriers'),
    kinds: formList(form, 'kinds'),
    startsAt: instant('startsAt') ?? undefined,
    endsAt: instant('endsAt'),
    cron: formText(form, 'cron'),
    durationMinutes: formNumber(form, 'durationMinutes') ?? null,
    timeZone: formText(form, 'timeZone') ?? zone,
    comment: formText(form, 'comment') ?? '',
  };
}
