import type { ProbeSettings } from '#contract/target.ts';
import { PHASES } from '#contract/vocabulary.ts';
import type { Ui } from '#i18n/ui.ts';
import { SelectField, TextField } from '../ui/field.tsx';

type Props = { ui: Ui; settings: ProbeSettings };
const AS_TYPED = { spellCheck: false, autoCapitalize: 'off', autoComplete: 'off' } as const;

/** Which address is reached, who is asked for it, and how long each phase may take. */
export function NetworkFields({ ui: { t }, settings }: Props) {
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-3">
        <SelectField
          name="settings.family"
          label={t('targetForm.family')}
          value={settings.family?.toString() ?? ''}
          options={[
            { value: '', label: t('targetForm.familyAny') },
            ...['4', '6'].map((family) => ({ value: family, label: t('targetForm.familyOnly', { family }) })),
          ]}
        />
        <TextField
          name="settings.address"
          label={t('targetForm.address')}
          help={t('targetForm.addressHelp')}
          defaultValue={settings.address ?? ''}
          {...AS_TYPED}
        />
        <TextField
          name="settings.resolver"
          label={t('targetForm.resolver')}
          help={t('targetForm.resolverHelp')}
          defaultValue={settings.resolver ?? ''}
          {...AS_TYPED}
        />
      </div>
      <fieldset>
        <legend className="mb-1 font-medium">
          {t('common.withNote', { label: t('targetForm.timeouts'), note: t('unit.ms') })}
        </legend>
        <div className="grid grid-cols-2 gap-3 sm:grid-cols-5">
          {PHASES.map((phase) => (
            <TextField
              key={phase}
              name={`settings.timeouts.${phase}`}
              label={t(`metric.${phase}`)}
              type="number"
              min={100}
              max={60_000}
              defaultValue={settings.timeouts[phase]}
            />
          ))}
        </div>
      </fieldset>
    </>
  );
}
