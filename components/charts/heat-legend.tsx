import type { Ui } from '#i18n/ui.ts';
import { ChangeSteps } from './change-steps.tsx';
import type { HeatInput } from './heat-cells.ts';

/** The sentences about cells of a heatmap, whose figures the browser fills in. */
export function heatTexts({ t }: Ui): Omit<HeatInput['texts'], 'hint'> {
  const parts = { place: '{place}', time: '{time}', value: '{value}', level: '{level}', change: '{change}' };
  return {
    usual: t('heatmap.cellUsual', parts),
    median: t('heatmap.cellMedian', parts),
    alone: t('heatmap.cellAlone', parts),
    empty: t('heatmap.cellEmpty', parts),
  };
}

/** The scale of a heatmap, and what is compared with. */
export function HeatLegend({ ui, isUsual, isMs }: { ui: Ui; isUsual: boolean; isMs: boolean }) {
  const { t } = ui;
  return (
    <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1 text-[0.86rem]">
      <span className="text-muted">{t(isUsual ? 'heatmap.againstUsual' : 'heatmap.againstMedian')}</span>
      <ul className="flex text-[0.8rem]">
        <ChangeSteps ui={ui} />
      </ul>
      <span className="text-muted">{t(isMs ? 'heatmap.neutralMs' : 'heatmap.neutral')}</span>
    </div>
  );
}
