import type { Location } from '#contract/extent.ts';
import type { FailureSpan } from '#contract/failure.ts';
import { placesText, reasonText, shareText } from '#i18n/incident.ts';
import { formatTime } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import type { Annotation } from '../charts/annotations.ts';

import { ScrollBox } from '../ui/scroll-box.tsx';
import { Time } from '../ui/time.tsx';

type Props = { ui: Ui; spans: FailureSpan[]; total: number; places: readonly Location[] };

/** When a target failed in a range, and why: what the marks under the charts say, as a table; nothing where it did not. */
export function FailureSpans({ ui, spans, total, places }: Props) {
  const { t, timeZone } = ui;
  if (spans.length === 0) return null;
  return (
    <section className="panel mb-4 p-4" aria-labelledby="failures-title">
      <h2 id="failures-title">{t('failing.trend')}</h2>
      <ScrollBox label={t('failing.trend')} className="mt-1">
        <table className="table [&_td]:px-2 [&_th]:px-2">
          <thead>
            <tr>
              <th scope="col">{t('failing.from')}</th>
              <th scope="col">{t('failing.to')}</th>
              <th scope="col" className="num">
                {t('failing.share')}
              </th>
              <th scope="col">{t('failing.why')}</th>
              <th scope="col">{t('failing.where')}</th>
            </tr>
          </thead>
          <tbody>
            {spans.map((span) => (
              <tr key={span.from}>
                <th scope="row" className="font-medium">
                  <Time ui={ui} at={span.from} detail="minute" />
                </th>
                <td className="whitespace-nowrap">
                  {span.lasting ? t('failing.lasting') : formatTime(span.to, timeZone, 'minute')}
                </td>
                <td className="num font-semibold text-bad">{shareText(ui, span.share)}</td>
                <td className="min-w-40">{whyText(ui, span)}</td>
                <td className="min-w-28">{placesText(ui, span.places, places) ?? t('common.noValue')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
      <p className="mt-2 text-[0.86rem] text-muted">
        {[t('failing.trendNote'), total > spans.length ? t('failing.trendMore', { n: spans.length }) : null]
          .filter(Boolean)
          .join(' ')}
      </p>
    </section>
  );
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
