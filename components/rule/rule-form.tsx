import type { AlertRuleCreate } from '#contract/alert-rule.ts';
import { SEVERITIES } from '#contract/incident-vocabulary.ts';
import { MAX_MEASUREMENT_VANTAGES, PROBE_FIRST_TARGETS } from '#contract/measurement.ts';
import type { Ui } from '#i18n/ui.ts';
import { type Probed, ProbeFirst } from '../measurement/probe-first.tsx';
import { CheckField, NameField, NumberField, SelectField } from '../ui/field.tsx';
import { ActionForm, type FormAction } from '../ui/form.tsx';
import { optionsOf } from '../ui/options.ts';
import { ParamFields } from './param-fields.tsx';
import { RuleReplay, type RuleReplayView } from './rule-replay.tsx';
import { ScopeFields } from './scope-fields.tsx';

type Props = {
  ui: Ui;
  draft: AlertRuleCreate;
  targets: { id: string; name: string }[];
  /** How many pages it sent, and how many of them were false. */
  achieved?: string | null;
  action: FormAction;
  submit: string;
  /** What the rule of the form would have done. */
  replay: (form: FormData) => Promise<RuleReplayView>;
  /** Probes what the rule of the form watches. */
  probe: (form: FormData) => Promise<Probed>;
};

/** Everything that can be set about a rule; its kind is chosen before. */
export function RuleForm({ ui, draft, targets, achieved = null, action, submit, replay, probe }: Props) {
  const { t } = ui;
  return (
    <ActionForm action={action} submit={submit}>
      <div className="grid gap-3">
        <div className="panel grid gap-3 p-4">
          <p className="text-muted">{t(`rules.kindDef.${draft.kind}`)}</p>
          <NameField label={t('common.name')} value={draft.name} required />
          <ParamFields ui={ui} draft={draft} achieved={achieved} />
          <div className="grid gap-3 sm:grid-cols-3">
            <SelectField
              name="severity"
              label={t('rules.severity')}
              value={draft.severity}
              options={optionsOf(SEVERITIES, (value) => t(`severity.${value}`))}
            />
            <NumberField
              name="minCells"
              label={t('rules.minCells')}
              help={t('rules.minCellsHelp')}
              value={draft.minCells}
              whole
            />
            <NumberField
              name="reminderMinutes"
              label={t('rules.reminder')}
              help={t('rules.reminderHelp')}
              value={draft.reminderMinutes}
              whole
            />
          </div>
          <CheckField name="enabled" label={t('rules.enabled')} checked={draft.enabled} />
        </div>
        <ScopeFields ui={ui} scope={draft} targets={targets} />
        <RuleReplay
          title={t('rules.replay.title')}
          waiting={t('rules.replay.waiting')}
          failed={t('rules.replay.failed')}
          replay={replay}
        >
          <ProbeFirst
            label={t('measurement.nowHere')}
            note={t('rules.replay.probeNote', { n: PROBE_FIRST_TARGETS, places: MAX_MEASUREMENT_VANTAGES })}
            texts={{ waiting: t('measurement.running'), all: t('measurement.answersOf') }}
            probe={probe}
          />
        </RuleReplay>
      </div>
    </ActionForm>
  );
}
