import type { Unit } from '#contract/vocabulary.ts';
import { formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { ALIKE_MS } from './change-scale.ts';
import { HeatChart } from './heat-chart.tsx';
import { HeatLegend, heatTexts } from './heat-legend.tsx';
import { PanelHead } from './panel-head.tsx';

type Props = {
  ui: Ui;
  /** Medians by weekday, Monday first, and hour; `level` is that of the range. */
  data: { level: number | null; values: (number | null)[][] };
  unit: Unit;
  metric: string;
  definition: string;
  json: string;
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Some Monday: its hours are those of all days. */
const MONDAY = Date.UTC(2024, 0, 1);

/** At which hours of the week it is slow. */
export function WeekPanel({ ui, data: { level, values }, unit, metric, definition, json }: Props) {
  const { t, locale, timeZone } = ui;
  const title = t('week.title', { metric });
  const dayName = (weekday: 'short' | 'long', day: number) =>
    new Intl.DateTimeFormat(locale, { weekday, timeZone: 'UTC' }).format(MONDAY + day * DAY_MS);
  return (
    <section className="panel mb-4 p-4" aria-label={title}>
      <PanelHead title={title} definition={`${definition} ${t('statDef.p50')}`}>
        <a href={json} className="link text-[0.86rem]">
          {t('trend.json')}
        </a>
      </PanelHead>
      <HeatChart
        input={{
          rows: values.map((own, day) => ({
            ...{ name: dayName('long', day), region: '', carrier: '' },
            ...{ values: own, isUsual: false },
          })),
          blocks: values.map((_, day) => ({ name: dayName('short', day), from: day, to: day + 1 })),
          ...{ start: MONDAY, stepMs: HOUR_MS, columns: 24, daily: true, zone: 'UTC' },
          // Without both midnights, at which the axis would have a date.
          ...{ from: MONDAY + 1, to: MONDAY + DAY_MS - 1 },
          levels: [values.map(() => level)],
          levelsAt: Array(24).fill(0),
          least: unit === 'ms' ? ALIKE_MS : 0,
          locale,
          texts: { hint: t('week.hint'), ...heatTexts(ui) },
          unit: { name: t(`unit.${unit}`), of: unit },
          href: null,
        }}
        label={t('week.chartLabel', { title })}
        describedBy="week"
      />
      <HeatLegend ui={ui} isUsual={false} isMs={unit === 'ms'} />
      <p id="week" className="mt-2 text-[0.86rem] text-muted">
        {level === null
          ? t('common.noData')
          : t('week.note', { zone: timeZone, level: formatQuantity(ui, level, unit) })}
      </p>
    </section>
  );
}
