import type { SearchParams } from '#components/filters/filter.ts';
import { ActionForm } from '#components/ui/form.tsx';
import { KindLinks } from '#components/ui/kind-links.tsx';
import { FormPage } from '#components/ui/page.tsx';
import type { WebhookDraft } from '#components/webhook/format-fields.tsx';
import { WebhookFields } from '#components/webhook/webhook-fields.tsx';
import { MAX_LIMIT } from '#contract/query.ts';
import { FORMATS, WebhookSettings } from '#contract/webhook.ts';
import { listAlertRules } from '#server/rules/rules.ts';
import { formOf } from '#server/webhooks/formats/formats.ts';
import { adminPage, readerTitle } from '../../access.ts';
import { requestUi } from '../../request-ui.ts';
import { createWebhookAction } from '../actions.ts';
import { PREVIEW_BUTTON, TEST_BUTTON } from '../draft.ts';

export const generateMetadata = readerTitle(({ t }) => t('webhooks.add'));

/** A new webhook: first where to, then what belongs to it. */
export default adminPage(async function NewWebhookPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const [ui, search, rules] = await Promise.all([requestUi(), searchParams, listAlertRules({ limit: MAX_LIMIT })]);
  const { t, locale } = ui;
  const format = FORMATS.find((known) => known === search.format) ?? 'standard';
  const draft: WebhookDraft = {
    name: '',
    format,
    url: null,
    secrets: [],
    language: locale,
    events: [],
    ruleIds: [],
    severities: [],
    settings: WebhookSettings.parse({}),
    template: null,
    enabled: true,
  };
  return (
    <FormPage ui={ui} up={{ href: '/webhooks', label: t('webhooks.title') }} title={t('webhooks.add')}>
      <KindLinks
        label={t('webhooks.formatTitle')}
        kinds={FORMATS.map((each) => ({
          href: `/webhooks/new?format=${each}`,
          title: t(`webhooks.format.${each}`),
          text: t(`webhooks.formatDef.${each}`),
          chosen: each === format,
        }))}
      />
      <ActionForm
        key={format}
        action={createWebhookAction}
        submit={t('webhooks.add')}
        others={[
          { name: TEST_BUTTON, label: t('webhooks.test') },
          { name: PREVIEW_BUTTON, label: t('webhooks.previewButton') },
        ]}
      >
        <input type="hidden" name="format" value={format} />
        <WebhookFields ui={ui} draft={draft} form={formOf(format)} rules={rules.data} />
      </ActionForm>
    </FormPage>
  );
});
