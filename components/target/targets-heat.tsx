import type { TargetSummary } from '#contract/target-summary.ts';
import type { Ui } from '#i18n/ui.ts';
import { ALIKE_MS } from '../charts/change-scale.ts';
import { sizeOf } from '../charts/heat-cells.ts';
import { HeatLegend, heatTexts } from '../charts/heat-legend.tsx';
import { LazyHeat } from '../charts/lazy-chart.tsx';
import { PanelHead } from '../charts/panel-head.tsx';

const HOUR_MS = 3_600_000;

type Props = { ui: Ui; targets: readonly TargetSummary[]; describedBy: string };

/** The hours of the last day of many targets against what is usual in them; nothing of fewer than two. */
export function TargetsHeat({ ui, targets, describedBy }: Props) {
  const { t } = ui;
  const hours = targets[0]?.sparkline ?? [];
  const start = Date.parse(hours[0]?.at ?? '');
  if (targets.length < 2 || hours.length === 0) return null;
  const levels = hours.map((_, hour) => targets.map(({ usualHours }) => usualHours[hour] ?? null));
  // Most hours of a day have the levels of the hour before.
  const keys = levels.map((each) => each.join(' '));
  const distinct = new Map(keys.map((key, hour) => [key, levels[hour] ?? []]));
  const title = t('board.heat');
  return (
    <section className="panel mt-4 p-4" aria-label={title}>
      <PanelHead title={title} definition={`${t('metricDef.tls')} ${t('usual.def')}`} />
      <LazyHeat
        size={sizeOf(targets.length).whole}
        failed={t('board.heatFailed')}
        input={{
          rows: targets.map(({ id, name, url, sparkline }) => ({
            name: name || url,
            href: `/targets/${id}/trend?range=24h`,
            values: sparkline.map(({ value }) => (value === null ? null : Number(value.toFixed(2)))),
            isUsual: true,
          })),
          levels: [...distinct.values()],
          levelsAt: keys.map((key) => [...distinct.keys()].indexOf(key)),
          blocks: [],
          start,
          stepMs: HOUR_MS,
          columns: hours.length,
          least: ALIKE_MS,
          from: start,
          to: start + hours.length * HOUR_MS,
          zone: ui.timeZone,
          locale: ui.locale,
          texts: { hint: t('board.heatHint'), ...heatTexts(ui) },
          unit: { name: t('unit.ms'), of: 'ms' },
          href: null,
        }}
        label={t('board.heatLabel', { n: targets.length, hours: hours.length })}
        describedBy={describedBy}
      />
      <HeatLegend ui={ui} isUsual isMs />
    </section>
  );
}
