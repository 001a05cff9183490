import type { ReactNode } from 'react';
import type { Unit } from '#contract/vocabulary.ts';
import { formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { type Column, Table } from '../ui/table.tsx';
import type { Annotation } from './annotations.ts';
import { oneIn } from './evenly.ts';
import { LineButton } from './line-button.tsx';
import { LineSwatch } from './line-swatch.tsx';
import { PanelHead } from './panel-head.tsx';
import { PanelMenu } from './panel-menu.tsx';
import { TrendChart, type TrendLine } from './trend-chart.tsx';
import { zoomHref } from './zoom-href.ts';

type Props = {
  ui: Ui;
  /** Unique on the page; the table's id. */
  id: string;
  title: string;
  definition: string;
  note: string;
  unit: Unit;
  lines: TrendLine[];
  stacked?: boolean;
  /** Values at their logarithms. */
  log?: boolean;
  from: string;
  to: string;
  /** Path of the same figures in the API, where it has them. */
  json?: string;
  bridgeMs: number;
  annotations?: Annotation[];
  /** For half a page: the chart is lower, its legend below it. */
  narrow?: boolean;
  /** The address from which that of a part of the range is made, which is selected by dragging. */
  zoom?: string;
  /** What can be done from here, beside the title. */
  actions?: ReactNode;
};

/** A chart over time with the table that is its legend and says the same in numbers. */
export function TrendPanel(props: Props) {
  const {
    ui,
    id,
    title,
    definition,
    note,
    unit,
    lines,
    stacked = false,
    log = false,
    from,
    to,
    json,
    bridgeMs,
    annotations = [],
    narrow = false,
    zoom,
    actions,
  } = props;
  const { t, locale, timeZone } = ui;
  const ratio = unit === 'ratio' || unit === 'share';
  return (
    <section className="panel mb-4 p-4" aria-label={title}>
      <PanelHead title={title} definition={definition}>
        {actions}
        <PanelMenu
          panel={id}
          title={title}
          unit={t(`unit.${unit}`)}
          link={zoom && zoomHref(zoom, Date.parse(from), Date.parse(to))}
          {...(json !== undefined && { json })}
          texts={menuTexts(ui)}
        />
      </PanelHead>
      <div className={narrow ? 'grid gap-2' : 'grid gap-4 lg:grid-cols-[minmax(0,1fr)_23rem]'}>
        <TrendChart
          input={{
            lines,
            stacked,
            log,
            from: Date.parse(from),
            to: Date.parse(to),
            zone: timeZone,
            bridgeMs,
            locale,
            unit: t(`unit.${unit}`),
            noData: t('common.noData'),
            scale: ratio ? 100 : 1,
            annotations,
            table: {
              label: t('trend.values'),
              time: t('trend.time'),
              note: t('trend.valuesNote', { title, n: oneIn(lines[0]?.points.length ?? 0), zone: timeZone }),
            },
          }}
          label={t('trend.chartLabel', { title })}
          describedBy={id}
          narrow={narrow}
          zoom={zoom}
        />
        {lines.every(isEmpty) ? (
          <p id={id} className="text-muted">
            {t('common.noData')}
          </p>
        ) : (
          <LineTable
            ui={ui}
            id={id}
            label={`${t('trend.legend')}: ${title}`}
            unit={unit}
            lines={stacked ? lines.toReversed() : lines}
          />
        )}
      </div>
      <p className="mt-2 text-[0.86rem] text-muted">{note}</p>
    </section>
  );
}

/** The texts of a panel's menu. */
export const menuTexts = ({ t }: Ui) => ({
  menu: t('trend.menu'),
  link: t('trend.copyLink'),
  copied: t('common.copied'),
  csv: t('trend.csv'),
  png: t('trend.png'),
  json: t('trend.json'),
});

/** Says whether a line has no value at all. */
export const isEmpty = ({ points }: TrendLine) => points.every(([, value]) => value === null);

type LineTableProps = { ui: Ui; id: string; label: string; unit: Unit; lines: TrendLine[] };

function LineTable({ ui, id, label, unit, lines }: LineTableProps) {
  const { t } = ui;
  const figure = (key: 'latest' | 'lowest' | 'highest', of: (values: number[]) => number | undefined) =>
    ({
      key,
      head: t(`trend.${key}`),
      cell: ({ points }) => {
        const values = points.flatMap(([, value]) => (value === null ? [] : [value]));
        return formatQuantity(ui, (values.length > 0 ? of(values) : null) ?? null, unit);
      },
      numeric: true,
    }) satisfies Column<TrendLine>;
  return (
    <Table
      id={id}
      label={label}
      density="dense"
      rows={lines}
      rowKey={({ name }) => name}
      columns={[
        {
          key: 'line',
          head: t('trend.line'),
          cell: (line) => (
            <LineButton panel={id} name={line.name} off={line.off === true} hint={t('trend.lineHint')}>
              <LineSwatch style={line} />
            </LineButton>
          ),
          rowHead: true,
          className: 'whitespace-normal font-medium',
        },
        figure('latest', (values) => values.at(-1)),
        figure('lowest', (values) => Math.min(...values)),
        figure('highest', (values) => Math.max(...values)),
      ]}
    />
  );
}
