'use server';

import { revalidatePath } from 'next/cache';
import { redirect } from 'next/navigation';
import type { FormState } from '#components/ui/form.tsx';
import { SilenceCreate } from '#contract/silence.ts';
import type { Ui } from '#i18n/ui.ts';
import { createSilence, deleteSilence } from '#server/incidents/silences.ts';
import { adminAction } from '../access.ts';
import { submitted } from '../form-state.ts';
import { formInstant, formList, formNumber, formText } from '../form-text.ts';
import { requestUi } from '../request-ui.ts';

/** Makes a silence; its times are read in the zone that the form shows. */
export const createSilenceAction = adminAction(async (_before: FormState, form: FormData): Promise<FormState> => {
  const ui = await requestUi();
  return submitted(ui, form, { schema: SilenceCreate, input: silenceInput(form, ui) }, async (silence) => {
    await createSilence(silence, 'dashboard');
    revalidatePath('/silences');
    redirect('/silences');
  });
});

export const deleteSilenceAction = adminAction(async (form: FormData): Promise<void> => {
  await deleteSilence(String(form.get('id')));
  revalidatePath('/silences');
});

function silenceInput(form: FormData, ui: Ui) {
  return {
    targetIds: formList(form, 'targetIds'),
    regions: formList(form, 'regions'),
    carriers: formList(form, 'carriers'),
    kinds: formList(form, 'kinds'),
    startsAt: formInstant(form, 'startsAt'),
    endsAt: formInstant(form, 'endsAt') ?? null,
    cron: formText(form, 'cron'),
    durationMinutes: formNumber(form, 'durationMinutes') ?? null,
    timeZone: formText(form, 'timeZone') ?? formText(form, 'zone') ?? ui.timeZone,
    comment: formText(form, 'comment') ?? '',
  };
}
