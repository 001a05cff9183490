import { makeupStyle } from '#components/charts/styles.ts';
import type { TrendLine } from '#components/charts/trend-chart.tsx';
import { TrendPanel } from '#components/charts/trend-panel.tsx';
import { ChoiceLinks } from '#components/filters/choice-links.tsx';
import { filterHref } from '#components/filters/filter.ts';
import type { Makeup } from '#contract/distribution.ts';
import { CONNECTION_PROPERTIES, type ConnectionProperty, STAPLE_STATUSES } from '#contract/vocabulary.ts';
import { formatTime } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import type { TargetPage } from '../target-frame.tsx';

/** More values of a property than this cannot be told apart: the others are one. */
const MAX_VALUES = 5;

/** What connections were made of over time: the shares of the values of a chosen property. */
export function MakeupPanel({ page, data, json }: { page: TargetPage; data: Makeup; json: string }) {
  const { ui, target, filter, path } = page;
  const { t } = ui;
  const { makeup } = filter;
  const zoom = filterHref(`${path}/trend`, filter);
  return (
    <TrendPanel
      ui={ui}
      id="makeup-table"
      title={t('makeup.title', { property: t(`makeup.of.${makeup}`) })}
      definition={t(`makeup.defs.${makeup}`)}
      note={makeupNote(ui, data)}
      unit="share"
      lines={makeupLines(ui, makeup, data)}
      stacked
      from={filter.from}
      to={filter.to}
      bridgeMs={1_000 * Math.max(2.5 * target.periodSeconds, 1.5 * data.stepSeconds)}
      zoom={zoom}
      json={json}
      actions={
        <ChoiceLinks
          label={t('makeup.show')}
          choices={CONNECTION_PROPERTIES.map((property) => ({
            key: property,
            href: filterHref(`${path}/trend`, filter, { makeup: property }),
            text: t(`makeup.of.${property}`),
            current: property === makeup,
          }))}
        />
      }
    />
  );
}

/** What of the range was looked at, and what is not there to be looked at. */
export function makeupNote({ t, timeZone }: Ui, data: Omit<Makeup, 'lines'>): string {
  const minutes = Math.round(data.sampleSeconds / 6) / 10;
  const since = data.since && `${formatTime(data.since, timeZone, 'minute')} ${timeZone}`;
  return [
    data.sampleSeconds < data.stepSeconds ? t('makeup.sample', { minutes }) : '',
    since ? t('makeup.since', { time: since }) : '',
    data.generatedUntil === null ? '' : t('makeup.generated'),
  ]
    .filter(Boolean)
    .join(' ');
}

/** The most frequent values, and the rest together where there are more. */
export function makeupLines(ui: Ui, property: ConnectionProperty, { lines }: Pick<Makeup, 'lines'>): TrendLine[] {
  const fits = lines.length <= MAX_VALUES;
  const [named, others] = fits ? [lines, []] : [lines.slice(0, MAX_VALUES - 1), lines.slice(MAX_VALUES - 1)];
  const [first] = others;
  const rest = first
    ? [{ value: 'other', points: first.points.map(([at], index) => [at, sumAt(others, index)] as const) }]
    : [];
  return [...named, ...rest].map(({ value, points }, index) => ({
    ...makeupStyle(index),
    name: valueName(ui, property, value),
    points: points.map(([at, share]) => [Date.parse(at), share]),
  }));
}

function sumAt(lines: Makeup['lines'], index: number): number | null {
  const shares = lines.flatMap(({ points }) => points[index]?.[1] ?? []);
  return shares.length === 0 ? null : shares.reduce((sum, share) => sum + share, 0);
}

function valueName({ t }: Ui, property: ConnectionProperty, value: string): string {
  if (value === 'other' || value === 'none' || value === 'full' || value === 'resumed') return t(`makeup.${value}`);
  const status = property === 'staple' ? STAPLE_STATUSES.find((each) => each === value) : undefined;
  if (status) return t(`staple.${status}`);
  return property === 'http' ? `HTTP/${value}` : value;
}
