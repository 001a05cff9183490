import Link from 'next/link';
import type { Delivery } from '#contract/delivery.ts';
import type { Webhook } from '#contract/webhook.ts';
import { formatTime } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import { Badge, DemoBadge, ManagedBadge } from '../ui/badge.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { DeliveryBadge } from './delivery-table.tsx';

/** Whether messages go out, or why not. */
export function WebhookState({ ui, webhook, now }: { ui: Ui; webhook: Webhook; now: number }) {
  const { t } = ui;
  const { enabled, disabledReason, slowUntil } = webhook;
  if (!enabled && disabledReason)
    return (
      <Badge tone="bad" title={disabledReason}>
        {t('webhooks.state.disabled')}
      </Badge>
    );
  if (!enabled) return <Badge>{t('webhooks.state.off')}</Badge>;
  if (slowUntil && Date.parse(slowUntil) > now)
    return <Badge tone="warn">{t('webhooks.state.slow', { time: formatTime(slowUntil, ui.timeZone) })}</Badge>;
  return <Badge tone="good">{t('webhooks.state.on')}</Badge>;
}

/** `latest` is the newest message of each, by the webhook's id; `now` in ms. */
type Props = { ui: Ui; webhooks: Webhook[]; latest: Map<string, Delivery>; now: number };

/** All webhooks: where messages go, which, whether they do, and whether the last one arrived. */
export function WebhookTable({ ui, webhooks, latest, now }: Props) {
  const { t } = ui;
  return (
    <Table
      label={t('webhooks.title')}
      className="panel"
      rows={webhooks}
      rowKey={({ id }) => id}
      columns={[
        {
          key: 'name',
          head: t('common.name'),
          cell: ({ id, name, demo, managed }) => (
            <>
              <Link href={`/webhooks/${id}`} prefetch={false} className="link font-semibold">
                {name}
              </Link>{' '}
              {demo ? <DemoBadge ui={ui} /> : null}
              {managed ? <ManagedBadge ui={ui} /> : null}
            </>
          ),
          rowHead: true,
          className: 'min-w-36 whitespace-normal',
        },
        {
          key: 'format',
          head: t('webhooks.formatTitle'),
          cell: ({ format, url }) => (
            <>
              {t(`webhooks.format.${format}`)}
              <span className="block max-w-80 truncate text-[0.86rem] text-muted" title={url ?? undefined}>
                {url}
              </span>
            </>
          ),
          className: 'whitespace-nowrap',
        },
        { key: 'filter', head: t('webhooks.filter'), cell: (webhook) => filterText(ui, webhook) },
        {
          key: 'state',
          head: t('common.state'),
          cell: (webhook) => <WebhookState ui={ui} webhook={webhook} now={now} />,
          className: 'whitespace-nowrap',
        },
        {
          key: 'latest',
          head: t('webhooks.latest'),
          cell: ({ id }) => <Latest ui={ui} delivery={latest.get(id)} />,
          className: 'whitespace-nowrap',
        },
      ]}
    />
  );
}

function Latest({ ui, delivery }: { ui: Ui; delivery: Delivery | undefined }) {
  if (!delivery) return <span className="text-muted">{ui.t('webhooks.noDeliveries')}</span>;
  return (
    <>
      <DeliveryBadge ui={ui} delivery={delivery} />
      <span className="block text-[0.86rem] text-muted">
        <Time ui={ui} at={delivery.createdAt} detail="minute" />
      </span>
    </>
  );
}

/** Which messages a webhook takes, counted. */
export function filterText({ t }: Ui, { events, ruleIds, severities }: Webhook): string {
  const counted = (name: 'webhooks.events' | 'webhooks.rules' | 'webhooks.severities', list: readonly unknown[]) =>
    list.length > 0 ? `${t(name)}${t('punctuation.colon')}${list.length}` : null;
  const parts = [
    counted('webhooks.events', events),
    counted('webhooks.rules', ruleIds),
    counted('webhooks.severities', severities),
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(' · ') : t('alerting.all');
}
