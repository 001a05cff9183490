'use server';

import { revalidatePath } from 'next/cache';
import type { FormState } from '#components/ui/form.tsx';
import { MarkerCreate } from '#contract/marker.ts';
import { createMarker, deleteMarker } from '#server/markers/markers.ts';
import { adminAction } from '../access.ts';
import { submitted } from '../form-state.ts';
import { formInstant, formText } from '../form-text.ts';
import { requestUi } from '../request-ui.ts';

/** Marks a change on a target, or on all; bound to the target's id by the page. */
export const createMarkerAction = adminAction(
  async (targetId: string, _before: FormState, form: FormData): Promise<FormState> => {
    const ui = await requestUi();
    const input = {
      title: formText(form, 'title') ?? '',
      text: formText(form, 'text') ?? '',
      url: formText(form, 'url'),
      targetId: form.has('all') ? null : targetId,
      at: formInstant(form, 'at'),
    };
    return submitted(ui, form, { schema: MarkerCreate, input }, async (marker) => {
      await createMarker(marker, 'dashboard');
      revalidatePath('/targets', 'layout');
    });
  },
);

export const deleteMarkerAction = adminAction(async (form: FormData): Promise<void> => {
  await deleteMarker(String(form.get('id')));
  revalidatePath('/targets', 'layout');
});
