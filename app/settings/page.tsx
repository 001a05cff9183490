import type { Metadata } from 'next';
import { Appearance } from '#components/settings/appearance.tsx';
import { KeyTable } from '#components/settings/key-table.tsx';
import { SelectField, TextField } from '#components/ui/field.tsx';
import { SecretForm } from '#components/ui/secret-form.tsx';
import { ZoneNote } from '#components/ui/zone-note.tsx';
import { KeyScope } from '#contract/key.ts';
import type { Ui } from '#i18n/ui.ts';
import { demoState } from '#server/demo.ts';
import { listKeys } from '#server/keys.ts';
import { openPage } from '../access.ts';
import { DemoNotice } from '../demo-notice.tsx';
import { requestUi } from '../request-ui.ts';
import { signOutAction } from '../session-actions.ts';
import { createKeyAction, revokeKeyAction } from './actions.ts';

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await requestUi()).t('settings.title') };
}

/** How one reads, and for the administrator: keys, the demo, the session. */
export default async function SettingsPage() {
  const reader = await openPage('/settings');
  const ui = await requestUi();
  return (
    <div className="mx-auto grid max-w-4xl gap-4">
      <h1>{ui.t('settings.title')}</h1>
      <Appearance ui={ui} />
      {reader === 'admin' ? <AdminSettings ui={ui} /> : null}
      <ZoneNote ui={ui} />
    </div>
  );
}

async function AdminSettings({ ui }: { ui: Ui }) {
  const { t } = ui;
  const [keys, demo] = await Promise.all([listKeys({ limit: 1_000 }), demoState()]);
  return (
    <>
      <section className="panel p-4" aria-labelledby="keys-title">
        <h2 id="keys-title">{t('settings.keys')}</h2>
        <p className="text-muted">
          {t('settings.keysText')}{' '}
          <a href="/api/v1/openapi.json" className="link underline">
            {t('settings.api')}
          </a>
        </p>
        <KeyTable ui={ui} keys={keys.data} revoke={revokeKeyAction} />
        <div className="mt-4 border-line border-t pt-4">
          <SecretForm
            action={createKeyAction}
            submit={t('settings.create')}
            texts={{ copy: t('common.copy'), copied: t('common.copied') }}
          >
            <div className="grid gap-3 sm:grid-cols-2">
              <TextField
                name="name"
                label={t('settings.keyName')}
                placeholder={t('settings.keyNamePlaceholder')}
                maxLength={200}
              />
              <SelectField
                name="scope"
                label={t('settings.scope')}
                value="read"
                options={KeyScope.options.map((value) => ({ value, label: t(`settings.scopes.${value}`) }))}
              />
            </div>
          </SecretForm>
        </div>
      </section>
      <section className="panel p-4 [&>aside]:mb-0" aria-labelledby="demo-title">
        <h2 id="demo-title" className="mb-2">
          {t('settings.demo')}
        </h2>
        {demo.present ? <DemoNotice /> : <p className="text-muted">{t('settings.noDemo')}</p>}
      </section>
      <section className="panel flex items-center justify-between gap-3 p-4" aria-labelledby="session-title">
        <h2 id="session-title">{t('settings.session')}</h2>
        <form action={signOutAction}>
          <button type="submit" className="btn">
            {t('nav.signOut')}
          </button>
        </form>
      </section>
    </>
  );
}
