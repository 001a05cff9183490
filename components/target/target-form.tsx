import type { ComponentType } from 'react';
import { PROBE_FIRST_VANTAGES } from '#contract/measurement.ts';
import {
  MAX_PERIOD_SECONDS,
  MAX_TAG,
  MAX_TAGS,
  MIN_PERIOD_SECONDS,
  type ProbeSettings,
  type Target,
} from '#contract/target.ts';
import type { Ui } from '#i18n/ui.ts';
import { LocationGroups } from '../filters/filter-fields.tsx';
import { type Probed, ProbeFirst } from '../measurement/probe-first.tsx';
import { CheckField, NameField, TextField } from '../ui/field.tsx';
import { ActionForm, type FormAction } from '../ui/form.tsx';
import { FieldGroup } from './field-group.tsx';
import { SETTING_GROUPS, type SettingGroup, settingFacts } from './setting-facts.ts';
import { AnswerFields, NetworkFields, PairFields, RequestFields, TlsFields } from './setting-fields.tsx';

/** What the fields show at first. */
export type TargetDraft = Pick<Target, 'name' | 'url' | 'periodSeconds' | 'enabled' | 'vantages' | 'settings' | 'tags'>;
type Props = {
  ui: Ui;
  draft: TargetDraft;
  action: FormAction;
  submit: string;
  /** Probes what the form says, before it is stored. */
  probe: (form: FormData) => Promise<Probed>;
};

const FIELDS: Record<SettingGroup, ComponentType<{ ui: Ui; settings: ProbeSettings }>> = {
  tls: TlsFields,
  network: NetworkFields,
  request: RequestFields,
  answer: AnswerFields,
  pairs: PairFields,
};

/** Everything that can be set about a target; what few need is folded away. */
export function TargetForm({ ui, draft, action, submit, probe }: Props) {
  const { t } = ui;
  const { settings, vantages } = draft;
  const facts = settingFacts(ui, settings);
  return (
    <ActionForm action={action} submit={submit}>
      <div className="grid gap-3">
        <WhatFields ui={ui} draft={draft} />
        <FieldGroup
          ui={ui}
          title={t('targetForm.where')}
          help={t('targetForm.whereHelp')}
          changed={[vantages.carriers, vantages.regions].filter((chosen) => chosen.length > 0).length}
        >
          <LocationGroups
            ui={ui}
            chosen={vantages}
            texts={{ regions: t('targetForm.regions'), carriers: t('targetForm.carriers') }}
            prefix="vantages."
          />
        </FieldGroup>
        {SETTING_GROUPS.map((group) => {
          const Fields = FIELDS[group];
          return (
            <FieldGroup
              key={group}
              ui={ui}
              title={t(`targetForm.group.${group}`)}
              help={t(`targetForm.groupHelp.${group}`)}
              changed={facts.filter((fact) => fact.group === group).length}
            >
              <Fields ui={ui} settings={settings} />
            </FieldGroup>
          );
        })}
        <div className="panel p-4">
          <ProbeFirst
            label={t('targetForm.probeFirst')}
            note={t('targetForm.probeFirstNote', { n: PROBE_FIRST_VANTAGES })}
            texts={{ waiting: t('measurement.running'), all: t('measurement.answersOf') }}
            probe={probe}
          />
        </div>
      </div>
    </ActionForm>
  );
}

type FieldsProps = Pick<Props, 'ui' | 'draft'>;

function WhatFields({ ui, draft }: FieldsProps) {
  const { t } = ui;
  return (
    <div className="panel grid gap-3 p-4">
      <TextField
        name="url"
        label={t('targetForm.url')}
        help={t('targetForm.urlHelp')}
        inputMode="url"
        placeholder="https://example.org/"
        required
        verbatim
        defaultValue={draft.url}
      />
      <div className="grid gap-3 sm:grid-cols-2">
        <NameField label={t('targetForm.name')} help={t('targetForm.nameHelp')} value={draft.name} />
        <TextField
          name="periodSeconds"
          label={t('common.withNote', { label: t('targetForm.period'), note: t('unit.seconds') })}
          help={t('targetForm.periodHelp', { min: MIN_PERIOD_SECONDS, max: MAX_PERIOD_SECONDS })}
          type="number"
          min={MIN_PERIOD_SECONDS}
          max={MAX_PERIOD_SECONDS}
          defaultValue={draft.periodSeconds}
        />
      </div>
      <TextField
        name="tags"
        label={t('common.withNote', { label: t('targetForm.tags'), note: t('common.optional') })}
        help={t('targetForm.tagsHelp', { n: MAX_TAGS })}
        maxLength={MAX_TAGS * (MAX_TAG + 1)}
        defaultValue={draft.tags.join(', ')}
      />
      <CheckField name="enabled" label={t('targetForm.enabled')} checked={draft.enabled} />
    </div>
  );
}
