import type { ProbeSettings } from '#contract/target.ts';
import { PHASES } from '#contract/vocabulary.ts';
import type { Ui } from '#i18n/ui.ts';
import { SelectField, TextField } from '../ui/field.tsx';

type Props = { ui: Ui; settings: ProbeSettings };

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
        {(['address', 'resolver'] as const).map((name) => (
          <TextField
            key={name}
            name={`settings.${name}`}
            label={t(`targetForm.${name}`)}
            help={t(`targetForm.${name}Help`)}
            defaultValue={settings[name] ?? ''}
            verbatim
          />
        ))}
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
