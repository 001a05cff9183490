import { CHINA_REGIONS } from '#contract/location.ts';
import { KNOWN_CARRIERS } from '#contract/vocabulary.ts';
import { carrierName, regionName } from '#i18n/names.ts';
import type { Ui } from '#i18n/ui.ts';
import { CheckGroup } from '../ui/field.tsx';
import { type Option, optionsOf } from '../ui/options.ts';

type Chosen = { regions: readonly string[]; carriers: readonly string[] };

/** Every known region and carrier by name, and those already chosen that are not known. */
function locationOptions(ui: Ui, chosen: Chosen): { regions: Option[]; carriers: Option[] } {
  const regions = [...new Set<string>([...CHINA_REGIONS, ...chosen.regions])];
  const carriers = [...new Set<string>([...KNOWN_CARRIERS, ...chosen.carriers])];
  return {
    regions: optionsOf(regions, (value) => regionName(ui, value)),
    carriers: optionsOf(carriers, (value) => carrierName(ui, value)),
  };
}

/** Where, for a filter: regions and carriers, each a list of boxes behind a button. */
export function LocationFields({ ui, chosen }: { ui: Ui; chosen: Chosen }) {
  const { t } = ui;
  const options = locationOptions(ui, chosen);
  return (['region', 'carrier'] as const).map((name) => {
    const field = `${name}s` as const;
    return (
      <Choices
        key={name}
        name={name}
        label={t(`filter.${name}`)}
        summary={t(`filter.${field}`, { n: chosen[field].length })}
        apply={t('common.apply')}
        options={options[field]}
        chosen={chosen[field]}
      />
    );
  });
}

type GroupsProps = { ui: Ui; chosen: Chosen; texts: { regions: string; carriers: string }; prefix?: string };

/** Where, for a form: groups of boxes named `carriers` and `regions` behind `prefix`. */
export function LocationGroups({ ui, chosen, texts, prefix = '' }: GroupsProps) {
  const options = locationOptions(ui, chosen);
  return (['carriers', 'regions'] as const).map((field) => (
    <CheckGroup
      key={field}
      name={`${prefix}${field}`}
      label={texts[field]}
      options={options[field]}
      chosen={chosen[field]}
    />
  ));
}

type SelectProps = { name: string; label: string; value: string; options: Option[]; title?: string };

/** One choice of a filter; `title` explains it. */
export function FilterSelect({ name, label, value, options, title }: SelectProps) {
  return (
    <select name={name} aria-label={label} title={title} className="btn max-w-[min(45vw,16rem)]" defaultValue={value}>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}

type ChoicesProps = {
  name: string;
  label: string;
  summary: string;
  /** What the button says that applies the choice. */
  apply: string;
  options: Option[];
  chosen: readonly string[];
};

/** A list of boxes behind a button; every box is a repeated parameter of the form around it. */
function Choices({ name, label, summary, apply, options, chosen }: ChoicesProps) {
  return (
    <details className="relative" name="filter-menu">
      <summary className="btn" aria-label={`${label}: ${summary}`}>
        {summary}
        <span aria-hidden="true" className="text-muted">
          ▾
        </span>
      </summary>
      <div className="menu">
        <fieldset className="grid max-h-80 w-max max-w-[85vw] grid-cols-2 gap-x-4 gap-y-1 overflow-auto sm:grid-cols-3">
          <legend className="sr-only">{label}</legend>
          {options.map((option) => (
            <label key={option.value} className="flex items-center gap-2 whitespace-nowrap">
              <input type="checkbox" name={name} value={option.value} defaultChecked={chosen.includes(option.value)} />
              {option.label}
            </label>
          ))}
        </fieldset>
        <button type="submit" className="btn btn-primary mt-3">
          {apply}
        </button>
      </div>
    </details>
  );
}
