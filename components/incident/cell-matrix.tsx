import type { IncidentCell } from '#contract/incident.ts';
import { carrierName, regionName } from '#i18n/names.ts';
import { formatChange } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { ScrollBox } from '../ui/scroll-box.tsx';
import { cellGrid, type GridCell } from './cell-grid.ts';
import { differenceText } from './words.ts';

/** Where an incident is, and how much each place changed: regions by carriers. */
export function CellMatrix({ ui, cells }: { ui: Ui; cells: IncidentCell[] }) {
  const { t } = ui;
  const { regions, carriers, at } = cellGrid(cells);
  return (
    <ScrollBox label={t('incident.matrixCaption')}>
      <table className="border-separate border-spacing-0.5">
        <caption className="mb-1 text-left text-[0.86rem] text-muted">{t('incident.matrixCaption')}</caption>
        <thead>
          <tr>
            <td />
            {carriers.map((carrier) => (
              <th key={carrier} scope="col" className="px-2 py-1 text-right font-medium text-muted">
                {carrierName(ui, carrier)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {regions.map((region) => (
            <tr key={region}>
              <th scope="row" className="whitespace-nowrap py-0.5 pr-3 text-left font-medium">
                {regionName(ui, region)}
              </th>
              {carriers.map((carrier) => (
                <MatrixCell key={carrier} ui={ui} cell={at(region, carrier)} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

/** Upper ends of relative changes for the steps of heat; an improvement stays calm. */
const HEAT_STEPS = [0.025, 0.1, 0.25, 0.5, 1, 2];

function MatrixCell({ ui, cell }: { ui: Ui; cell: GridCell | null }) {
  if (cell === null) return <td className="rounded bg-raised/40" />;
  const { change, differenceMs, n, recovered } = cell;
  const step = change === null ? 3 : HEAT_STEPS.filter((limit) => change >= limit).length;
  const over = recovered === n;
  return (
    <td
      className={`num min-w-20 rounded px-2 py-0.5 ${over ? 'bg-raised text-muted' : `heat-${step}`}`}
      title={[ui.t('incidents.cells', { n }), over ? ui.t('incident.recovered') : null].filter(Boolean).join(' · ')}
    >
      {differenceMs === null ? n : differenceText(ui, 'tls', differenceMs)}
      {change === null ? null : <span className="ml-1.5 text-[0.86rem]">{formatChange(ui.locale, change)}</span>}
      {over ? <span className="sr-only">{ui.t('incident.recovered')}</span> : null}
    </td>
  );
}
