import Link from 'next/link';
import { Empty } from '#components/ui/empty.tsx';
import { WebhookTable } from '#components/webhook/webhook-table.tsx';
import { MAX_LIMIT } from '#contract/query.ts';
import { latestDeliveries } from '#server/webhooks/latest.ts';
import { listWebhooks } from '#server/webhooks/webhooks.ts';
import { readerPage, readerTitle } from '../access.ts';
import { requestUi } from '../request-ui.ts';
import { AlertingTabs } from '../rules/views.tsx';

export const generateMetadata = readerTitle(({ t }) => t('webhooks.title'));

/** Who is told. */
export default readerPage(async function WebhooksPage(_props: unknown, reader) {
  const [ui, { data: webhooks }, latest] = await Promise.all([
    requestUi(),
    listWebhooks({ limit: MAX_LIMIT }, reader === 'admin' ? 'editor' : 'reader'),
    latestDeliveries(),
  ]);
  const { t } = ui;
  const add =
    reader === 'admin' ? (
      <Link href="/webhooks/new" prefetch={false} className="btn btn-primary">
        {t('webhooks.add')}
      </Link>
    ) : null;
  return (
    <>
      <div className="mb-3 flex flex-wrap items-end justify-between gap-2">
        <h1>{t('webhooks.title')}</h1>
        <div className="flex flex-wrap gap-2">
          <AlertingTabs ui={ui} here="/webhooks" />
          {add}
        </div>
      </div>
      {webhooks.length === 0 ? (
        <Empty title={t('webhooks.emptyTitle')} text={t('webhooks.emptyText')} />
      ) : (
        <WebhookTable ui={ui} webhooks={webhooks} latest={latest} now={Date.now()} />
      )}
    </>
  );
});
