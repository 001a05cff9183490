'use server';

import { revalidatePath } from 'next/cache';
import { redirect } from 'next/navigation';
import type { RuleReplayView } from '#components/rule/rule-replay.tsx';
import type { FormState } from '#components/ui/form.tsx';
import { AlertRuleCreate, type RuleKind } from '#contract/alert-rule.ts';
import { replayRule } from '#server/rules/replay.ts';
import { createAlertRule, deleteAlertRule, updateAlertRule } from '#server/rules/rules.ts';
import { adminAction } from '../access.ts';
import { refusedByServer, refusedByZod } from '../form-state.ts';
import { requestUi } from '../request-ui.ts';
import { ruleInput } from './form-values.ts';
import { replayView } from './replay-view.ts';

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

/** What the rule of a form would have done; nothing is stored. Bound to its kind by the page. */
export const replayRuleAction = adminAction(async (kind: RuleKind, form: FormData): Promise<RuleReplayView> => {
  const ui = await requestUi();
  const parsed = AlertRuleCreate.safeParse(ruleInput(kind, form));
  if (!parsed.success) return { sentence: ui.t('rules.replay.incomplete'), note: null, firings: [] };
  return await replayView(ui, await replayRule(parsed.data, new Date()));
});

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
