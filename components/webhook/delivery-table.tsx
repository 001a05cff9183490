import Link from 'next/link';
import type { Delivery, DeliveryStatus } from '#contract/delivery.ts';
import { formatTime } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';

const TONES: Record<DeliveryStatus, Tone> = {
  pending: 'warn',
  delivered: 'good',
  failed: 'bad',
  cancelled: 'plain',
  grouped: 'plain',
};

type BadgeProps = { ui: Ui; delivery: Pick<Delivery, 'status' | 'attempts'> };

/** Whether a message arrived. One that was tried in vain already is not merely on its way. */
export function DeliveryBadge({ ui, delivery: { status, attempts } }: BadgeProps) {
  const retrying = status === 'pending' && attempts > 0;
  return (
    <Badge tone={TONES[status]} title={ui.t(`webhooks.statusDef.${status}`)}>
      {ui.t(`webhooks.status.${retrying ? 'retrying' : status}`)}
    </Badge>
  );
}

/** `webhookName` says to whom, where messages to several webhooks stand together. */
type Shown = Delivery & { webhookName?: string };

/** Messages, newest first: what, whether it arrived, after how many attempts. */
export function DeliveryTable({ ui, deliveries }: { ui: Ui; deliveries: Shown[] }) {
  const { t } = ui;
  return (
    <Table
      label={t('webhooks.deliveries')}
      density="compact"
      rows={deliveries}
      rowKey={({ id }) => id}
      columns={[
        {
          key: 'event',
          head: t('webhooks.event'),
          cell: (delivery) => <Event ui={ui} delivery={delivery} />,
          rowHead: true,
          className: 'font-normal',
        },
        {
          key: 'state',
          head: t('common.state'),
          cell: (delivery) => (
            <>
              <DeliveryBadge ui={ui} delivery={delivery} />
              <span className="block text-[0.86rem] text-muted">{t('webhooks.tries', { n: delivery.attempts })}</span>
            </>
          ),
          className: 'whitespace-nowrap',
        },
        {
          key: 'made',
          head: t('webhooks.made'),
          cell: (delivery) => (
            <>
              <Time ui={ui} at={delivery.createdAt} />
              <span className="block text-[0.86rem] text-muted">{arrivalText(ui, delivery)}</span>
            </>
          ),
          wideOnly: true,
          className: 'whitespace-nowrap',
        },
      ]}
    />
  );
}

/** On a phone also when: the column that says so is hidden there. */
function Event({ ui, delivery }: { ui: Ui; delivery: Shown }) {
  const { id, webhookId, webhookName, eventType, createdAt } = delivery;
  return (
    <>
      <Link
        href={`/webhooks/${webhookId}/deliveries/${id}`}
        prefetch={false}
        className="link font-mono font-semibold text-[0.92em]"
      >
        {eventType}
      </Link>
      {webhookName ? <span className="block whitespace-normal text-[0.86rem] text-muted">{webhookName}</span> : null}
      <span className="block whitespace-normal text-[0.86rem] text-muted sm:hidden">
        <Time ui={ui} at={createdAt} /> {arrivalText(ui, delivery)}
      </span>
    </>
  );
}

function arrivalText({ t, timeZone }: Ui, { deliveredAt, nextAt }: Delivery): string {
  if (deliveredAt) return t('webhooks.arrived', { time: formatTime(deliveredAt, timeZone) });
  return nextAt ? t('webhooks.nextTry', { time: formatTime(nextAt, timeZone) }) : '';
}
