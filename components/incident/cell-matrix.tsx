import type { IncidentCell } from '#contract/incident.ts';
import { orderCarriers, orderRegions } from '#contract/location.ts';
import { medianOf } from '#contract/median.ts';
import { isShare } from '#contract/vocabulary.ts';
import { carrierName, regionName } from '#i18n/names.ts';
import { formatChange } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { ScrollBox } from '../ui/scroll-box.tsx';
import { differenceText } from './incident-text.ts';

/** Where an incident is, and how much each place changed: regions by carriers. */
export function CellMatrix({ ui, cells, metric }: { ui: Ui; cells: IncidentCell[]; metric: string | null }) {
  const { t } = ui;
  const { regions, carriers, at } = cellGrid(cells, metric);
  const [only] = carriers;
  if (carriers.length === 1 && only)
    return <RegionGrid ui={ui} regions={regions} metric={metric} at={(region) => at(region, only)} />;
  return (
    <ScrollBox label={t('incident.matrixCaption')}>
      <table className="w-full border-separate border-spacing-px text-[0.8rem] leading-4">
        <caption className="mb-1 text-left text-[0.86rem] text-muted">{t('incident.matrixCaption')}</caption>
        <thead>
          <tr>
            <td />
            {carriers.map((carrier) => (
              <th key={carrier} scope="col" className="px-1 text-right font-medium text-muted sm:px-2">
                {carrierName(ui, carrier)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {regions.map((region) => (
            <tr key={region}>
              <th scope="row" className="pr-1 text-left font-medium sm:whitespace-nowrap sm:pr-3">
                {regionName(ui, region)}
              </th>
              {carriers.map((carrier) => (
                <MatrixCell key={carrier} ui={ui} cell={at(region, carrier)} metric={metric} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

type RegionProps = { ui: Ui; regions: string[]; metric: string | null; at: (region: string) => GridCell | null };

/** One carrier alone would be a single long column: its regions stand side by side. */
function RegionGrid({ ui, regions, metric, at }: RegionProps) {
  return (
    <dl className="grid grid-cols-[repeat(auto-fill,minmax(13.5rem,1fr))] gap-px text-[0.8rem] leading-4">
      {regions.map((region) => {
        const cell = at(region);
        return cell ? (
          <div key={region} className={`flex justify-between gap-2 rounded-sm px-2 ${groundOf(cell)}`}>
            <dt>{regionName(ui, region)}</dt>
            <dd className="whitespace-nowrap tabular-nums" title={cellTitle(ui, cell)}>
              <Change ui={ui} cell={cell} metric={metric} />
            </dd>
          </div>
        ) : null;
      })}
    </dl>
  );
}

/** Upper ends of relative changes for the steps of heat; an improvement stays calm. */
const HEAT_STEPS = [0.025, 0.1, 0.25, 0.5, 1, 2];

type CellProps = { ui: Ui; cell: GridCell; metric: string | null };

/** Three carriers must fit on a phone: there the milliseconds stand alone. */
function MatrixCell({ ui, cell, metric }: Omit<CellProps, 'cell'> & { cell: GridCell | null }) {
  if (cell === null) return <td className="rounded-sm bg-raised/40" />;
  return (
    <td className={`num rounded-sm px-1 sm:px-2 ${groundOf(cell)}`} title={cellTitle(ui, cell)}>
      <Change ui={ui} cell={cell} metric={metric} narrow />
    </td>
  );
}

const isOver = ({ recovered, n }: GridCell) => recovered === n;

/** The heat of a place; where it is over, none. A change that is not known in proportion is of middling heat. */
function groundOf(cell: GridCell): string {
  const { change } = cell;
  if (isOver(cell)) return 'bg-raised text-muted';
  return `heat-${change === null ? 3 : HEAT_STEPS.filter((limit) => change >= limit).length}`;
}

const cellTitle = ({ t }: Ui, cell: GridCell) =>
  [t('incidents.cells', { n: cell.n }), isOver(cell) ? t('incident.recovered') : null].filter(Boolean).join(' · ');

function Change({ ui, cell, metric, narrow = false }: CellProps & { narrow?: boolean }) {
  const { change, differenceMs, n } = cell;
  return (
    <>
      {differenceMs === null ? n : differenceText(ui, metric, differenceMs)}
      {change === null ? null : (
        <span className={`ml-1.5 ${narrow ? 'hidden sm:inline' : ''}`}>{formatChange(ui.locale, change)}</span>
      )}
      {isOver(cell) ? <span className="sr-only"> {ui.t('incident.recovered')}</span> : null}
    </>
  );
}

/** What an incident's cells of one place come to: the middle of their relative changes, how many, and how many are over. */
type GridCell = { change: number | null; differenceMs: number | null; n: number; recovered: number };
type Grid = { regions: string[]; carriers: string[]; at: (region: string, carrier: string) => GridCell | null };

/** Cells by region and carrier, both in their usual order; only places that are affected have a row or a column. */
function cellGrid(cells: IncidentCell[], metric: string | null): Grid {
  const places = Map.groupBy(cells, ({ region, carrier }) => `${region} ${carrier}`);
  return {
    regions: orderRegions(cells.flatMap(({ region }) => region ?? [])),
    carriers: orderCarriers(cells.flatMap(({ carrier }) => carrier ?? [])),
    at: (region, carrier) => {
      const here = places.get(`${region} ${carrier}`);
      return here ? summary(here, metric) : null;
    },
  };
}

/** A share that moved is no part of a time that moved. */
function summary(cells: IncidentCell[], metric: string | null): GridCell {
  const alike = cells.filter((cell) => cell.metric === metric || !isShare(cell.metric));
  const known = alike.flatMap(({ beforeMs, afterMs }) =>
    beforeMs === null || afterMs === null ? [] : [{ beforeMs, afterMs }],
  );
  return {
    change: medianOf(known.flatMap(({ beforeMs, afterMs }) => (beforeMs > 0 ? [afterMs / beforeMs - 1] : []))),
    differenceMs: medianOf(known.map(({ beforeMs, afterMs }) => afterMs - beforeMs)),
    n: cells.length,
    recovered: cells.filter((cell) => cell.recoveredAt !== null).length,
  };
}
