import { notFound } from 'next/navigation';
import { ActionForm } from '#components/ui/form.tsx';
import { FormPage } from '#components/ui/page.tsx';
import { WebhookFields } from '#components/webhook/webhook-fields.tsx';
import { MAX_LIMIT } from '#contract/query.ts';
import { listAlertRules } from '#server/rules/rules.ts';
import { formOf, isSigned } from '#server/webhooks/formats/formats.ts';
import { adminPage, readerTitle } from '../../../access.ts';
import { findWebhookToEdit } from '../../../find.ts';
import { requestUi } from '../../../request-ui.ts';
import { deleteWebhookAction, rotateSecretAction, updateWebhookAction } from '../../actions.ts';

export const generateMetadata = readerTitle(({ t }) => t('webhooks.edit'));

export default adminPage(async function EditWebhookPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  const [ui, webhook, rules] = await Promise.all([
    requestUi(),
    findWebhookToEdit(id),
    listAlertRules({ limit: MAX_LIMIT }),
  ]);
  if (!webhook) notFound();
  const { t } = ui;
  const signed = isSigned(webhook.format);
  return (
    <FormPage
      ui={ui}
      up={{ href: `/webhooks/${webhook.id}`, label: webhook.name }}
      title={t('webhooks.edit')}
      managed={webhook.managed}
      remove={{
        id: webhook.id,
        label: t('common.remove'),
        text: t('webhooks.deleteConfirm', { name: webhook.name }),
        action: deleteWebhookAction,
      }}
    >
      <ActionForm action={updateWebhookAction.bind(null, webhook.id, webhook.format)} submit={t('common.save')}>
        <WebhookFields ui={ui} draft={webhook} form={formOf(webhook.format)} rules={rules.data} />
      </ActionForm>
      {signed ? (
        <section className="panel mt-4 p-4" aria-labelledby="rotate-title">
          <h2 id="rotate-title">{t('webhooks.rotate')}</h2>
          <ActionForm action={rotateSecretAction.bind(null, webhook.id)} submit={t('webhooks.rotate')}>
            <p className="text-muted">{t('webhooks.rotateConfirm')}</p>
          </ActionForm>
        </section>
      ) : null}
    </FormPage>
  );
});
