import type { WebhookPreview } from '#contract/webhook.ts';
import { EVENT_TYPES } from '#contract/webhook-event.ts';
import type { Ui } from '#i18n/ui.ts';
import { EventPanel } from './event-panel.tsx';
import { MessageText } from './message-text.tsx';

type Props = {
  ui: Ui;
  path: string;
  event: string;
  /** What is sent, or why it cannot be written. */
  preview: WebhookPreview | { problem: string };
};

/** What the receiver gets for a kind of event, to the letter; secrets are masked. */
export function PreviewPanel({ ui, path, event, preview }: Props) {
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
