import type { Unit } from '#contract/vocabulary.ts';
import { formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { Define } from '../ui/define.tsx';
import { ScrollBox } from '../ui/scroll-box.tsx';
import type { Annotation } from './annotations.ts';
import { LineSwatch } from './line-swatch.tsx';
import type { TrendLine } from './trend.options.ts';
import { TrendChart } from './trend-chart.tsx';

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
  from: string;
  to: string;
  json: string;
  bridgeMs: number;
  annotations?: Annotation[];
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
    from,
    to,
    json,
    bridgeMs,
    annotations = [],
  } = props;
  const { t, locale, timeZone } = ui;
  const ratio = unit === 'ratio';
  return (
    <section className="panel mb-4 p-4" aria-label={title}>
      <div className="mb-2 flex flex-wrap items-baseline justify-between gap-2">
        <h2>
          <Define term={title} definition={definition} />
        </h2>
        <a href={json} className="link text-[0.86rem]">
          {t('trend.json')}
        </a>
      </div>
      <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_23rem]">
        <TrendChart
          input={{
            lines,
            stacked,
            from: Date.parse(from),
            to: Date.parse(to),
            zone: timeZone,
            bridgeMs,
            locale,
            unit: t(`unit.${unit}`),
            scale: ratio ? 100 : 1,
            annotations,
          }}
          label={t('trend.chartLabel', { title })}
          describedBy={id}
        />
        <ScrollBox label={`${t('trend.legend')}: ${title}`}>
          {lines.every(isEmpty) ? (
            <p id={id} className="text-muted">
              {t('common.noData')}
            </p>
          ) : (
            <LineTable ui={ui} id={id} unit={unit} lines={stacked ? lines.toReversed() : lines} />
          )}
        </ScrollBox>
      </div>
      <p className="mt-2 text-[0.86rem] text-muted">{note}</p>
    </section>
  );
}

/** Says whether a line has no value at all. */
export const isEmpty = ({ points }: TrendLine) => points.every(([, value]) => value === null);

function LineTable({ ui, id, unit, lines }: { ui: Ui; id: string; unit: Unit; lines: TrendLine[] }) {
  const { t } = ui;
  return (
    <table id={id} className="table text-[0.92rem] [&_td]:px-1.5 [&_td]:py-1 [&_th]:px-1.5 [&_th]:py-1">
      <thead>
        <tr>
          <th scope="col">{t('trend.line')}</th>
          <th scope="col" className="num">
            {t('trend.latest')}
          </th>
          <th scope="col" className="num">
            {t('trend.lowest')}
          </th>
          <th scope="col" className="num">
            {t('trend.highest')}
          </th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => {
          const values = line.points.flatMap(([, value]) => (value === null ? [] : [value]));
          const shown = (value: number | undefined) => formatQuantity(ui, value ?? null, unit);
          return (
            <tr key={line.name}>
              <th scope="row" className="whitespace-normal font-medium">
                <span className="flex items-center gap-2">
                  <LineSwatch style={line} />
                  {line.name}
                </span>
              </th>
              <td className="num">{shown(values.at(-1))}</td>
              <td className="num">{shown(values.length > 0 ? Math.min(...values) : undefined)}</td>
              <td className="num">{shown(values.length > 0 ? Math.max(...values) : undefined)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
