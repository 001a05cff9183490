'use server';

import { revalidatePath } from 'next/cache';
import { chosenSeries } from '#components/incident/split-choices.ts';
import type { FormState } from '#components/ui/form.tsx';
import { IncidentPatch } from '#contract/incident.ts';
import { ServiceError } from '#server/environment/errors.ts';
import { updateIncident } from '#server/incidents/by-hand.ts';
import { getIncident } from '#server/incidents/incidents.ts';
import { adminAction } from '../access.ts';
import { refusedByServer, refusedByZod, TAKEN } from '../form-state.ts';
import { requestUi } from '../request-ui.ts';

const ACTOR = 'dashboard';

/** Does with an incident what the pressed button says; bound to its id by the page. */
export const actOnIncidentAction = adminAction(
  async (id: string, _before: FormState, form: FormData): Promise<FormState> => {
    const ui = await requestUi();
    const parsed = IncidentPatch.safeParse(await patchOf(id, form));
    if (!parsed.success) return refusedByZod(ui, form, parsed.error);
    try {
      await updateIncident(id, parsed.data, ACTOR);
    } catch (error) {
      revalidatePath('/', 'layout');
      const state = refusedByServer(ui, form, error);
      const late = error instanceof ServiceError && error.code === 'conflict';
      return late ? { ...state, problem: ui.t('incident.conflict') } : state;
    }
    revalidatePath('/', 'layout');
    return TAKEN;
  },
);

/** The form has fields for all actions; those of the others are left out. */
async function patchOf(id: string, form: FormData): Promise<unknown> {
  const action = form.get('action');
  const patch = { action, note: form.get('note') ?? '' };
  if (action === 'merge') return { ...patch, into: form.get('into') };
  if (action !== 'split') return patch;
  return { ...patch, cells: chosenSeries(await getIncident(id), String(form.get('series') ?? '')) };
}

/** Acknowledges those that are named; nothing of one that is over, or that somebody acknowledged before. */
export const acknowledgeAction = adminAction(async (form: FormData): Promise<void> => {
  for (const id of form.getAll('id')) await unlessLate(String(id), { action: 'acknowledge', note: '' });
  revalidatePath('/', 'layout');
});

/** Takes back that an incident was called not useful; nothing where somebody did so before. */
export const undoNotUsefulAction = adminAction(async (form: FormData): Promise<void> => {
  await unlessLate(String(form.get('id')), { action: 'undo_not_useful', note: '' });
  revalidatePath('/', 'layout');
});

async function unlessLate(id: string, patch: IncidentPatch): Promise<void> {
  try {
    await updateIncident(id, patch, ACTOR);
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'conflict')) throw error;
  }
}
