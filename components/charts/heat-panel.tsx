import Link from 'next/link';
import { shareText } from '#i18n/incident.ts';
import { carrierName, locationName } from '#i18n/names.ts';
import { formatChange } from '#i18n/numbers.ts';
import { formatTime } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import { ChoiceLinks } from '../filters/choice-links.tsx';
import { type Filter, filterHref } from '../filters/filter.ts';
import { Table } from '../ui/table.tsx';
import type { HeatInput } from './heat-cells.ts';
import { HeatChart } from './heat-chart.tsx';
import { HeatLegend, heatTexts } from './heat-legend.tsx';
import { PanelHead } from './panel-head.tsx';

/** A series in the table of the slow ones: share of the time, median and highest change; `at` in ms since 1970. */
type Notable = {
  region: string;
  carrier: string;
  slower: number;
  change: number;
  peak: { at: number; change: number };
};

export type HeatData = Pick<HeatInput, 'rows' | 'start' | 'stepMs' | 'columns' | 'levels' | 'levelsAt' | 'least'> & {
  unit: HeatInput['unit']['of'];
  /** Series that were slow for the longest time, longest first. */
  notable: Notable[];
};

type Props = {
  ui: Ui;
  data: HeatData;
  filter: Filter;
  path: string;
  zoom: string;
  title: string;
  definition: string;
  json: string;
};

/** Heatmap of a target's series over time, with its legend and the series that changed most. */
export function HeatPanel({ ui, data, filter, path, zoom, title, definition, json }: Props) {
  const { t, locale, timeZone } = ui;
  const { rows, unit, columns, notable, ...cells } = data;
  const byChange = filter.sort === 'change';
  const isUsual = rows.some((row) => row.isUsual);
  return (
    <section className="panel mb-4 p-4" aria-label={title} id="heatmap">
      <PanelHead title={title} definition={definition}>
        <ChoiceLinks
          label={t('heatmap.order')}
          choices={(['name', 'change'] as const).map((sort) => ({
            key: sort,
            href: filterHref(path, filter, { sort }),
            text: t(sort === 'change' ? 'heatmap.byChange' : 'heatmap.byCarrier'),
            current: (sort === 'change') === byChange,
          }))}
        />
        <a href={json} className="link text-[0.86rem]">
          {t('trend.json')}
        </a>
      </PanelHead>
      <HeatChart
        input={{
          ...cells,
          rows,
          columns,
          blocks: byChange ? [] : carrierBlocks(ui, rows),
          from: Date.parse(filter.from),
          to: Date.parse(filter.to),
          zone: timeZone,
          locale,
          texts: { hint: t('heatmap.hint'), ...heatTexts(ui) },
          unit: { name: t(`unit.${unit}`), of: unit },
          href: filterHref(path, filter),
        }}
        label={t('heatmap.chartLabel', { title, rows: rows.length, columns })}
        describedBy="heatmap-summary"
        zoom={zoom}
      />
      <HeatLegend ui={ui} isUsual={isUsual} isMs={unit === 'ms'} />
      <p id="heatmap-summary" className="mt-2 text-[0.86rem] text-muted">
        {summaryText(ui, data)}
      </p>
      {notable.length > 0 ? (
        <details className="mt-2 w-fit max-w-full">
          <summary className="link">{t('heatmap.notable', { n: notable.length })}</summary>
          <NotableTable ui={ui} notable={notable} hrefTo={(place) => filterHref(path, filter, place)} />
        </details>
      ) : null}
    </section>
  );
}

/** Runs of rows of the same carrier. */
function carrierBlocks(ui: Ui, rows: HeatInput['rows']): HeatInput['blocks'] {
  const blocks: HeatInput['blocks'] = [];
  for (const [row, { carrier }] of rows.entries()) {
    const last = blocks.at(-1);
    if (last && rows[last.from]?.carrier === carrier) last.to = row + 1;
    else blocks.push({ name: carrierName(ui, carrier ?? ''), from: row, to: row + 1 });
  }
  return blocks;
}

/** Text for readers who cannot see the colours: the number of series, and the one that changed most. */
function summaryText(ui: Ui, { rows, notable: [first] }: HeatData): string {
  const { t, locale, timeZone } = ui;
  if (!first) return t('heatmap.noChange', { n: rows.length });
  return t('heatmap.summary', {
    n: rows.length,
    place: locationName(ui, first.region, first.carrier),
    share: shareText(ui, first.slower),
    change: formatChange(locale, first.change),
    peak: formatChange(locale, first.peak.change),
    time: formatTime(first.peak.at, timeZone, 'minute'),
  });
}

type NotableProps = {
  ui: Ui;
  notable: Notable[];
  hrefTo: (place: { regions: string[]; carriers: string[] }) => string;
};

function NotableTable({ ui, notable, hrefTo }: NotableProps) {
  const { t, locale, timeZone } = ui;
  return (
    <Table
      label={t('heatmap.notable', { n: notable.length })}
      density="dense"
      className="mt-1"
      rows={notable}
      rowKey={({ region, carrier }) => `${region} ${carrier}`}
      columns={[
        {
          key: 'series',
          head: t('trend.line'),
          cell: ({ region, carrier }) => (
            <Link href={hrefTo({ regions: [region], carriers: [carrier] })} prefetch={false} className="link">
              {locationName(ui, region, carrier)}
            </Link>
          ),
          rowHead: true,
        },
        {
          key: 'slower',
          head: t('heatmap.slower'),
          definition: t('heatmap.slowerDef'),
          cell: ({ slower }) => shareText(ui, slower),
          numeric: true,
        },
        {
          key: 'median',
          head: t('heatmap.medianChange'),
          cell: ({ change }) => formatChange(locale, change),
          numeric: true,
        },
        {
          key: 'peak',
          head: t('heatmap.peak'),
          cell: ({ peak }) => formatChange(locale, peak.change),
          numeric: true,
        },
        {
          key: 'at',
          head: t('heatmap.peakAt'),
          cell: ({ peak }) => formatTime(peak.at, timeZone, 'minute'),
          className: 'whitespace-nowrap',
        },
      ]}
    />
  );
}
