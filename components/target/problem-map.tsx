import type { Incident, IncidentCell } from '#contract/incident.ts';
import { medianOf } from '#contract/median.ts';
import { isShare } from '#contract/vocabulary.ts';
import { kindText } from '#i18n/incident.ts';
import { carrierName } from '#i18n/names.ts';
import { formatChange } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { AS_USUAL, stepOf } from '../charts/change-scale.ts';
import { ChangeSteps } from '../charts/change-steps.tsx';
import { RegionMap } from '../charts/region-map.tsx';
import type { MapRegion } from '../charts/region-marks.ts';
import { differenceText, lineCells } from '../incident/incident-text.ts';
import { type Board, boardHref } from './board.ts';
import { firstLines, MapChoice, type MapPlace, mapViews, placesOf, viewOf } from './map-places.tsx';
import type { RankedTarget } from './rank.ts';

type Props = {
  ui: Ui;
  board: Board;
  incidents: readonly Incident[];
  targets: readonly RankedTarget[];
  describedBy: string;
};

/**
 * Where new problems are, over all targets, on screens that have room for it beside the list: each province or country by the median change of its
 * series in open incidents that nobody has acknowledged and that do not stand; marked where another thing is wrong, such as probes that fail.
 * Nothing where no target is measured at a place of a map.
 */
export function ProblemMap({ ui, board, incidents, targets, describedBy }: Props) {
  const { t } = ui;
  const measured = [...new Set(targets.flatMap(({ target }) => target.places.map(({ region }) => region)))];
  const views = mapViews(measured).filter((each) => each !== 'tiles');
  const view = viewOf(views, board.map);
  if (!view) return null;
  const fresh = incidents.filter(({ acknowledgedAt, state }) => acknowledgedAt === null && state !== 'standing');
  const open = fresh.flatMap((incident) =>
    lineCells(incident).flatMap((cell) => (cell.recoveredAt === null ? { incident, cell } : [])),
  );
  const byRegion = Map.groupBy(open, ({ cell }) => cell.region ?? '');
  const known = [...new Set([...measured, ...byRegion.keys()])];
  const regions = placesOf(ui, view, known).map((place) =>
    regionOf(
      ui,
      place,
      place.within.flatMap((region) => byRegion.get(region) ?? []),
      measured,
    ),
  );
  return (
    <section className="panel hidden p-4 min-[1800px]:block" aria-labelledby="problem-map">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id="problem-map">{t('board.map')}</h2>
        <MapChoice ui={ui} views={views} view={view} hrefOf={(map) => boardHref(board, { map })} />
      </div>
      <RegionMap
        key={view}
        view={view}
        regions={regions}
        label={t('board.map')}
        describedBy={describedBy}
        failed={t('target.mapFailed')}
      />
      <ul
        aria-label={t('target.legend')}
        className="mt-2 flex flex-wrap items-center gap-px text-[0.8rem] forced-color-adjust-none"
      >
        <ChangeSteps ui={ui} />
        <li className="marked relative ml-2 rounded bg-raised py-0 pr-5 pl-1.5 leading-5">{t('brief.legend')}</li>
      </ul>
    </section>
  );
}

type Open = { incident: Incident; cell: IncidentCell };

function regionOf(
  ui: Ui,
  { within, ...place }: MapPlace,
  open: readonly Open[],
  measured: readonly string[],
): MapRegion {
  const isMeasured = within.some((region) => measured.includes(region));
  const known = open.flatMap(({ incident, cell }) =>
    isTime(incident, cell) && cell.beforeMs !== null && cell.afterMs !== null
      ? { cell, before: cell.beforeMs, after: cell.afterMs }
      : [],
  );
  const others = open.filter(({ incident, cell }) => !isTime(incident, cell));
  const change = medianOf(known.map(({ before, after }) => after / before - 1));
  const step = change === null ? AS_USUAL : stepOf(1 + change, 1, 0);
  const line = (cell: IncidentCell, what: string) =>
    [cell.targetName, carrierName(ui, cell.carrier ?? ''), what].join('  ');
  const lines = [
    ...others.map(({ incident, cell }) => line(cell, kindText(ui, incident))),
    ...known
      .toSorted((a, b) => b.after - b.before - (a.after - a.before))
      .map(({ cell, before, after }) => line(cell, differenceText(ui, cell.metric, after - before))),
  ];
  const none = ui.t(isMeasured ? 'board.well' : 'common.noData');
  return {
    ...place,
    value: change === null ? '' : formatChange(ui.locale, change),
    tone: isMeasured || step !== AS_USUAL ? `change-${step}` : null,
    few: false,
    marked: others.length > 0,
    lines: lines.length > 0 ? firstLines(ui, lines) : [none],
    href: `/incidents?${new URLSearchParams((within.length > 0 ? within : [place.region]).map((region) => ['region', region]))}`,
  };
}

/** Whether a cell has a time before and one since: failures have shares, and thresholds their limit. */
const isTime = ({ kind }: Incident, { metric }: IncidentCell) =>
  (kind === 'spike' || kind === 'regression') && !isShare(metric);
