import { type NamedRange, RANGES } from '#contract/query.ts';
import { toLocalField } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import { AutoSubmit } from './auto-submit.tsx';
import { type Choice, ChoiceLinks } from './choice-links.tsx';
import { type Filter, filterEntries, filterHref } from './filter.ts';

/** What is shown where no range is asked for: a preset, or what there is since an instant, in words. */
export type AutoRange = { preset: NamedRange } | { since: string };

type Props = { ui: Ui; path: string; filter: Filter };

/** The range control: presets as links, and two fields for any other range. */
export function RangeLinks({ ui, path, filter, auto }: Props & { auto: AutoRange }) {
  const isAuto = filter.range === 'auto';
  const preset = isAuto && 'preset' in auto ? auto.preset : filter.range;
  const presets: Choice[] = RANGES.map((range) => ({
    key: range,
    href: filterHref(path, filter, { range }),
    text: ui.t(`range.${range}`),
    title: ui.t(`range.long.${range}`),
    current: preset === range,
  }));
  const since: Choice[] =
    'since' in auto
      ? [
          {
            key: 'auto',
            href: filterHref(path, filter, { range: 'auto' }),
            text: ui.t('range.since', { time: auto.since }),
            current: isAuto,
          },
        ]
      : [];
  return (
    <div className="flex flex-wrap items-center gap-2">
      <ChoiceLinks label={ui.t('range.label')} choices={[...since, ...presets]} />
      <CustomRange ui={ui} path={path} filter={filter} />
    </div>
  );
}

function CustomRange({ ui, path, filter }: Props) {
  const { t, timeZone } = ui;
  const kept = filterEntries({ ...filter, range: 'auto' });
  const custom = filter.range === 'custom';
  return (
    <details className="relative" name="filter-menu">
      <summary className={custom ? 'btn border-accent' : 'btn'}>
        {t('range.custom')}
        <span aria-hidden="true" className="text-muted">
          ▾
        </span>
      </summary>
      <div className="menu right-0 w-72">
        <AutoSubmit path={path} label={t('range.custom')}>
          {kept.map(([name, value]) => (
            <input key={`${name}-${value}`} type="hidden" name={name} value={value} />
          ))}
          <input type="hidden" name="zone" value={timeZone} />
          {(['from', 'to'] as const).map((name) => (
            <label key={name} className="w-full">
              {t(`range.${name}`)}
              <input
                className="field"
                type="datetime-local"
                name={name}
                required
                defaultValue={toLocalField(filter[name], timeZone)}
              />
            </label>
          ))}
          <p className="w-full text-[0.86rem] text-muted">{timeZone}</p>
          <button type="submit" className="btn btn-primary">
            {t('common.apply')}
          </button>
        </AutoSubmit>
      </div>
    </details>
  );
}
