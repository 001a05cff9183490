import Link from 'next/link';
import { notFound } from 'next/navigation';
import { ActionForm } from '#components/ui/form.tsx';
import { LiveRefresh } from '#components/ui/live-refresh.tsx';
import { PageHead } from '#components/ui/page.tsx';
import { Time } from '#components/ui/time.tsx';
import { ZoneNote } from '#components/ui/zone-note.tsx';
import { AttemptList } from '#components/webhook/attempt-list.tsx';
import { DeliveryBadge } from '#components/webhook/delivery-table.tsx';
import { MessageText } from '#components/webhook/message-text.tsx';
import type { DeliveryDetail } from '#contract/delivery.ts';
import { formatTime } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import { readerPage, readerTitle } from '../../../../access.ts';
import { findDelivery, findDeliveryToEdit, findWebhook } from '../../../../find.ts';
import { requestUi } from '../../../../request-ui.ts';
import { replayDeliveryAction } from '../../../actions.ts';

type Props = { params: Promise<{ id: string; delivery: string }> };

export const generateMetadata = readerTitle(({ t }) => t('webhooks.delivery'));

/** One message: every attempt with its request and answer, and the way to send it again. */
export default readerPage(async function DeliveryPage({ params }: Props, reader) {
  const { id, delivery: deliveryId } = await params;
  const path = `/webhooks/${encodeURIComponent(id)}`;
  const find = reader === 'admin' ? findDeliveryToEdit : findDelivery;
  const [ui, webhook, delivery] = await Promise.all([requestUi(), findWebhook(id), find(deliveryId)]);
  if (!delivery || delivery.webhookId !== id) notFound();
  const { t } = ui;
  const over = delivery.status !== 'pending' && delivery.status !== 'grouped';
  return (
    <>
      <PageHead
        ui={ui}
        up={{ href: webhook ? path : '/webhooks', label: webhook?.name ?? t('webhooks.title') }}
        title={
          <>
            {delivery.eventType}
            <DeliveryBadge ui={ui} delivery={delivery} />
          </>
        }
        note={<Facts ui={ui} delivery={delivery} />}
        actions={
          reader === 'admin' && webhook?.enabled && over ? (
            <ActionForm action={replayDeliveryAction.bind(null, delivery.id)} submit={t('webhooks.replay')} />
          ) : null
        }
      />
      <AttemptList ui={ui} attempts={delivery.log} />
      <section className="panel my-4 min-w-0 p-4">
        <h2>{t('webhooks.payload')}</h2>
        <MessageText label={t('webhooks.payload')} headers={null} body={JSON.stringify(delivery.payload)} />
      </section>
      <ZoneNote ui={ui} />
      {delivery.status === 'pending' ? <LiveRefresh seconds={5} /> : null}
    </>
  );
});

function Facts({ ui, delivery }: { ui: Ui; delivery: DeliveryDetail }) {
  const { t, timeZone } = ui;
  const { messageId, createdAt, nextAt, incidentId, webhookId, groupId } = delivery;
  return (
    <p className="flex flex-wrap gap-x-3 text-muted">
      <span className="break-all font-mono text-[0.86rem]" title={t('webhooks.messageId')}>
        {messageId}
      </span>
      <Time ui={ui} at={createdAt} />
      {nextAt ? <span>{t('webhooks.nextTry', { time: formatTime(nextAt, timeZone) })}</span> : null}
      {incidentId ? (
        <Link href={`/incidents/${incidentId}`} prefetch={false} className="link">
          {t('incidents.incident')}
        </Link>
      ) : null}
      {groupId ? (
        <Link href={`/webhooks/${webhookId}/deliveries/${groupId}`} prefetch={false} className="link">
          {t('webhooks.status.grouped')}
        </Link>
      ) : null}
    </p>
  );
}
