'use server';

import { revalidatePath } from 'next/cache';
import { redirect } from 'next/navigation';
import type { Probed } from '#components/measurement/probe-first.tsx';
import type { RuleReplayView } from '#components/rule/rule-replay.tsx';
import type { FormState } from '#components/ui/form.tsx';
import { AlertRuleCreate, type RuleKind } from '#contract/alert-rule.ts';
import { MAX_MEASUREMENT_VANTAGES, PROBE_FIRST_TARGETS } from '#contract/measurement.ts';
import { takes } from '#contract/scope.ts';
import { replayRule } from '#server/rules/replay.ts';
import { createAlertRule, deleteAlertRule, updateAlertRule } from '#server/rules/rules.ts';
import { adminAction } from '../access.ts';
import { findTarget } from '../find.ts';
import { submitted } from '../form-state.ts';
import { formList } from '../form-text.ts';
import { probeFrom } from '../probe/begin.ts';
import { requestUi } from '../request-ui.ts';
import { namedTargets } from '../targets/named.ts';
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

/** Probes what the rule of a form watches from the places where it watches: the first of its targets, by name. */
export const probeRuleAction = adminAction(async (form: FormData): Promise<Probed> => {
  const ui = await requestUi();
  const places = { regions: formList(form, 'regions'), carriers: formList(form, 'carriers') };
  const chosen = formList(form, 'targetIds');
  const watched = (await namedTargets()).filter(({ id }) => takes(chosen, id)).slice(0, PROBE_FIRST_TARGETS);
  const targets = (await Promise.all(watched.map(({ id }) => findTarget(id)))).filter((target) => target !== null);
  const probed = await Promise.all(
    targets.map(({ id, name, demo }) =>
      probeFrom(ui, form, places, MAX_MEASUREMENT_VANTAGES, { targetId: id, name, demo }),
    ),
  );
  const problems =
    targets.length === 0
      ? [ui.t('rules.replay.noTarget')]
      : probed.flatMap((each) => [each.problem ?? [], Object.values(each.errors)].flat());
  const problem = problems.join(ui.t('punctuation.semicolon')) || null;
  return { problem, errors: {}, values: {}, lines: probed.flatMap(({ lines }) => lines) };
});

async function saveRule(
  kind: RuleKind,
  form: FormData,
  save: (input: AlertRuleCreate) => Promise<unknown>,
): Promise<FormState> {
  const input = ruleInput(kind, form);
  return submitted(await requestUi(), form, { schema: AlertRuleCreate, input }, async (rule) => {
    await save(rule);
    revalidatePath('/rules');
    redirect('/rules');
  });
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
