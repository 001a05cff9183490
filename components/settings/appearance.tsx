import { LOCALES } from '#i18n/locale.ts';
import { languageName } from '#i18n/translator.ts';
import { THEMES, type Ui } from '#i18n/ui.ts';
import { optionsOf } from '../ui/options.ts';

/** Language, theme and zone: plain forms that set a cookie. */
export function Appearance({ ui }: { ui: Ui }) {
  const { t } = ui;
  const themes = optionsOf(THEMES, (value) => t(`theme.${value}`));
  const languages = optionsOf(LOCALES, (value) => languageName(value));
  // UTC, and what a browser calls its zone by another name, are not in the list.
  const zones = [...new Set(['UTC', ui.timeZone, ...Intl.supportedValuesOf('timeZone')])].sort();
  return (
    <section className="panel p-4" aria-labelledby="appearance-title">
      <h2 id="appearance-title">{t('settings.appearance')}</h2>
      <form action="/preferences" className="mt-3 grid items-end gap-3 sm:grid-cols-[1fr_1fr_1fr_auto]">
        <Select name="lang" label={t('nav.language')} value={ui.locale} options={languages} />
        <Select name="theme" label={t('theme.label')} value={ui.theme} options={themes} />
        <Select name="tz" label={t('zone.label')} value={ui.timeZone} options={optionsOf(zones, (zone) => zone)} />
        <button type="submit" className="btn btn-primary">
          {t('common.save')}
        </button>
      </form>
    </section>
  );
}

type SelectProps = { name: string; label: string; value: string; options: { value: string; label: string }[] };

function Select({ name, label, value, options }: SelectProps) {
  return (
    <div>
      <label htmlFor={name} className="mb-1 block font-medium">
        {label}
      </label>
      <select id={name} name={name} className="field" defaultValue={value}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  );
}
