import type { Ui } from '#i18n/ui.ts';
import { CheckField, TextField } from '../ui/field.tsx';
import { ActionForm, type FormAction } from '../ui/form.tsx';
import { TimeField } from '../ui/time-field.tsx';

/** Says that something changed at a time. `now` is the value of a `datetime-local` field in the reader's zone. */
export function MarkerForm({ ui, action, now }: { ui: Ui; action: FormAction; now: string }) {
  const { t } = ui;
  return (
    <details className="group mt-3 border-line border-t pt-3">
      <summary className="btn">{t('marks.add')}</summary>
      <div className="mt-3">
        <ActionForm action={action} submit={t('marks.add')}>
          <div className="grid gap-3 sm:grid-cols-2">
            <TextField name="title" label={t('marks.name')} placeholder={t('marks.namePlaceholder')} maxLength={200} />
            <TimeField
              name="at"
              label={t('common.withNote', { label: t('marks.at'), note: ui.timeZone })}
              zone={ui.timeZone}
              value={now}
            />
            <TextField
              name="url"
              type="url"
              label={t('common.withNote', { label: t('marks.link'), note: t('common.optional') })}
            />
            <TextField
              name="text"
              maxLength={5_000}
              label={t('common.withNote', { label: t('marks.text'), note: t('common.optional') })}
            />
          </div>
          <CheckField name="all" label={t('marks.all')} checked={false} />
        </ActionForm>
      </div>
    </details>
  );
}
