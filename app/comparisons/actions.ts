'use server';

import { revalidatePath } from 'next/cache';
import { redirect } from 'next/navigation';
import type { FormState } from '#components/ui/form.tsx';
import { ComparisonCreate } from '#contract/comparison.ts';
import { parseLocal } from '#i18n/time.ts';
import { createComparison, deleteComparison } from '#server/comparisons/comparisons.ts';
import { adminAction } from '../access.ts';
import { refusedByServer, refusedByZod } from '../form-state.ts';
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

/** Compares two ranges, whose times are read in the reader's zone. */
export const compareRangesAction = adminAction(async (_before: FormState, form: FormData): Promise<FormState> => {
  const ui = await requestUi();
  const text = (name: string) => String(form.get(name) ?? '').trim();
  const instant = (name: string) => {
    const at = parseLocal(text(name), ui.timeZone);
    return at === null ? text(name) : new Date(at).toISOString();
  };
  const parsed = ComparisonCreate.safeParse({
    targetId: text('targetId'),
    before: { from: instant('beforeFrom'), to: instant('beforeTo') },
    after: { from: instant('afterFrom'), to: instant('afterTo') },
    ...(text('title') === '' ? {} : { title: text('title') }),
  });
  if (!parsed.success) return named(refusedByZod(ui, form, parsed.error));
  let id: string;
  try {
    id = (await createComparison(parsed.data, 'dashboard')).id;
  } catch (error) {
    return refusedByServer(ui, form, error);
  }
  revalidatePath('/comparisons');
  redirect(`/comparisons/${id}`);
});

/** An error of `before.from` is shown at the field `beforeFrom`. */
function named(state: FormState): FormState {
  const errors = Object.entries(state.errors).map(([field, error]) => [
    field.replace(
      /^(before|after)\.(from|to)$/,
      (_, side: string, end: string) => side + (end === 'to' ? 'To' : 'From'),
    ),
    error,
  ]);
  return { ...state, errors: Object.fromEntries(errors) };
}

export const deleteComparisonAction = adminAction(async (form: FormData): Promise<void> => {
  await deleteComparison(String(form.get('id')));
  revalidatePath('/', 'layout');
  redirect('/comparisons');
});
