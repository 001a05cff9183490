import Link from 'next/link';
import type { Incident, IncidentCell } from '#contract/incident.ts';
import { isShare } from '#contract/vocabulary.ts';
import { measuredAs, metricName, valueText } from '#i18n/incident.ts';
import { formatChange } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { type Column, Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { CellMatrix } from './cell-matrix.tsx';
import { cellPlace, differenceText, lineCells } from './incident-text.ts';
import { measureOf } from './measure.ts';

/** `linked` are the targets that are still there: a deleted one has no pages. */
type Props = { ui: Ui; incident: Incident; range: { from: string; to: string }; linked: Set<string> };

/** From so many series on a matrix shows where it is, and the series themselves are folded away. */
const MATRIX_FROM = 9;
/** A page with thousands of rows is of no use. */
const MAX_ROWS = 200;

/** Every series that an incident affects: before, after, and whether it has ended there. */
export function CellsPanel({ ui, incident, range, linked }: Props) {
  const { t } = ui;
  const cells = lineCells(incident).toSorted((a, b) => size(b) - size(a));
  const regions = new Set(cells.map((cell) => cell.region));
  const wide = cells.length >= MATRIX_FROM && regions.size > 2;
  const table = (
    <CellTable ui={ui} incident={incident} cells={cells.slice(0, MAX_ROWS)} range={range} linked={linked} />
  );
  return (
    <section className="panel mb-4 min-w-0 px-4 py-3" aria-labelledby="cells-title">
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
    <Table
      label={t('incident.cells')}
      caption={t('incident.cellsCaption', { metric })}
      density="compact"
      className="mt-1"
      rows={cells}
      rowKey={(cell) => `${cell.targetId} ${cell.vantageId} ${cell.variant} ${cell.metric} ${cell.changeAt}`}
      columns={[
        {
          key: 'location',
          head: t('incident.line'),
          cell: (cell) => cellPlace(ui, cell),
          rowHead: true,
          className: 'whitespace-nowrap font-medium',
        },
        several
          ? {
              key: 'target',
              head: t('incidents.target'),
              cell: ({ targetName }) => targetName,
              className: 'whitespace-nowrap',
            }
          : null,
        ...(measured ? levelColumns(ui, incident) : []),
        {
          key: 'onset',
          head: t('incident.onset'),
          cell: ({ changeAt }) => <Time ui={ui} at={changeAt} detail="minute" />,
        },
        {
          key: 'recovered',
          head: t('incident.recovered'),
          cell: ({ recoveredAt }) =>
            recoveredAt ? <Time ui={ui} at={recoveredAt} detail="minute" /> : t('incident.ongoing'),
          className: 'whitespace-nowrap text-muted',
        },
        {
          key: 'links',
          head: t('common.actions'),
          hiddenHead: true,
          cell: (cell) =>
            cell.targetId && linked.has(cell.targetId) ? (
              <CellLinks ui={ui} incident={incident} cell={cell} range={range} />
            ) : null,
          className: 'whitespace-nowrap',
        },
      ]}
    />
  );
}

/** A threshold's cells all speak of the rule's metric. */
const metricOf = ({ kind, metric }: Incident, cell: IncidentCell) =>
  kind === 'threshold' ? metric : (cell.metric ?? metric);

/** The level before and after, and what lies between. */
function levelColumns(ui: Ui, incident: Incident): Column<IncidentCell>[] {
  const { t, locale } = ui;
  const measured = (cell: IncidentCell) =>
    incident.kind === 'threshold' ? measuredAs(incident) : metricOf(incident, cell);
  return [
    {
      key: 'before',
      head: t('incident.before'),
      cell: (cell) => valueText(ui, measured(cell), cell.beforeMs),
      numeric: true,
    },
    {
      key: 'after',
      head: t('incident.after'),
      cell: (cell) => valueText(ui, measured(cell), cell.afterMs),
      numeric: true,
      className: 'font-semibold',
    },
    {
      key: 'change',
      head: t('incident.change'),
      cell: (cell) => {
        const { beforeMs, afterMs } = cell;
        if (beforeMs === null || afterMs === null) return t('common.noValue');
        return (
          <>
            {differenceText(ui, measured(cell), afterMs - beforeMs)}
            {beforeMs > 0 && !isShare(measured(cell)) ? (
              <span className="ml-1.5 text-muted">{formatChange(locale, afterMs / beforeMs - 1)}</span>
            ) : null}
          </>
        );
      },
      numeric: true,
    },
  ];
}

/** The way to the trend of the series, by what the incident is about, and to its single results around the onset. */
function CellLinks({ ui, incident, cell, range }: Omit<Props, 'linked'> & { cell: IncidentCell }) {
  const { t } = ui;
  const query = new URLSearchParams(range);
  const measure = measureOf({ ...incident, metric: metricOf(incident, cell), cells: [cell] });
  const failed = cell.kind === 'down' || measure?.stat === 'availability';
  if (cell.region !== null) query.set('region', cell.region);
  if (cell.carrier !== null) query.set('carrier', cell.carrier);
  if (measure?.variant) query.set('variant', measure.variant);
  if (measure && measure.metric !== 'tls') query.set('metric', measure.metric);
  if (measure && measure.stat !== 'p50' && !isShare(measure.metric)) query.set('stat', measure.stat);
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
        href={`${path}/results?${query}${failed ? '&outcome=failed' : ''}`}
        prefetch={false}
        className="link"
        aria-label={`${t('incident.toResults')}: ${name}`}
      >
        {t('incident.toResults')}
      </Link>
    </span>
  );
}
