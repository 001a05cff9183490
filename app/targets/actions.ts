'use server';

import { revalidatePath } from 'next/cache';
import { redirect } from 'next/navigation';
import type { Probed } from '#components/measurement/probe-first.tsx';
import type { FormState } from '#components/ui/form.tsx';
import { PROBE_FIRST_VANTAGES } from '#contract/measurement.ts';
import { TargetCreate } from '#contract/target.ts';
import { settingsLike } from '#server/measurements/measurements.ts';
import { targetOfOrigin } from '#server/targets/target-ref.ts';
import { createTarget, deleteTarget, getTarget, updateTarget } from '#server/targets/targets.ts';
import { adminAction } from '../access.ts';
import { refused, refusedByZod, submitted } from '../form-state.ts';
import { formUrl } from '../form-text.ts';
import { begin, probeFrom } from '../probe/begin.ts';
import { requestUi } from '../request-ui.ts';
import { targetInput, unknownSecretName } from './form-values.ts';

/** Makes a target and goes to its page. */
export const createTargetAction = adminAction(async (_before: FormState, form: FormData): Promise<FormState> => {
  return saveTarget(form, async (input) => (await createTarget(input)).id);
});

/** Makes a target of a URL alone, probes it at once, and shows the answer among the first steps of the overview. */
export const watchAction = adminAction(async (_before: FormState, form: FormData): Promise<FormState> => {
  const ui = await requestUi();
  const input = { url: formUrl(form, 'url') };
  return submitted(ui, form, { schema: TargetCreate, input }, async (target) => {
    const { id: targetId } = await createTarget(target);
    // Where nothing can probe it yet it is watched all the same.
    const begun = await begin(ui, form, { targetId, locations: [{ limit: PROBE_FIRST_VANTAGES }] });
    revalidatePath('/', 'layout');
    redirect(typeof begun === 'string' ? `/?probe=${begun}` : '/');
  });
});

/** Changes a target; bound to its id by the page. Vantages chosen by id (through the API) stay chosen. */
export const updateTargetAction = adminAction(
  async (id: string, _before: FormState, form: FormData): Promise<FormState> => {
    return saveTarget(form, async (input) => {
      const { vantages } = await getTarget(id);
      const { name, ...patch } = input;
      const named = { name: name ?? new URL(input.url).hostname, ...patch };
      return (await updateTarget(id, { ...named, vantages: { ...input.vantages, vantageIds: vantages.vantageIds } }))
        .id;
    });
  },
);

/** Probes what a form says, from a few of its places; the target is not stored. */
export const probeFirstAction = adminAction(async (form: FormData): Promise<Probed> => {
  const ui = await requestUi();
  const parsed = TargetCreate.safeParse(targetInput(form));
  if (!parsed.success) return { ...refusedByZod(ui, form, parsed.error), lines: [] };
  const { url, settings, vantages } = parsed.data;
  const demo = (await targetOfOrigin(url))?.demo ?? false;
  return await probeFrom(ui, form, vantages, PROBE_FIRST_VANTAGES, { url, settings: settingsLike(settings), demo });
});

async function saveTarget(form: FormData, save: (input: TargetCreate) => Promise<string>): Promise<FormState> {
  const ui = await requestUi();
  return submitted(ui, form, { schema: TargetCreate, input: targetInput(form) }, async (target) => {
    const unknown = unknownSecretName(form);
    if (unknown !== undefined)
      return refused(ui, form, null, [
        { field: 'settings.request.secretHeaders', message: `no header is named ${unknown}` },
      ]);
    const id = await save(target);
    revalidatePath('/', 'layout');
    redirect(`/targets/${id}`);
  });
}

export const deleteTargetAction = adminAction(async (form: FormData): Promise<void> => {
  await deleteTarget(String(form.get('id')));
  revalidatePath('/', 'layout');
  redirect('/');
});
