import { CHINA_REGIONS } from '#contract/location.ts';
import type { Vantage } from '#contract/vantage.ts';
import { ACCESS_TYPES, KNOWN_CARRIERS } from '#contract/vocabulary.ts';
import { carrierName, regionName } from '#i18n/names.ts';
import type { Ui } from '#i18n/ui.ts';
import { CheckField, NameField, SelectField, TextField } from '../ui/field.tsx';
import { optionsOf } from '../ui/options.ts';

/** What the fields show at first. */
export type VantageDraft = Pick<
  Vantage,
  'name' | 'country' | 'region' | 'city' | 'carrier' | 'asn' | 'access' | 'mayHoldSecrets'
>;

/** The labels of a vantage. */
export function VantageFields({ ui, draft }: { ui: Ui; draft: VantageDraft }) {
  const { t } = ui;
  const optional = t('common.optional');
  return (
    <div className="panel grid gap-3 p-4 sm:grid-cols-2">
      <PlaceFields ui={ui} draft={draft} />
      <SelectField
        name="access"
        label={t('vantages.access')}
        value={draft.access}
        options={optionsOf(ACCESS_TYPES, (value) => t(`access.${value}`))}
      />
      <TextField
        name="city"
        label={t('common.withNote', { label: t('vantages.city'), note: optional })}
        maxLength={100}
        defaultValue={draft.city ?? ''}
      />
      <TextField
        name="asn"
        label={t('common.withNote', { label: t('vantages.asn'), note: optional })}
        help={t('vantages.asnHelp')}
        inputMode="numeric"
        defaultValue={draft.asn ?? ''}
      />
      <CheckField
        name="mayHoldSecrets"
        label={t('vantages.mayHoldSecrets')}
        help={t('vantages.mayHoldSecretsHelp')}
        checked={draft.mayHoldSecrets}
      />
    </div>
  );
}

/** The labels without which no vantage can be. China's regions and carriers are offered by name; any other can be typed. */
export function PlaceFields({
  ui,
  draft,
}: {
  ui: Ui;
  draft: Pick<VantageDraft, 'name' | 'country' | 'region' | 'carrier'>;
}) {
  const { t } = ui;
  return (
    <>
      <NameField label={t('common.name')} value={draft.name} required />
      {(['country', 'region', 'carrier'] as const).map((name) => (
        <TextField
          key={name}
          name={name}
          label={t(name === 'region' ? 'vantages.regionField' : `vantages.${name}`)}
          help={t(`vantages.${name}Help`)}
          maxLength={name === 'country' ? 2 : undefined}
          list={name === 'country' ? undefined : `${name}s`}
          defaultValue={draft[name]}
        />
      ))}
      <datalist id="regions">
        {CHINA_REGIONS.map((region) => (
          <option key={region} value={region} label={regionName(ui, region)} />
        ))}
      </datalist>
      <datalist id="carriers">
        {KNOWN_CARRIERS.map((carrier) => (
          <option key={carrier} value={carrier} label={carrierName(ui, carrier)} />
        ))}
      </datalist>
    </>
  );
}
