import { ListPage } from '#components/ui/page.tsx';
import { WebhookTable } from '#components/webhook/webhook-table.tsx';
import { MAX_LIMIT } from '#contract/query.ts';
import { latestDeliveries } from '#server/webhooks/deliveries.ts';
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
  return (
    <ListPage
      ui={ui}
      title={t('webhooks.title')}
      tabs={<AlertingTabs ui={ui} here="/webhooks" />}
      add={reader === 'admin' ? { href: '/webhooks/new', label: t('webhooks.add') } : null}
      empty={webhooks.length === 0 ? { title: t('webhooks.emptyTitle'), text: t('webhooks.emptyText') } : null}
    >
      <WebhookTable ui={ui} webhooks={webhooks} latest={latest} now={Date.now()} />
    </ListPage>
  );
});
