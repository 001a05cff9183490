import type { ReactNode } from 'react';
import type { Matrix, Measured } from '#contract/query.ts';
import { MIN_CELL_SAMPLES } from '#contract/target-summary.ts';
import { carrierFull, carrierName, locationName, regionName } from '#i18n/names.ts';
import { formatNumber, formatQuantity, quantity } from '#i18n/numbers.ts';
import { formatTime } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import { ChoiceLinks } from '../filters/choice-links.tsx';
import { CHOICES, type Filter, filterHref } from '../filters/filter.ts';
import { ChangeText } from '../ui/change.tsx';
import { Define } from '../ui/define.tsx';
import { LinkGrid } from '../ui/link-grid.tsx';
import { ScrollBox } from '../ui/scroll-box.tsx';
import { type Tones, toneOf } from './heat.ts';
import { type MatrixRow, matrixRows } from './matrix-rows.ts';
import type { MarkedCells } from './notices.tsx';
import { longestOf, PhaseBars, PhaseLegend, type PhaseMedians, type Phases } from './phase-bars.tsx';

export const MATRIX_ID = 'matrix';
/** Of all cells at once: a matrix has hundreds. */
const CELLS =
  '[&_a:first-child]:flex [&_a:first-child]:min-w-16 [&_a:first-child]:flex-wrap [&_a:first-child]:items-baseline [&_a:first-child]:gap-x-2 [&_a:first-child]:py-1 [&_a:first-child]:pl-2 sm:[&_a:first-child]:min-w-28';
type Props = { ui: Ui; path: string; filter: Filter; matrix: Matrix; tones: Tones; marked: MarkedCells };
/** `bars` is the cell of the phases; null where no phase has a time. */
type RowProps = Props & { bars: ReactNode };

/** Regions by carriers with their margins: the map's figures as a table, and the way from a cell to its trend. */
export function MatrixTable({ phases, ...props }: Props & { phases: Phases }) {
  const { ui, path, filter, matrix } = props;
  const { t } = ui;
  const rows = matrixRows(matrix, filter.sort);
  const longest = longestOf(phases);
  const bars = (medians: PhaseMedians | undefined) =>
    longest === 0 ? null : (
      <td className="pl-2 max-sm:hidden">
        <PhaseBars ui={ui} medians={medians} longest={longest} />
      </td>
    );
  return (
    <div className="panel mt-4">
      <div className="flex flex-wrap items-center justify-between gap-2 px-4 pt-3">
        <h2>{t('target.matrix')}</h2>
        <SortLinks ui={ui} path={path} filter={filter} />
      </div>
      <ScrollBox label={t('target.matrix')} className="px-4 pb-3">
        <LinkGrid id={MATRIX_ID} className={`mt-2 w-full border-separate border-spacing-[3px] ${CELLS}`}>
          <caption className="pb-2 text-left text-[0.9rem] text-muted">
            {caption(ui, matrix, filter)}
            {longest === 0 ? null : <PhaseLegend ui={ui} longest={longest} />}
          </caption>
          <MatrixHead ui={ui} matrix={matrix} hasBars={longest > 0} />
          <tbody>
            <MarginRow {...props} bars={bars(phases.all)} />
            {rows.map((row) => (
              <Row key={row.region} {...props} row={row} bars={bars(phases.regions.get(row.region))} />
            ))}
          </tbody>
        </LinkGrid>
      </ScrollBox>
    </div>
  );
}

function caption(ui: Ui, matrix: Matrix, { against }: Filter): string {
  return ui.t('target.matrixCaption', {
    against,
    metric: ui.t(`metric.${matrix.metric}`),
    stat: ui.t(`stat.${matrix.stat}`),
    unit: ui.t(`unit.${matrix.unit}`),
    from: formatTime(matrix.from, ui.timeZone, 'minute'),
    to: `${formatTime(matrix.to, ui.timeZone, 'minute')} ${ui.timeZone}`,
  });
}

function SortLinks({ ui: { t }, path, filter }: Pick<Props, 'ui' | 'path' | 'filter'>) {
  const names = { name: t('target.sortName'), value: t('target.sortValue'), change: t('target.sortChange') };
  const choices = CHOICES.sort.map((sort) => ({
    key: sort,
    href: filterHref(path, filter, { sort }),
    text: names[sort],
    current: filter.sort === sort,
  }));
  return <ChoiceLinks label={t('target.sortBy')} shown choices={choices} />;
}

