import type { Location } from '#contract/extent.ts';
import type { FailureSpan } from '#contract/failure.ts';
import { placesText, reasonText, shareText } from '#i18n/incident.ts';
import { formatClock, formatTime } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import type { Annotation } from '../charts/annotations.ts';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';

type Props = { ui: Ui; spans: FailureSpan[]; total: number; places: readonly Location[] };

/** When a target failed in a range, and why: what the marks under the charts say, as a table; nothing where it did not. */
export function FailureSpans({ ui, spans, total, places }: Props) {
  const { t, timeZone } = ui;
  if (spans.length === 0) return null;
  return (
    <section className="panel mb-4 p-4">
      <h2>{t('failing.trend')}</h2>
      <Table
        label={t('failing.trend')}
        density="compact"
        className="mt-1"
        rows={spans}
        rowKey={({ from }) => from}
        columns={[
          {
            key: 'from',
            head: t('failing.from'),
            cell: ({ from }) => <Time ui={ui} at={from} detail="minute" />,
            rowHead: true,
            className: 'font-medium',
          },
          {
            key: 'to',
            head: t('failing.to'),
            cell: (span) => (span.lasting ? t('failing.lasting') : endText(span, timeZone)),
            className: 'whitespace-nowrap',
          },
          {
            key: 'share',
            head: t('failing.share'),
            cell: ({ share }) => shareText(ui, share),
            numeric: true,
            className: 'font-semibold text-bad',
          },
          { key: 'why', head: t('failing.why'), cell: (span) => whyText(ui, span), className: 'min-w-40' },
          {
            key: 'where',
            head: t('failing.where'),
            cell: (span) => placesText(ui, span.places, places) ?? t('common.noValue'),
            className: 'min-w-28',
          },
        ]}
      />
      <p className="mt-2 text-[0.86rem] text-muted">
        {[t('failing.trendNote'), total > spans.length ? t('failing.trendMore', { n: spans.length }) : null]
          .filter(Boolean)
          .join(' ')}
      </p>
    </section>
  );
}

/** Without its date where that is the day of the beginning. */
function endText({ from, to }: FailureSpan, zone: string): string {
  const [begin, end] = [from, to].map((at) => formatTime(at, zone, 'minute'));
  return begin?.slice(0, 10) === end?.slice(0, 10) ? formatClock(to, zone) : String(end);
}

const whyText = (ui: Ui, { failure }: FailureSpan) => (failure ? reasonText(ui, failure) : ui.t('failing.unknown'));

/** The marks of these spans on a chart. */
export const failureAnnotations = (ui: Ui, spans: FailureSpan[]): Annotation[] =>
  spans.map((span) => ({
    kind: 'failure',
    from: Date.parse(span.from),
    to: Date.parse(span.to),
    label: whyText(ui, span),
    text: ui.t('failing.band', { share: shareText(ui, span.share), reason: whyText(ui, span) }),
    token: '--bad',
  }));
