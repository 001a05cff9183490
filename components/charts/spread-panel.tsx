import type { Distribution } from '#contract/distribution.ts';
import { formatNumber, formatQuantity } from '#i18n/numbers.ts';
import { formatTime } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import { ChoiceLinks } from '../filters/choice-links.tsx';
import { CHOICES, type Filter, filterHref } from '../filters/filter.ts';
import { Table } from '../ui/table.tsx';
import { LazyBins } from './lazy-chart.tsx';
import { LineSwatch } from './line-swatch.tsx';
import { PanelHead } from './panel-head.tsx';
import { PanelMenu } from './panel-menu.tsx';
import { menuTexts } from './trend-panel.tsx';
import { zoomHref } from './zoom-href.ts';

type Props = {
  ui: Ui;
  data: Distribution;
  filter: Filter;
  path: string;
  metric: string;
  definition: string;
  json: string;
};

const TABLE = 'spread-table';

/** How the results of a range are distributed, beside those of the window before it. */
export function SpreadPanel({ ui, data: { edges, now, before }, filter, path, metric, definition, json }: Props) {
  const { t, locale, timeZone } = ui;
  const title = t('spread.title', { metric });
  const lines = [
    { ...now, name: t('spread.now'), token: '--accent', dash: [] },
    { ...before, name: t('spread.before'), token: '--ink', dash: [5, 3] },
  ];
  const drawn = lines.filter(({ n }) => n > 0);
  const note = t(`spread.${filter.spread}Note`, {
    from: formatTime(before.from, timeZone, 'minute'),
    to: formatTime(before.to, timeZone, 'minute'),
  });
  return (
    <section className="panel mb-4 p-4" aria-label={title}>
      <PanelHead title={title} definition={definition}>
        <ChoiceLinks
          label={t('spread.show')}
          choices={CHOICES.spread.map((spread) => ({
            key: spread,
            href: filterHref(path, filter, { spread }),
            text: t(`spread.${spread}`),
            current: spread === filter.spread,
          }))}
        />
        {now.n === 0 ? null : (
          <PanelMenu
            panel={TABLE}
            title={title}
            unit="%"
            axis="ms"
            link={zoomHref(filterHref(path, filter), Date.parse(now.from), Date.parse(now.to))}
            json={json}
            texts={menuTexts(ui)}
          />
        )}
      </PanelHead>
      {now.n === 0 ? (
        <p className="text-muted">{t('common.noData')}</p>
      ) : (
        <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_23rem]">
          <LazyBins
            input={{
              bins: filter.spread,
              edges,
              lines: drawn.map(({ name, token, dash, shares }) => ({ name, token, dash, shares })),
              locale,
              value: `${metric} (${t('unit.ms')})`,
              share: t('spread.share'),
            }}
            label={t('spread.chartLabel', { title })}
            describedBy={TABLE}
            table={{ label: t('trend.values'), note: title }}
            failed={t('trend.failed')}
          />
          <Table
            id={TABLE}
            label={`${t('trend.legend')}: ${title}`}
            density="dense"
            rows={lines}
            rowKey={({ name }) => name}
            columns={[
              {
                key: 'window',
                head: t('spread.window'),
                cell: (line) => (
                  <span className="flex items-center gap-2">
                    <LineSwatch style={{ ...line, marker: 'rect' }} />
                    {line.name}
                  </span>
                ),
                rowHead: true,
                className: 'whitespace-normal font-medium',
              },
              ...(['p50', 'p95'] as const).map((stat) => ({
                key: stat,
                head: t(`stat.${stat}`),
                definition: t(`statDef.${stat}`),
                cell: (line: Distribution['now']) => formatQuantity(ui, line[stat], 'ms'),
                numeric: true,
              })),
              { key: 'n', head: t('spread.n'), cell: ({ n }) => formatNumber(locale, n), numeric: true },
            ]}
          />
        </div>
      )}
      <p className="mt-2 text-[0.86rem] text-muted">{note}</p>
    </section>
  );
}