function MatrixHead({ ui, matrix, hasBars }: Pick<Props, 'ui' | 'matrix'> & { hasBars: boolean }) {
  return (
    <thead>
      <tr className="text-left text-muted">
        <th scope="col" className="px-2 py-1 font-medium">
          {ui.t('filter.region')}
        </th>
        {matrix.carriers.map((carrier) => (
          <th key={carrier} scope="col" className="px-2 py-1 font-medium" title={carrierFull(ui, carrier)}>
            {carrierName(ui, carrier)}
          </th>
        ))}
        <th scope="col" className="px-2 py-1 font-medium">
          <Define term={ui.t('target.margin')} definition={ui.t('target.marginDef')} end />
        </th>
        {hasBars ? (
          <th scope="col" className="px-2 py-1 font-medium max-sm:hidden">
            <Define term={ui.t('target.phases')} definition={ui.t('target.phasesDef')} end />
          </th>
        ) : null}
      </tr>
    </thead>
  );
}

function MarginRow({ bars, ...props }: RowProps) {
  const { ui, matrix } = props;
  const margins = new Map(matrix.margins.carriers.map((margin) => [margin.carrier, margin]));
  return (
    <tr>
      <th scope="row" className="whitespace-nowrap px-2 text-left font-semibold">
        {ui.t('target.margin')}
      </th>
      {matrix.carriers.map((carrier) => (
        <Cell key={carrier} {...props} carrier={carrier} cell={margins.get(carrier)} name={carrierName(ui, carrier)} />
      ))}
      <Cell {...props} cell={matrix.margins.all} name={ui.t('target.margin')} />
      {bars}
    </tr>
  );
}

function Row({ bars, ...props }: RowProps & { row: MatrixRow }) {
  const { ui, row } = props;
  return (
    <tr>
      <th scope="row" className="whitespace-nowrap px-2 text-left font-medium" title={row.region}>
        {regionName(ui, row.region)}
      </th>
      {row.cells.map(({ carrier, cell }) => (
        <Cell
          key={carrier}
          {...props}
          region={row.region}
          carrier={carrier}
          cell={cell}
          name={locationName(ui, row.region, carrier)}
        />
      ))}
      <Cell {...props} region={row.region} cell={row.margin} name={regionName(ui, row.region)} />
      {bars}
    </tr>
  );
}

type CellProps = Props & { region?: string; carrier?: string; cell: Measured | undefined; name: string };

/**
 * A cell leads to the trend of its location, and its mark to the incident that goes on there. Hatched where there are too few
 * probes, blank-toned where there are none.
 */
function Cell({ ui, path, filter, matrix, tones, marked, region, carrier, cell, name }: CellProps) {
  const value = cell?.value ?? null;
  const n = cell?.n ?? 0;
  const few = n > 0 && n < MIN_CELL_SAMPLES;
  const tone = toneOf(tones, cell);
  const narrowed = filterHref(`${path}/trend`, filter, {
    regions: region ? [region] : filter.regions,
    carriers: carrier ? [carrier] : filter.carriers,
  });
  const [incident, ...others] = marked.get(`${region} ${carrier}`) ?? [];
  const hint = few ? ui.t('target.few', { n: MIN_CELL_SAMPLES }) : ui.t('target.cellLink', { name });
  const usual =
    cell?.usual == null ? [] : [ui.t('usual.figure', { level: formatQuantity(ui, cell.usual, matrix.unit) })];
  const title = [hint, ...usual].join('\n');
  return (
    <td
      className={`rounded-md p-0 ${tone ?? 'bg-raised'} ${few ? 'few' : ''} ${incident ? 'relative' : ''}`}
      data-region={region ?? 'all'}
      data-carrier={carrier ?? 'all'}
    >
      <a href={narrowed} title={title} className={incident ? 'pr-[26px]' : 'pr-2'}>
        <span className="font-semibold tabular-nums">{quantity(ui, value, matrix.unit).text}</span>
        <span className="sr-only">{value === null ? ui.t('common.noData') : ui.t(`unit.${matrix.unit}`)}</span>
        <span className="text-[0.8rem] tabular-nums" title={ui.t('common.nDef')}>
          {ui.t('common.n', { n: formatNumber(ui.locale, n) })}
        </span>
        {cell?.compare?.change == null ? null : (
          <span className="ml-auto text-[0.8rem]">
            <ChangeText ui={ui} change={cell.compare.change} against={filter.against} />
          </span>
        )}
      </a>
      {incident ? (
        <a
          href={`/incidents/${incident.id}`}
          title={[incident, ...others].map(({ text }) => text).join('\n')}
          className="marked absolute top-0 right-0 h-full min-h-[24px] w-[24px]"
        >
          <span className="sr-only">{`${incident.text} (${name})`}</span>
        </a>
      ) : null}
    </td>
  );
}

/** The value of a cell with its unit, for lists and tooltips. */
export const cellText = (ui: Ui, matrix: Matrix, cell: Measured | undefined) =>
  cell && cell.value !== null ? formatQuantity(ui, cell.value, matrix.unit) : ui.t('common.noData');
