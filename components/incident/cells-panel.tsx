import Link from 'next/link';
import type { Incident, IncidentCell } from '#contract/incident.ts';
import { measuredAs, metricName, valueText } from '#i18n/incident.ts';
import { formatChange } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { ScrollBox } from '../ui/scroll-box.tsx';
import { Time } from '../ui/time.tsx';
import { CellMatrix } from './cell-matrix.tsx';
import { cellPlace, differenceText, lineCells } from './words.ts';

/** `linked` are the targets that are still there: a deleted one has no pages. */
type Props = { ui: Ui; incident: Incident; range: { from: string; to: string }; linked: Set<string> };

/** From so many lines on a matrix shows where it is, and the lines themselves are folded away. */
const MATRIX_FROM = 9;
/** A page with thousands of rows helps nobody. */
const MAX_ROWS = 200;

/** Every line that an incident is seen on: before, after, and whether it is over there. */
export function CellsPanel({ ui, incident, range, linked }: Props) {
  const { t } = ui;
  const cells = lineCells(incident).toSorted((a, b) => size(b) - size(a));
  const regions = new Set(cells.map((cell) => cell.region));
  const wide = cells.length >= MATRIX_FROM && regions.size > 2;
  const table = (
    <CellTable ui={ui} incident={incident} cells={cells.slice(0, MAX_ROWS)} range={range} linked={linked} />
  );
  return (
    <section className="panel mb-4 min-w-0 p-4" aria-labelledby="cells-title">
      <h2 id="cells-title" className="mb-2">
        {t('incident.cells')} <span className="font-normal text-muted">{cells.length}</span>
      </h2>
      {wide ? (
        <>
          <CellMatrix
            ui={ui}
            cells={incident.status === 'resolved' ? cells.map(asAffected) : cells}
            metric={measuredAs(incident)}
          />
          <details className="group mt-3">
            <summary className="font-medium">
              <span aria-hidden="true" className="mr-1.5 inline-block text-muted group-open:rotate-90">
                ▸
              </span>
              {t('incident.allCells')}
            </summary>
            {table}
          </details>
        </>
      ) : (
        table
      )}
      {cells.length > MAX_ROWS ? <p className="mt-2 text-muted">{t('incident.moreCells', { n: MAX_ROWS })}</p> : null}
    </section>
  );
}

/** While it lasts a place that has recovered is set back; once all is over, how bad it was counts. */
const asAffected = (cell: IncidentCell): IncidentCell => ({ ...cell, recoveredAt: null });

const size = ({ beforeMs, afterMs }: IncidentCell) => Math.abs((afterMs ?? 0) - (beforeMs ?? 0));

function CellTable({ ui, incident, cells, range, linked }: Props & { cells: IncidentCell[] }) {
  const { t } = ui;
  const several = new Set(cells.map((cell) => cell.targetId)).size > 1;
  const measured = cells.some((cell) => cell.afterMs !== null);
  const metric = metricName(ui, incident.metric) ?? t(`incident.kind.${incident.kind}`);
  return (
    <ScrollBox label={t('incident.cells')} className="mt-1">
      <table className="table [&_td]:px-2 [&_th]:px-2">
        <caption className="sr-only">{t('incident.cellsCaption', { metric })}</caption>
        <thead>
          <tr>
            <th scope="col">{t('incident.line')}</th>
            {several ? <th scope="col">{t('incidents.target')}</th> : null}
            {measured ? (
              <>
                <th scope="col" className="num">
                  {t('incident.before')}
                </th>
                <th scope="col" className="num">
                  {t('incident.after')}
                </th>
                <th scope="col" className="num">
                  {t('incident.change')}
                </th>
              </>
            ) : null}
            <th scope="col">{t('incident.onset')}</th>
            <th scope="col">{t('incident.recovered')}</th>
            <th scope="col">
              <span className="sr-only">{t('common.actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {cells.map((cell) => (
            <tr key={`${cell.targetId} ${cell.vantageId} ${cell.metric} ${cell.changeAt}`}>
              <th scope="row" className="whitespace-nowrap font-medium">
                {cellPlace(ui, cell)}
              </th>
              {several ? <td className="whitespace-nowrap">{cell.targetName}</td> : null}
              {measured ? (
                <Levels
                  ui={ui}
                  cell={cell}
                  metric={incident.kind === 'threshold' ? measuredAs(incident) : (cell.metric ?? incident.metric)}
                />
              ) : null}
              <td>
                <Time ui={ui} at={cell.changeAt} detail="minute" />
              </td>
              <td className="whitespace-nowrap text-muted">
                {cell.recoveredAt ? <Time ui={ui} at={cell.recoveredAt} detail="minute" /> : t('incident.ongoing')}
              </td>
              <td className="whitespace-nowrap">
                {cell.targetId && linked.has(cell.targetId) ? <CellLinks ui={ui} cell={cell} range={range} /> : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

function Levels({ ui, cell, metric }: { ui: Ui; cell: IncidentCell; metric: string | null }) {
  const { beforeMs, afterMs } = cell;
  const known = beforeMs !== null && afterMs !== null;
  return (
    <>
      <td className="num">{valueText(ui, metric, beforeMs)}</td>
      <td className="num font-semibold">{valueText(ui, metric, afterMs)}</td>
      <td className="num">
        {known ? differenceText(ui, metric, afterMs - beforeMs) : ui.t('common.noValue')}
        {known && beforeMs > 0 ? (
          <span className="ml-1.5 text-muted">{formatChange(ui.locale, afterMs / beforeMs - 1)}</span>
        ) : null}
      </td>
    </>
  );
}

/** The way to the line's trend and to its single results around the onset. */
function CellLinks({ ui, cell, range }: { ui: Ui; cell: IncidentCell; range: Props['range'] }) {
  const { t } = ui;
  const query = new URLSearchParams(range);
  if (cell.region !== null) query.set('region', cell.region);
  if (cell.carrier !== null) query.set('carrier', cell.carrier);
  const path = `/targets/${cell.targetId}`;
  const name = `${cell.targetName ?? ''} ${cellPlace(ui, cell)}`;
  return (
    <span className="flex gap-3">
      <Link
        href={`${path}/trend?${query}`}
        prefetch={false}
        className="link"
        aria-label={`${t('incident.toTrend')}: ${name}`}
      >
        {t('incident.toTrend')}
      </Link>
      <Link
        href={`${path}/results?${query}${cell.kind === 'down' ? '&outcome=failed' : ''}`}
        prefetch={false}
        className="link"
        aria-label={`${t('incident.toResults')}: ${name}`}
      >
        {t('incident.toResults')}
      </Link>
    </span>
  );
}
