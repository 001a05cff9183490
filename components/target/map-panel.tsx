import { CHINA_REGIONS } from '#contract/location.ts';
import type { Matrix } from '#contract/query.ts';
import { MIN_CELL_SAMPLES, worstCells } from '#contract/target-summary.ts';
import { carrierName, locationName, regionName } from '#i18n/names.ts';
import { formatNumber, formatQuantity, quantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { ChangeSteps } from '../charts/change-steps.tsx';
import { RegionMap } from '../charts/region-map.tsx';
import type { MapRegion } from '../charts/region-marks.ts';
import { ChoiceLinks } from '../filters/choice-links.tsx';
import { type Filter, filterHref, MAP_VIEWS } from '../filters/filter.ts';
import { Define } from '../ui/define.tsx';
import { type HeatScale, type Tones, toneOf } from './heat.ts';
import { cellText, MATRIX_ID } from './matrix-table.tsx';
import type { MarkedCells } from './notices.tsx';

type Props = { ui: Ui; path: string; filter: Filter; matrix: Matrix; tones: Tones; marked: MarkedCells };

/** The map of China coloured by the chosen metric, with its legend. */
export function MapPanel(props: Props) {
  const { ui, path, filter, matrix } = props;
  const { t } = ui;
  const { map } = filter;
  const title = t('target.mapTitle', { metric: t(`metric.${matrix.metric}`), stat: t(`stat.${matrix.stat}`) });
  return (
    <section className="panel p-4" aria-labelledby="map-title">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <h2 id="map-title">
          <Define term={title} definition={`${t(`metricDef.${matrix.metric}`)} ${t('target.mapHelp', { map })}`} />
        </h2>
        <ChoiceLinks
          label={t('target.mapAs')}
          choices={MAP_VIEWS.map((view) => ({
            key: view,
            href: filterHref(path, filter, { map: view }),
            text: t(`target.mapView.${view}`),
            current: map === view,
          }))}
        />
        <Legend {...props} />
      </div>
      <RegionMap
        key={map}
        view={map}
        regions={regionsOf(props)}
        label={summary(props)}
        describedBy={MATRIX_ID}
        failed={t('target.mapFailed')}
      />
    </section>
  );
}

function summary({ ui, filter, matrix }: Props): string {
  const worst = worstCells(matrix, 1)[0];
  return ui.t('target.mapSummary', {
    map: filter.map,
    n: matrix.margins.regions.filter((region) => region.n > 0).length,
    worst: worst
      ? `${locationName(ui, worst.region, worst.carrier)} ${cellText(ui, matrix, worst)}`
      : ui.t('common.noData'),
  });
}

function regionsOf({ ui, path, filter, matrix, tones, marked }: Props): MapRegion[] {
  const margins = new Map(matrix.margins.regions.map((margin) => [margin.region, margin]));
  return CHINA_REGIONS.map((region) => {
    const margin = margins.get(region);
    const few = margin !== undefined && margin.n > 0 && margin.n < MIN_CELL_SAMPLES;
    const value = margin?.value ?? null;
    return {
      region,
      short: shortRegion(ui, region),
      name: regionName(ui, region),
      value: value === null ? '' : quantity(ui, value, matrix.unit).text,
      tone: toneOf(tones, margin),
      few,
      marked: incidentsIn(marked, region).length > 0,
      lines: [...tooltipLines(ui, matrix, region), ...incidentsIn(marked, region)],
      href: filterHref(`${path}/trend`, filter, { regions: [region] }),
    };
  });
}

/** The incidents of a region, on whatever carrier, each once. */
const incidentsIn = (marked: MarkedCells, region: string) => [
  ...new Set([...marked].flatMap(([key, at]) => (key.startsWith(`${region} `) ? at.map(({ text }) => text) : []))),
];

function tooltipLines(ui: Ui, matrix: Matrix, region: string): string[] {
  const line = (
    name: string,
    cell: { value: number | null; n: number; compare: null } | Matrix['margins']['all'] | undefined,
  ) => `${name}  ${cellText(ui, matrix, cell)}  ${ui.t('common.n', { n: formatNumber(ui.locale, cell?.n ?? 0) })}`;
  const all = matrix.margins.regions.find((margin) => margin.region === region);
  if (!all || all.n === 0) return [ui.t('common.noData')];
  const cells = matrix.cells.filter((cell) => cell.region === region);
  return [line(ui.t('target.margin'), all), ...cells.map((cell) => line(carrierName(ui, cell.carrier), cell))];
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

/** A tile or a province has room for three characters: `黑龙江`, and `HL` in languages whose names are longer. */
export function shortRegion(ui: Ui, region: string): string {
  const name = regionName(ui, region);
  return name.length <= 3 ? name : region.slice(3);
}
