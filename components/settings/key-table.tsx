import type { ApiKey } from '#contract/key.ts';
import type { Ui } from '#i18n/ui.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';

type Props = { ui: Ui; keys: ApiKey[]; revoke: (form: FormData) => Promise<void> };

/** The keys that work, each with a way to end it. */
export function KeyTable({ ui, keys, revoke }: Props) {
  const { t } = ui;
  if (keys.length === 0) return <p className="mt-2 text-muted">{t('settings.noKeys')}</p>;
  return (
    <Table
      label={t('settings.keys')}
      className="mt-2"
      rows={keys}
      rowKey={({ id }) => id}
      columns={[
        { key: 'name', head: t('common.name'), cell: ({ name }) => name, rowHead: true },
        {
          key: 'scope',
          head: t('settings.scope'),
          cell: ({ scope }) => scope,
          title: ({ scope }) => t(`settings.scopes.${scope}`),
        },
        { key: 'prefix', head: t('settings.prefix'), cell: ({ prefix }) => `${prefix}…`, className: 'font-mono' },
        {
          key: 'created',
          head: t('common.created'),
          cell: ({ createdAt }) => <Time ui={ui} at={createdAt} detail="minute" />,
        },
        {
          key: 'lastUsed',
          head: t('settings.lastUsed'),
          cell: ({ lastUsedAt }) =>
            lastUsedAt ? <Time ui={ui} at={lastUsedAt} detail="minute" /> : t('settings.neverUsed'),
        },
        {
          key: 'actions',
          head: t('common.actions'),
          hiddenHead: true,
          cell: ({ id, name }) => (
            <Confirm
              ui={ui}
              id={`revoke-${id}`}
              label={t('settings.revoke')}
              name={name}
              text={t('settings.revokeConfirm', { name })}
              action={revoke}
              fields={{ id }}
            />
          ),
          numeric: true,
        },
      ]}
    />
  );
}
