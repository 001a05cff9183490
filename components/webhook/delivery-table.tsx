import Link from 'next/link';
import type { Delivery, DeliveryStatus } from '#contract/delivery.ts';
import { formatTime } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { ScrollBox } from '../ui/scroll-box.tsx';
import { Time } from '../ui/time.tsx';

const TONES: Record<DeliveryStatus, Tone> = {
  pending: 'warn',
  delivered: 'good',
  failed: 'bad',
  cancelled: 'plain',
  grouped: 'plain',
};

export function DeliveryBadge({ ui, status }: { ui: Ui; status: DeliveryStatus }) {
  return (
    <Badge tone={TONES[status]} title={ui.t(`webhooks.statusDef.${status}`)}>
      {ui.t(`webhooks.status.${status}`)}
    </Badge>
  );
}

/** `webhookName` says to whom, where messages to several webhooks stand together. */
type Shown = Delivery & { webhookName?: string };

/** Messages, newest first: what, whether it arrived, after how many attempts. */
export function DeliveryTable({ ui, deliveries }: { ui: Ui; deliveries: Shown[] }) {
  const { t } = ui;
  const named = deliveries.some((delivery) => delivery.webhookName !== undefined);
  return (
    <ScrollBox label={t('webhooks.deliveries')}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{t('webhooks.event')}</th>
            {named ? <th scope="col">{t('webhooks.title')}</th> : null}
            <th scope="col">{t('common.state')}</th>
            <th scope="col" className="num">
              {t('webhooks.attempts')}
            </th>
            <th scope="col">{t('webhooks.made')}</th>
            <th scope="col">{t('webhooks.delivered')}</th>
          </tr>
        </thead>
        <tbody>
          {deliveries.map((delivery) => (
            <tr key={delivery.id}>
              <th scope="row" className="whitespace-nowrap font-mono text-[0.92em]">
                <Link
                  href={`/webhooks/${delivery.webhookId}/deliveries/${delivery.id}`}
                  prefetch={false}
                  className="link"
                >
                  {delivery.eventType}
                </Link>
              </th>
              {named ? <td className="whitespace-nowrap">{delivery.webhookName}</td> : null}
              <td className="whitespace-nowrap">
                <DeliveryBadge ui={ui} status={delivery.status} />
              </td>
              <td className="num">{delivery.attempts}</td>
              <td>
                <Time ui={ui} at={delivery.createdAt} />
              </td>
              <td className="whitespace-nowrap">
                <Arrival ui={ui} delivery={delivery} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

function Arrival({ ui, delivery: { deliveredAt, nextAt } }: { ui: Ui; delivery: Delivery }) {
  if (deliveredAt) return <Time ui={ui} at={deliveredAt} />;
  if (!nextAt) return <span className="text-muted">{ui.t('common.noValue')}</span>;
  const time = formatTime(nextAt, ui.timeZone);
  return <span className="text-muted">{ui.t('webhooks.nextTry', { time })}</span>;
}
