import type { ApiKey } from '#contract/key.ts';
import type { Ui } from '#i18n/ui.ts';
import { Confirm } from '../ui/confirm.tsx';
import { ScrollBox } from '../ui/scroll-box.tsx';
import { Time } from '../ui/time.tsx';

type Props = { ui: Ui; keys: ApiKey[]; revoke: (form: FormData) => Promise<void> };

/** The keys that work, each with a way to end it. */
export function KeyTable({ ui, keys, revoke }: Props) {
  const { t } = ui;
  if (keys.length === 0) return <p className="mt-2 text-muted">{t('settings.noKeys')}</p>;
  return (
    <ScrollBox label={t('settings.keys')} className="mt-2">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{t('common.name')}</th>
            <th scope="col">{t('settings.scope')}</th>
            <th scope="col">{t('settings.prefix')}</th>
            <th scope="col">{t('common.created')}</th>
            <th scope="col">{t('settings.lastUsed')}</th>
            <th scope="col">
              <span className="sr-only">{t('common.actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.id}>
              <th scope="row">{key.name}</th>
              <td title={t(`settings.scopes.${key.scope}`)}>{key.scope}</td>
              <td className="font-mono">{key.prefix}…</td>
              <td>
                <Time ui={ui} at={key.createdAt} detail="minute" />
              </td>
              <td>{key.lastUsedAt ? <Time ui={ui} at={key.lastUsedAt} detail="minute" /> : t('settings.neverUsed')}</td>
              <td className="num">
                <Confirm
                  ui={ui}
                  id={`revoke-${key.id}`}
                  label={t('settings.revoke')}
                  name={key.name}
                  text={t('settings.revokeConfirm', { name: key.name })}
                  action={revoke}
                  fields={{ id: key.id }}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}
