import { CHINA_REGIONS } from '#contract/location.ts';
import type { MeasurementVantage } from '#contract/measurement.ts';
import { medianOf } from '#contract/median.ts';
import { carrierName, regionName } from '#i18n/names.ts';
import { formatQuantity, quantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { RegionMap } from '../charts/region-map.tsx';
import type { MapRegion } from '../charts/region-marks.ts';
import { type HeatScale, heatOf } from '../target/heat.ts';
import { shortRegion } from '../target/map-panel.tsx';
import { byCarrier, stateText, timeOf } from './answer.ts';

type Props = { ui: Ui; vantages: readonly MeasurementVantage[]; scale: HeatScale; describedBy: string };

/** The provinces by the median of their TLS times; nothing where no vantage is in one of them. */
export function AnswerMap({ ui, vantages, scale, describedBy }: Props) {
  const { t } = ui;
  const byRegion = Map.groupBy(vantages, ({ vantage }) => vantage.region);
  if (!CHINA_REGIONS.some((region) => byRegion.has(region))) return null;
  const regions = CHINA_REGIONS.map((region) => regionOf(ui, region, byRegion.get(region) ?? [], scale, describedBy));
  const title = t('measurement.map', { metric: t('metric.tls') });
  return (
    <section className="panel p-4" aria-labelledby="answer-map">
      <h2 id="answer-map">{title}</h2>
      <RegionMap
        view="provinces"
        regions={regions}
        label={title}
        describedBy={describedBy}
        failed={t('target.mapFailed')}
      />
    </section>
  );
}

function regionOf(
  ui: Ui,
  region: string,
  here: readonly MeasurementVantage[],
  scale: HeatScale,
  describedBy: string,
): MapRegion {
  const time = medianOf(here.flatMap((each) => timeOf(each) ?? []));
  const heat = heatOf(scale, time);
  const lines = here
    .toSorted((a, b) => byCarrier(a.vantage.carrier, b.vantage.carrier))
    .map((each) => {
      const said = timeOf(each);
      const text = said === null ? stateText(ui, each) : formatQuantity(ui, said, 'ms');
      return `${carrierName(ui, each.vantage.carrier)}  ${text}`;
    });
  return {
    region,
    short: shortRegion(ui, region),
    name: regionName(ui, region),
    value: time === null ? '' : quantity(ui, time, 'ms').text,
    tone: heat === null ? null : `heat-${heat}`,
    few: false,
    marked: false,
    lines: lines.length > 0 ? lines : [ui.t('common.noData')],
    href: `#${describedBy}`,
  };
}
