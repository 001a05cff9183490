import { INCIDENT_KINDS } from '#contract/incident-vocabulary.ts';
import type { Ui } from '#i18n/ui.ts';
import { CheckGroup, TextField } from '../ui/field.tsx';
import { ActionForm, type FormAction } from '../ui/form.tsx';
import { optionsOf } from '../ui/options.ts';
import { TimeField } from '../ui/time-field.tsx';
import { ScopeFields } from './scope-fields.tsx';

type Props = {
  ui: Ui;
  targets: { id: string; name: string }[];
  /** Values of `datetime-local` fields, in the reader's zone. */
  starts: string;
  ends: string;
  action: FormAction;
};

/** A window in which messages are held back, once or again and again. */
export function SilenceForm({ ui, targets, starts, ends, action }: Props) {
  const { t, timeZone } = ui;
  const zoned = (label: string) => t('common.withNote', { label, note: timeZone });
  return (
    <ActionForm action={action} submit={t('silences.add')}>
      <div className="grid gap-3">
        <div className="panel grid gap-3 p-4">
          <TextField
            name="comment"
            label={t('silences.comment')}
            placeholder={t('silences.commentPlaceholder')}
            maxLength={1_000}
          />
          <div className="grid gap-3 sm:grid-cols-2">
            <TimeField name="startsAt" label={zoned(t('silences.starts'))} zone={timeZone} value={starts} />
            <TimeField
              name="endsAt"
              label={zoned(t('silences.ends'))}
              help={t('silences.endsHelp')}
              zone={timeZone}
              value={ends}
            />
          </div>
          <div className="grid gap-3 sm:grid-cols-3">
            <TextField name="cron" label={t('silences.cron')} help={t('silences.cronHelp')} autoComplete="off" />
            <TextField
              name="durationMinutes"
              label={t('silences.duration')}
              help={t('silences.durationHelp')}
              inputMode="numeric"
            />
            <TextField name="timeZone" label={t('silences.zone')} defaultValue={timeZone} autoComplete="off" />
          </div>
          <CheckGroup
            name="kinds"
            label={t('common.withNote', { label: t('silences.kinds'), note: t('silences.kindsHelp') })}
            options={optionsOf(INCIDENT_KINDS, (value) => t(`incident.kind.${value}`))}
            chosen={[]}
          />
        </div>
        <ScopeFields ui={ui} scope={{ targetIds: [], regions: [], carriers: [] }} targets={targets} />
      </div>
    </ActionForm>
  );
}
