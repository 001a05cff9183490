import type { Incident, IncidentCell } from '#contract/incident.ts';
import { CHINA_REGIONS } from '#contract/location.ts';
import { medianOf } from '#contract/median.ts';
import { isShare } from '#contract/vocabulary.ts';
import { carrierName, regionName } from '#i18n/names.ts';
import { formatChange } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { AS_USUAL, stepOf } from '../charts/change-scale.ts';
import { ChangeSteps } from '../charts/change-steps.tsx';
import { RegionMap } from '../charts/region-map.tsx';
import type { MapRegion } from '../charts/region-marks.ts';
import { differenceText, lineCells } from '../incident/incident-text.ts';
import { shortRegion } from './map-panel.tsx';
import type { RankedTarget } from './rank.ts';

/** Of a list of tens of series that are alike the first few are read. */
const MAX_LINES = 8;

type Props = { ui: Ui; incidents: readonly Incident[]; targets: readonly RankedTarget[]; describedBy: string };

/**
 * Where new problems are, over all targets, on screens that have room for it beside the list: each province by the median change of its series
 * in open incidents that nobody has acknowledged and that do not stand, all others as usual. Nothing where no target is measured in China.
 */
export function ProblemMap({ ui, incidents, targets, describedBy }: Props) {
  const { t } = ui;
  const measured = new Set(targets.flatMap(({ target }) => target.places.map(({ region }) => region)));
  if (!CHINA_REGIONS.some((region) => measured.has(region))) return null;
  const fresh = incidents.filter(({ acknowledgedAt, state }) => acknowledgedAt === null && state !== 'standing');
  const open = fresh.flatMap((incident) =>
    lineCells(incident).filter(({ recoveredAt, metric }) => recoveredAt === null && !isShare(metric)),
  );
  const byRegion = Map.groupBy(open, ({ region }) => region ?? '');
  const regions = CHINA_REGIONS.map((region) => regionOf(ui, region, byRegion.get(region) ?? [], measured.has(region)));
  return (
    <section className="panel hidden p-4 min-[1800px]:block" aria-labelledby="problem-map">
      <h2 id="problem-map">{t('board.map')}</h2>
      <RegionMap
        view="provinces"
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
      </ul>
    </section>
  );
}

function regionOf(ui: Ui, region: string, cells: readonly IncidentCell[], isMeasured: boolean): MapRegion {
  const known = cells.flatMap((cell) =>
    cell.beforeMs === null || cell.afterMs === null ? [] : { cell, before: cell.beforeMs, after: cell.afterMs },
  );
  const change = known.length > 0 ? medianOf(known.map(({ before, after }) => after / before - 1)) : null;
  const step = change === null ? AS_USUAL : stepOf(1 + change, 1, 0);
  const lines = known
    .toSorted((a, b) => b.after - b.before - (a.after - a.before))
    .map(({ cell, before, after }) =>
      [cell.targetName, carrierName(ui, cell.carrier ?? ''), differenceText(ui, 'tls', after - before)].join('  '),
    );
  const more = lines.length > MAX_LINES ? [ui.t('brief.more', { n: lines.length - MAX_LINES })] : [];
  return {
    region,
    short: shortRegion(ui, region),
    name: regionName(ui, region),
    value: change === null ? '' : formatChange(ui.locale, change),
    tone: isMeasured || step !== AS_USUAL ? `change-${step}` : null,
    few: false,
    marked: false,
    lines:
      lines.length > 0 ? [...lines.slice(0, MAX_LINES), ...more] : [ui.t(isMeasured ? 'board.well' : 'common.noData')],
    href: `/incidents?region=${region}`,
  };
}
