'use server';

import { revalidatePath } from 'next/cache';
import { type FormState, UNTOUCHED } from '#components/ui/form.tsx';
import { IncidentPatch } from '#contract/incident.ts';
import { ServiceError } from '#server/environment/errors.ts';
import { updateIncident } from '#server/incidents/incidents.ts';
import { adminAction } from '../access.ts';
import { refusedByServer, refusedByZod } from '../form-state.ts';
import { requestUi } from '../request-ui.ts';

/** Acknowledges or resolves an incident; bound to its id by the page. */
export const actOnIncidentAction = adminAction(
  async (id: string, _before: FormState, form: FormData): Promise<FormState> => {
    const ui = await requestUi();
    const parsed = IncidentPatch.safeParse({ action: form.get('action'), note: form.get('note') ?? '' });
    if (!parsed.success) return refusedByZod(ui, form, parsed.error);
    try {
      await updateIncident(id, parsed.data, 'dashboard');
    } catch (error) {
      revalidatePath('/', 'layout');
      const state = refusedByServer(ui, form, error);
      const late = error instanceof ServiceError && error.code === 'conflict';
      return late ? { ...state, problem: ui.t('incident.conflict') } : state;
    }
    revalidatePath('/', 'layout');
    return UNTOUCHED;
  },
);
