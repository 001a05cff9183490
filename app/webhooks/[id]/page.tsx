import Link from 'next/link';
import { notFound } from 'next/navigation';
import type { SearchParams } from '#components/filters/filter.ts';
import { DemoBadge, ManagedBadge } from '#components/ui/badge.tsx';
import { ActionForm } from '#components/ui/form.tsx';
import { LiveRefresh } from '#components/ui/live-refresh.tsx';
import { PageHead } from '#components/ui/page.tsx';
import { ZoneNote } from '#components/ui/zone-note.tsx';
import { DeliveryTable } from '#components/webhook/delivery-table.tsx';
import { EventPanel } from '#components/webhook/event-panel.tsx';
import { MessageText } from '#components/webhook/message-text.tsx';
import { filterText, WebhookState } from '#components/webhook/webhook-table.tsx';
import type { WebhookPreview } from '#contract/webhook.ts';
import { EVENT_TYPES, type WebhookEventType } from '#contract/webhook-event.ts';
import type { Ui } from '#i18n/ui.ts';
import type { Viewer } from '#server/access/secret-settings.ts';
import { ServiceError } from '#server/environment/errors.ts';
import { listDeliveries } from '#server/webhooks/deliveries.ts';
import { previewWebhook } from '#server/webhooks/preview.ts';
import { readerPage, readerTitle } from '../../access.ts';
import { findWebhook, findWebhookToEdit } from '../../find.ts';
import { pageOrFirst } from '../../first-page.ts';
import { requestUi } from '../../request-ui.ts';
import { testWebhookAction } from '../actions.ts';

const ROWS = 50;
type Props = { params: Promise<{ id: string }>; searchParams: Promise<SearchParams> };

export const generateMetadata = readerTitle(async ({ t }, { params }: Props) => {
  const webhook = await findWebhook((await params).id);
  return webhook?.name ?? t('notFound.title');
});

/** One webhook: whether messages arrive, what was sent, and what a message looks like. */
export default readerPage(async function WebhookPage({ params, searchParams }: Props, reader) {
  const { id } = await params;
  const path = `/webhooks/${encodeURIComponent(id)}`;
  const editable = reader === 'admin';
  const [ui, webhook, search] = await Promise.all([
    requestUi(),
    editable ? findWebhookToEdit(id) : findWebhook(id),
    searchParams,
  ]);
  if (!webhook) notFound();
  const { t } = ui;
  const event = EVENT_TYPES.find((type) => type === search.event) ?? 'tls.spike.opened';
  const cursor = typeof search.cursor === 'string' ? { cursor: search.cursor } : {};
  const [deliveries, preview] = await Promise.all([
    pageOrFirst((query: { limit: number; cursor?: string }) => listDeliveries(id, query), { limit: ROWS, ...cursor }),
    previewOr(id, event, editable ? 'editor' : 'reader'),
  ]);
  return (
    <>
      <PageHead
        ui={ui}
        up={{ href: '/webhooks', label: t('webhooks.title') }}
        title={
          <>
            {webhook.name}
            {webhook.demo ? <DemoBadge ui={ui} /> : null}
            {webhook.managed ? <ManagedBadge ui={ui} /> : null}
            <WebhookState ui={ui} webhook={webhook} now={Date.now()} />
          </>
        }
        note={
          <>
            <p className="break-all text-muted">
              {[t(`webhooks.format.${webhook.format}`), webhook.url, filterText(ui, webhook)]
                .filter(Boolean)
                .join(' · ')}
            </p>
            {webhook.disabledReason ? <p className="text-bad">{webhook.disabledReason}</p> : null}
          </>
        }
        actions={
          editable ? (
            <div className="flex flex-wrap items-end gap-2 [&_p]:m-0">
              {webhook.enabled ? (
                <ActionForm action={testWebhookAction.bind(null, id)} submit={t('webhooks.test')} />
              ) : null}
              <Link href={`${path}/edit`} prefetch={false} className="btn">
                {t('common.edit')}
              </Link>
            </div>
          ) : null
        }
      />
      <section className="panel mb-4 min-w-0 p-4">
        <h2>{t('webhooks.deliveries')}</h2>
        {deliveries.data.length === 0 ? (
          <p className="mt-1 text-muted">{t('webhooks.noDeliveries')}</p>
        ) : (
          <DeliveryTable ui={ui} deliveries={deliveries.data} />
        )}
        {deliveries.nextCursor ? (
          <Link
            href={`${path}?cursor=${encodeURIComponent(deliveries.nextCursor)}`}
            prefetch={false}
            className="btn mt-2"
          >
            {t('incidents.older')}
          </Link>
        ) : null}
      </section>
      <PreviewPanel ui={ui} path={path} event={event} preview={preview} />
      <ZoneNote ui={ui} />
      <LiveRefresh seconds={5} />
    </>
  );
});

/** A template may not be fillable for this event: that is told in place of the preview. */
async function previewOr(id: string, event: WebhookEventType, viewer: Viewer) {
  try {
    return await previewWebhook(id, { event }, viewer);
  } catch (error) {
    if (error instanceof ServiceError && error.code !== 'not_found') return { problem: error.message };
    throw error;
  }
}

type PreviewProps = {
  ui: Ui;
  path: string;
  event: string;
  /** What is sent, or why it cannot be written. */
  preview: WebhookPreview | { problem: string };
};

/** What the receiver gets for a kind of event, to the letter; secrets are masked. */
function PreviewPanel({ ui, path, event, preview }: PreviewProps) {
  const { t } = ui;
  return (
    <EventPanel ui={ui} id="preview" title={t('webhooks.preview')} path={path} events={EVENT_TYPES} event={event}>
      {'problem' in preview ? (
        <p className="text-bad">{t('webhooks.previewFailed', { detail: preview.problem })}</p>
      ) : (
        <>
          <p className="text-[0.86rem] text-muted">
            {preview.sample ? t('webhooks.previewSample') : t('webhooks.previewReal')}
          </p>
          <p className="mt-2 break-all font-mono text-[0.86rem]">{preview.url}</p>
          <MessageText label={t('webhooks.preview')} headers={preview.headers} body={preview.body} />
        </>
      )}
    </EventPanel>
  );
}
