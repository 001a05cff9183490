import type { Detection } from '#contract/detection.ts';
import { metricName, valueText } from '#i18n/incident.ts';
import { locationName, withAside } from '#i18n/names.ts';
import { formatChange } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import type { Annotation } from '../charts/annotations.ts';
import { type Column, Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';

// The log of a target's series: changes that were found and are too small for an incident. They have no number on the charts.

/** Small changes as thin dashed lines. */
export const noteAnnotations = (notes: readonly Detection[]): Annotation[] =>
  notes.map(({ changeAt }) => ({
    kind: 'line',
    at: Date.parse(changeAt),
    label: '·',
    token: '--muted',
    dashed: true,
  }));

type Props = { ui: Ui; targetId: string; notes: Detection[]; filter: { from: string; to: string } };

/** What was found and opened no incident; nothing where there is none. */
export function NoteList({ ui, targetId, notes, filter: { from, to } }: Props) {
  const { t } = ui;
  if (notes.length === 0) return null;
  const query = new URLSearchParams({ target: targetId, incident: 'false', from, to });
  return (
    <section className="panel mb-4 min-w-0 p-4">
      <div className="flex flex-wrap items-baseline justify-between gap-2">
        <h2>{t('notes.title')}</h2>
        <a href={`/api/v1/detections?${query}`} className="link text-[0.86rem]">
          {t('trend.json')}
        </a>
      </div>
      <p className="text-[0.86rem] text-muted">{t('notes.help')}</p>
      <Table
        label={t('notes.title')}
        density="compact"
        className="mt-2"
        rows={notes}
        rowKey={({ id }) => id}
        columns={columnsOf(ui)}
      />
    </section>
  );
}

function columnsOf(ui: Ui): Column<Detection>[] {
  const { t, locale } = ui;
  return [
    {
      key: 'onset',
      head: t('incident.onset'),
      cell: ({ changeAt }) => <Time ui={ui} at={changeAt} detail="minute" />,
      rowHead: true,
      className: 'font-normal',
    },
    {
      key: 'what',
      head: t('notes.change'),
      cell: ({ kind, metric }) => [t(`incident.kind.${kind}`), metricName(ui, metric)].filter(Boolean).join(' · '),
    },
    {
      key: 'series',
      head: t('incident.line'),
      cell: ({ region, carrier, vantageName }) =>
        region === null || carrier === null ? (vantageName ?? t('common.noValue')) : locationName(ui, region, carrier),
    },
    {
      key: 'levels',
      head: t('incident.change'),
      cell: ({ metric, beforeMs, afterMs }) => {
        if (beforeMs === null || afterMs === null) return t('common.noValue');
        const levels = `${valueText(ui, metric, beforeMs)} → ${valueText(ui, metric, afterMs)}`;
        return withAside(ui, levels, beforeMs > 0 ? formatChange(locale, afterMs / beforeMs - 1) : null);
      },
      numeric: true,
    },
  ];
}
