'use server';

import { revalidatePath } from 'next/cache';
import { redirect } from 'next/navigation';
import type { FormState } from '#components/ui/form.tsx';
import { AlertRuleCreate, type RuleKind } from '#contract/alert-rule.ts';
import { createAlertRule, deleteAlertRule, updateAlertRule } from '#server/rules/rules.ts';
import { adminAction } from '../access.ts';
import { refusedByServer, refusedByZod } from '../form-state.ts';
import { requestUi } from '../request-ui.ts';
import { ruleInput } from './form-values.ts';

/** Makes a rule of a kind; bound to it by the page. */
export const createRuleAction = adminAction(
  async (kind: RuleKind, _before: FormState, form: FormData): Promise<FormState> => {
    return saveRule(kind, form, createAlertRule);
  },
);

/** Changes a rule; bound to its id and kind by the page. */
export const updateRuleAction = adminAction(
  async (id: string, kind: RuleKind, _before: FormState, form: FormData): Promise<FormState> => {
    return saveRule(kind, form, ({ kind: _kind, ...patch }) => updateAlertRule(id, patch));
  },
);

async function saveRule(
  kind: RuleKind,
  form: FormData,
  save: (input: AlertRuleCreate) => Promise<unknown>,
): Promise<FormState> {
  const ui = await requestUi();
  const parsed = AlertRuleCreate.safeParse(ruleInput(kind, form));
  if (!parsed.success) return refusedByZod(ui, form, parsed.error);
  try {
    await save(parsed.data);
  } catch (error) {
    return refusedByServer(ui, form, error);
  }
  revalidatePath('/rules');
  redirect('/rules');
}

export const toggleRuleAction = adminAction(async (form: FormData): Promise<void> => {
  await updateAlertRule(String(form.get('id')), { enabled: form.get('enabled') === 'true' });
  revalidatePath('/rules');
});

export const deleteRuleAction = adminAction(async (form: FormData): Promise<void> => {
  await deleteAlertRule(String(form.get('id')));
  revalidatePath('/', 'layout');
  redirect('/rules');
});
