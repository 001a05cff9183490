'use server';

import { revalidatePath } from 'next/cache';
import { type FormState, UNTOUCHED } from '#components/ui/form.tsx';
import { MarkerCreate } from '#contract/marker.ts';
import { parseLocal } from '#i18n/time.ts';
import { createMarker, deleteMarker } from '#server/markers/markers.ts';
import { adminAction } from '../access.ts';
import { refusedByServer, refusedByZod } from '../form-state.ts';
import { requestUi } from '../request-ui.ts';

/** Marks a change on a target, or on all; bound to the target's id by the page. */
export const createMarkerAction = adminAction(
  async (targetId: string, _before: FormState, form: FormData): Promise<FormState> => {
    const ui = await requestUi();
    const text = (name: string) => String(form.get(name) ?? '').trim();
    const at = text('at');
    const instant = at === '' ? null : parseLocal(at, ui.timeZone);
    const parsed = MarkerCreate.safeParse({
      title: text('title'),
      text: text('text'),
      url: text('url') || null,
      targetId: form.has('all') ? null : targetId,
      ...(at === '' ? {} : { at: instant === null ? at : new Date(instant).toISOString() }),
    });
    if (!parsed.success) return refusedByZod(ui, form, parsed.error);
    try {
      await createMarker(parsed.data, 'dashboard');
    } catch (error) {
      return refusedByServer(ui, form, error);
    }
    revalidatePath('/targets', 'layout');
    return UNTOUCHED;
  },
);

export const deleteMarkerAction = adminAction(async (form: FormData): Promise<void> => {
  await deleteMarker(String(form.get('id')));
  revalidatePath('/targets', 'layout');
});
