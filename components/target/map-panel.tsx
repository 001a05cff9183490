import type { Matrix, Measured } from '#contract/query.ts';
import { MIN_CELL_SAMPLES, worstCells } from '#contract/target-summary.ts';
import { carrierName, locationName, regionName } from '#i18n/names.ts';
import { formatNumber, formatQuantity, quantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { ChangeSteps } from '../charts/change-steps.tsx';
import { RegionMap } from '../charts/region-map.tsx';
import type { MapRegion } from '../charts/region-marks.ts';
import { type Filter, filterHref, type MapView } from '../filters/filter.ts';
import { Define } from '../ui/define.tsx';
import { type HeatScale, type Tones, toneOf } from './heat.ts';
import { firstLines, MapChoice, mapViews, placesOf, viewOf } from './map-places.tsx';
import { cellText, MATRIX_ID } from './matrix-table.tsx';
import type { MarkedCells } from './notices.tsx';

type Props = { ui: Ui; path: string; filter: Filter; matrix: Matrix; tones: Tones; marked: MarkedCells };

/** The map of China or of the world coloured by the chosen metric, with its legend; nothing where no region has a place on either. */
export function MapPanel(props: Props) {
  const { ui, path, filter, matrix } = props;
  const { t } = ui;
  const views = mapViews(matrix.regions);
  const map = viewOf(views, filter.map);
  if (!map) return null;
  const places = regionsOf(props, map);
  const title = t('target.mapTitle', { map, metric: t(`metric.${matrix.metric}`), stat: t(`stat.${matrix.stat}`) });
  return (
    <section className="panel p-4" aria-labelledby="map-title">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <h2 id="map-title">
          <Define term={title} definition={`${t(`metricDef.${matrix.metric}`)} ${t('target.mapHelp', { map })}`} />
        </h2>
        <MapChoice ui={ui} views={views} view={map} hrefOf={(view) => filterHref(path, filter, { map: view })} />
        <Legend {...props} />
      </div>
      <RegionMap
        key={map}
        view={map}
        regions={places}
        label={summary(props, map)}
        describedBy={map === 'world' ? COUNTRIES_ID : MATRIX_ID}
        failed={t('target.mapFailed')}
      />
      {map === 'world' ? <CountryList ui={ui} places={places} /> : null}
    </section>
  );
}

/** The figures of regions and countries by their codes. */
const marginsOf = ({ margins: { countries, regions } }: Matrix) =>
  new Map<string, Measured>([
    ...countries.map((margin) => [margin.country, margin] as const),
    ...regions.map((margin) => [margin.region, margin] as const),
  ]);

const COUNTRIES_ID = 'map-countries';

/** What the map of the world shows, in words: the matrix has no countries. */
function CountryList({ ui, places }: { ui: Ui; places: readonly MapRegion[] }) {
  return (
    <details className="mt-2">
      <summary className="link">{ui.t('target.countries')}</summary>
      <ul id={COUNTRIES_ID} className="mt-1 grid gap-x-6 sm:grid-cols-2">
        {places.map(({ region, name, href, lines: [all = ''] }) => (
          <li key={region}>
            <a href={href} className="link">
              {name}
            </a>{' '}
            <span className="text-muted">{all}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function summary({ ui, matrix }: Props, map: MapView): string {
  const margins = marginsOf(matrix);
  const worst = worstCells(matrix, 1)[0];
  return ui.t('target.mapSummary', {
    map,
    n: placesOf(ui, map, matrix.regions).filter(({ region }) => (margins.get(region)?.n ?? 0) > 0).length,
    worst: worst
      ? `${locationName(ui, worst.region, worst.carrier)} ${cellText(ui, matrix, worst)}`
      : ui.t('common.noData'),
  });
}

function regionsOf({ ui, path, filter, matrix, tones, marked }: Props, map: MapView): MapRegion[] {
  const margins = marginsOf(matrix);
  return placesOf(ui, map, matrix.regions).map(({ within, ...place }) => {
    const margin = margins.get(place.region);
    const few = margin !== undefined && margin.n > 0 && margin.n < MIN_CELL_SAMPLES;
    const value = margin?.value ?? null;
    const incidents = incidentsIn(marked, within);
    return {
      ...place,
      value: value === null ? '' : quantity(ui, value, matrix.unit).text,
      tone: toneOf(tones, margin),
      few,
      marked: incidents.length > 0,
      lines: [...tooltipLines(ui, matrix, margin, within), ...incidents],
      href: filterHref(`${path}/trend`, filter, { regions: map === 'world' ? within : [place.region] }),
    };
  });
}

/** The incidents of regions, on whatever carrier, each once. */
const incidentsIn = (marked: MarkedCells, regions: readonly string[]) => [
  ...new Set(
    [...marked].flatMap(([key, at]) =>
      regions.some((region) => key.startsWith(`${region} `)) ? at.map(({ text }) => text) : [],
    ),
  ),
];

/** All that is within a place, then each of its regions, or of its only one each carrier. */
function tooltipLines(ui: Ui, matrix: Matrix, all: Measured | undefined, within: readonly string[]): string[] {
  const line = (name: string, cell: Measured) =>
    `${name}  ${cellText(ui, matrix, cell)}  ${ui.t('common.n', { n: formatNumber(ui.locale, cell.n) })}`;
  if (!all || all.n === 0) return [ui.t('common.noData')];
  const parts =
    within.length > 1
      ? matrix.margins.regions
          .filter(({ region, n }) => within.includes(region) && n > 0)
          .toSorted((a, b) => (b.value ?? 0) - (a.value ?? 0))
          .map((margin) => line(regionName(ui, margin.region), margin))
      : matrix.cells
          .filter(({ region }) => within.includes(region))
          .map((cell) => line(carrierName(ui, cell.carrier), cell));
  return [line(ui.t('target.margin'), all), ...firstLines(ui, parts)];
}

function Legend({ ui, matrix, tones, marked }: Props) {
  const scale = tones.by === 'value' ? tones.scale : null;
  if (tones.by === 'value' && !scale && marked.size === 0) return null;
  return (
    <ul
      aria-label={ui.t('target.legend')}
      className="flex flex-wrap items-center gap-px text-[0.8rem] forced-color-adjust-none"
    >
      {tones.by === 'change' ? <ChangeSteps ui={ui} /> : null}
      {scale ? <Steps ui={ui} matrix={matrix} scale={scale} /> : null}
      {marked.size > 0 ? (
        <li className="marked relative ml-2 rounded bg-raised py-0 pr-5 pl-1.5 leading-5">{ui.t('brief.legend')}</li>
      ) : null}
    </ul>
  );
}

function Steps({ ui, matrix, scale }: { ui: Ui; matrix: Matrix; scale: NonNullable<HeatScale> }) {
  const first = scale.reverse ? '≥' : '<';
  const last = scale.reverse ? '<' : '≥';
  const { edges } = scale;
  const names = edges.map((edge) => `${first} ${formatQuantity(ui, edge, matrix.unit)}`);
  const labels = [...names, `${last} ${formatQuantity(ui, edges.at(-1) ?? 0, matrix.unit)}`];
  const shown = (index: number) => index === 0 || index === edges.length || index === 3;
  return (
    <>
      {labels.map((label, step) => (
        <li key={label} title={label} className={`heat-${step} px-1.5 leading-5 first:rounded-l last:rounded-r`}>
          <span className={shown(step) ? '' : 'sr-only'}>{label}</span>
          {shown(step) ? null : <span aria-hidden="true">&nbsp;</span>}
        </li>
      ))}
      <li className="few ml-2 rounded bg-raised px-1.5 leading-5">
        {ui.t('target.legendFew', { n: MIN_CELL_SAMPLES })}
      </li>
    </>
  );
}
