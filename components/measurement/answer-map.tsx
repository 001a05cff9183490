import type { MeasurementVantage } from '#contract/measurement.ts';
import { medianOf } from '#contract/median.ts';
import { carrierName, locationName } from '#i18n/names.ts';
import { formatQuantity, quantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { RegionMap } from '../charts/region-map.tsx';
import type { MapRegion } from '../charts/region-marks.ts';
import type { MapView } from '../filters/filter.ts';
import { type HeatScale, heatOf } from '../target/heat.ts';
import { firstLines, MapChoice, type MapPlace, mapViews, placesOf, viewOf } from '../target/map-places.tsx';
import { byCarrier, stateText, timeOf } from './answer.ts';

type Props = {
  ui: Ui;
  map: MapView;
  vantages: readonly MeasurementVantage[];
  scale: HeatScale;
  describedBy: string;
};

/** The provinces or countries by the median of their TLS times; nothing where no vantage is in one of them. */
export function AnswerMap({ ui, map, vantages, scale, describedBy }: Props) {
  const { t } = ui;
  const byRegion = Map.groupBy(vantages, ({ vantage }) => vantage.region);
  const measured = [...byRegion.keys()];
  const views = mapViews(measured).filter((each) => each !== 'tiles');
  const view = viewOf(views, map);
  if (!view) return null;
  const regions = placesOf(ui, view, measured).map((place) =>
    regionOf(
      ui,
      place,
      place.within.flatMap((region) => byRegion.get(region) ?? []),
      scale,
      describedBy,
    ),
  );
  const title = t('measurement.map', { map: view, metric: t('metric.tls') });
  return (
    <section className="panel p-4" aria-labelledby="answer-map">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id="answer-map">{title}</h2>
        <MapChoice ui={ui} views={views} view={view} hrefOf={(each) => `?map=${each}`} />
      </div>
      <RegionMap
        key={view}
        view={view}
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
  { within, ...place }: MapPlace,
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
      const { region, carrier } = each.vantage;
      return `${within.length > 1 ? locationName(ui, region, carrier) : carrierName(ui, carrier)}  ${text}`;
    });
  return {
    ...place,
    value: time === null ? '' : quantity(ui, time, 'ms').text,
    tone: heat === null ? null : `heat-${heat}`,
    few: false,
    marked: false,
    lines: lines.length > 0 ? firstLines(ui, lines) : [ui.t('common.noData')],
    href: `#${describedBy}`,
  };
}
