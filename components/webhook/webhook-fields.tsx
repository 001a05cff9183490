import { SEVERITIES } from '#contract/incident-vocabulary.ts';
import { LANGUAGES } from '#contract/language.ts';
import type { FormatForm } from '#contract/webhook.ts';
import { EVENT_TYPES } from '#contract/webhook-event.ts';
import { languageName } from '#i18n/translator.ts';
import type { Ui } from '#i18n/ui.ts';
import { ruleName } from '../rule/rule-name.ts';
import { FieldGroup } from '../target/field-group.tsx';
import { CheckField, CheckGroup, NameField, SelectField } from '../ui/field.tsx';
import { optionsOf } from '../ui/options.ts';
import { FormatFields, type WebhookDraft } from './format-fields.tsx';

type Props = { ui: Ui; draft: WebhookDraft; form: FormatForm; rules: { id: string; name: string }[] };

/** Everything that can be set about a webhook; its format is chosen before. */
export function WebhookFields({ ui, draft, form, rules }: Props) {
  const { t } = ui;
  const { events, ruleIds, severities } = draft;
  return (
    <div className="grid gap-3">
      <div className="panel grid gap-3 p-4">
        <FormatFields ui={ui} draft={draft} form={form} />
        <div className="grid gap-3 sm:grid-cols-2">
          <NameField label={t('common.name')} help={t('webhooks.nameHelp')} value={draft.name} />
          <SelectField
            name="language"
            label={t('webhooks.language')}
            value={draft.language}
            options={optionsOf(LANGUAGES, (value) => languageName(value))}
          />
        </div>
        <CheckField name="enabled" label={t('webhooks.enabled')} checked={draft.enabled} />
      </div>
      <FieldGroup
        ui={ui}
        title={t('webhooks.filter')}
        help={t('webhooks.filterHelp')}
        changed={[events, ruleIds, severities].filter((chosen) => chosen.length > 0).length}
      >
        <CheckGroup
          name="severities"
          label={t('webhooks.severities')}
          options={optionsOf(SEVERITIES, (value) => t(`severity.${value}`))}
          chosen={severities}
        />
        {rules.length > 0 ? (
          <CheckGroup
            name="ruleIds"
            label={t('webhooks.rules')}
            options={rules.map((rule) => ({ value: rule.id, label: ruleName(ui, rule) }))}
            chosen={ruleIds}
          />
        ) : null}
        <CheckGroup
          name="events"
          label={t('webhooks.events')}
          options={optionsOf(
            EVENT_TYPES.filter((type) => type !== 'webhook.test'),
            (value) => value,
          )}
          chosen={events}
        />
      </FieldGroup>
    </div>
  );
}
