import type { Ui } from '#i18n/ui.ts';
import { Confirm } from './confirm.tsx';
import { ActionForm, type FormAction } from './form.tsx';

type Props = {
  ui: Ui;
  shared: boolean;
  share: FormAction;
  unshare: () => Promise<void>;
};

/** The link to this page for people who cannot sign in. */
export function SharePanel({ ui, shared, share, unshare }: Props) {
  const { t } = ui;
  return (
    <section className="panel mb-4 p-4 print:hidden" aria-labelledby="share">
      <h2 id="share">{t('share.title')}</h2>
      <ActionForm action={share} submit={shared ? t('share.renew') : t('share.make')}>
        <p className="text-muted">{t('share.note')}</p>
      </ActionForm>
      {shared ? (
        <div className="mt-3 flex flex-wrap items-center gap-2">
          <p>{t('share.exists')}</p>
          <Confirm ui={ui} id="unshare" label={t('share.revoke')} text={t('share.revokeConfirm')} action={unshare} />
        </div>
      ) : null}
    </section>
  );
}
