import type { DeliveryAttempt } from '#contract/delivery.ts';
import { formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { Badge } from '../ui/badge.tsx';
import { Time } from '../ui/time.tsx';
import { MessageText } from './message-text.tsx';

/** Every attempt of a delivery with its request and its answer, the latest first and open. */
export function AttemptList({ ui, attempts }: { ui: Ui; attempts: DeliveryAttempt[] }) {
  const { t } = ui;
  if (attempts.length === 0) return <p className="panel mb-4 p-4 text-muted">{t('webhooks.noAttempts')}</p>;
  return (
    <ol className="grid grid-cols-[minmax(0,1fr)] gap-3">
      {attempts.map((attempt, index) => (
        <li key={attempt.id}>
          <details className="group panel" open={index === 0}>
            <summary className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
              <span aria-hidden="true" className="inline-block text-muted group-open:rotate-90">
                ▸
              </span>
              <h2>
                {t('webhooks.attempt')} {attempts.length - index}
              </h2>
              <Time ui={ui} at={attempt.at} />
              <Badge tone={attempt.error === null ? 'good' : 'bad'}>{attempt.status ?? t('webhooks.noAnswer')}</Badge>
              {attempt.durationMs === null ? null : (
                <span className="text-muted">
                  {t('webhooks.took', { time: formatQuantity(ui, attempt.durationMs, 'ms') })}
                </span>
              )}
              {attempt.error ? <span className="min-w-0 break-words text-bad">{attempt.error}</span> : null}
            </summary>
            <div className="grid grid-cols-[minmax(0,1fr)] gap-3 px-4 pb-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
              <div>
                <h3 className="font-medium">{t('webhooks.request')}</h3>
                <MessageText
                  label={`${t('webhooks.request')} ${attempts.length - index}`}
                  headers={attempt.requestHeaders}
                  body={attempt.requestBody}
                />
              </div>
              <div>
                <h3 className="font-medium">{t('webhooks.response')}</h3>
                {attempt.responseHeaders === null && attempt.responseBody === null ? (
                  <p className="mt-1 text-muted">{t('webhooks.noAnswer')}</p>
                ) : (
                  <MessageText
                    label={`${t('webhooks.response')} ${attempts.length - index}`}
                    headers={attempt.responseHeaders}
                    body={attempt.responseBody}
                  />
                )}
              </div>
            </div>
          </details>
        </li>
      ))}
    </ol>
  );
}
