'use server';

import { revalidatePath } from 'next/cache';
import { redirect } from 'next/navigation';
import type { FormState } from '#components/ui/form.tsx';
import { ComparisonCreate } from '#contract/comparison.ts';
import { createComparison, deleteComparison } from '#server/comparisons/comparisons.ts';
import { adminAction } from '../access.ts';
import { submitted } from '../form-state.ts';
import { formInstant, formText } from '../form-text.ts';
import { requestUi } from '../request-ui.ts';

/** Compares before and after a marker or an incident, which the form names, and goes to the comparison. */
export const compareAroundAction = adminAction(async (form: FormData): Promise<void> => {
  const named = ['markerId', 'incidentId', 'targetId'].flatMap((name) =>
    form.has(name) ? [[name, form.get(name)]] : [],
  );
  const { id } = await createComparison(ComparisonCreate.parse(Object.fromEntries(named)), 'dashboard');
  revalidatePath('/', 'layout');
  redirect(`/comparisons/${id}`);
});

/** Compares two ranges, whose times are read in the zone that the form shows. */
export const compareRangesAction = adminAction(async (_before: FormState, form: FormData): Promise<FormState> => {
  const ui = await requestUi();
  const range = (side: 'before' | 'after') => ({
    from: formInstant(form, `${side}.from`),
    to: formInstant(form, `${side}.to`),
  });
  const input = {
    targetId: formText(form, 'targetId'),
    before: range('before'),
    after: range('after'),
    title: formText(form, 'title') ?? undefined,
  };
  return submitted(ui, form, { schema: ComparisonCreate, input }, async (parsed) => {
    const { id } = await createComparison(parsed, 'dashboard');
    revalidatePath('/comparisons');
    redirect(`/comparisons/${id}`);
  });
});

export const deleteComparisonAction = adminAction(async (form: FormData): Promise<void> => {
  await deleteComparison(String(form.get('id')));
  revalidatePath('/', 'layout');
  redirect('/comparisons');
});
