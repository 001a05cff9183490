import type { Ui } from '#i18n/ui.ts';
import { LocationGroups } from '../filters/filter-fields.tsx';
import { FieldGroup } from '../target/field-group.tsx';
import { TextField } from '../ui/field.tsx';
import { ActionForm, type FormAction } from '../ui/form.tsx';

type Props = { ui: Ui; url: string; action: FormAction };

/** The form of a measurement: a URL, and where it is probed from. */
export function MeasurementForm({ ui, url, action }: Props) {
  const { t } = ui;
  return (
    <ActionForm action={action} submit={t('measurement.start')}>
      <div className="grid gap-3">
        <div className="panel grid gap-3 p-4">
          <TextField
            name="url"
            label={t('targetForm.url')}
            help={t('targetForm.urlHelp')}
            inputMode="url"
            placeholder="https://example.org/"
            required
            verbatim
            defaultValue={url}
          />
        </div>
        <FieldGroup ui={ui} title={t('targetForm.where')} help={t('targetForm.whereHelp')} changed={0}>
          <LocationGroups
            ui={ui}
            chosen={{ regions: [], carriers: [] }}
            texts={{ regions: t('targetForm.regions'), carriers: t('targetForm.carriers') }}
          />
        </FieldGroup>
      </div>
    </ActionForm>
  );
}
