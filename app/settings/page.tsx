import { Appearance } from '#components/settings/appearance.tsx';
import { KeyTable } from '#components/settings/key-table.tsx';
import { RetentionForm } from '#components/settings/retention-form.tsx';
import { SessionTable } from '#components/settings/session-table.tsx';
import { StatusPages } from '#components/settings/status-pages.tsx';
import { Confirm } from '#components/ui/confirm.tsx';
import { AreaField, CheckField, NameField, SelectField, TextField } from '#components/ui/field.tsx';
import { ActionForm } from '#components/ui/form.tsx';
import { optionsOf } from '#components/ui/options.ts';
import { ZoneNote } from '#components/ui/zone-note.tsx';
import type { Audience } from '#contract/audience.ts';
import { KeyScope } from '#contract/key.ts';
import { type ActiveSession, PASSWORD_MAX, PASSWORD_MIN } from '#contract/session.ts';
import { MAX_STATUS_PAGES } from '#contract/status-page.ts';
import type { Ui } from '#i18n/ui.ts';
import { listKeys } from '#server/access/keys.ts';
import { allowsPrivateAddresses, privateAddressesByEnvironment } from '#server/access/private-addresses.ts';
import { readRetention } from '#server/database/disk.ts';
import { demoState } from '#server/demo/demo.ts';
import { listStatusPages, listTags } from '#server/targets/status-pages.ts';
import { readAudience } from '#server/vantages/audience.ts';
import { activeSessions, readerPage, readerTitle } from '../access.ts';
import { DemoNotice } from '../demo-notice.tsx';
import { requestUi } from '../request-ui.ts';
import {
  changeAudienceAction,
  changePasswordAction,
  changePrivateAddressesAction,
  changeRetentionAction,
  createKeyAction,
  createStatusPageAction,
  deleteStatusPageAction,
  revokeKeyAction,
  signOutEverywhereAction,
} from './actions.ts';

export const generateMetadata = readerTitle(({ t }) => t('settings.title'));

/** How one reads, and for the administrator: keys, the demo, the session. */
export default readerPage(async function SettingsPage(_props: unknown, reader) {
  const ui = await requestUi();
  return (
    <div className="mx-auto grid max-w-4xl grid-cols-[minmax(0,1fr)] gap-4">
      <h1>{ui.t('settings.title')}</h1>
      <Appearance ui={ui} />
      {reader === 'admin' ? <AdminSettings ui={ui} /> : null}
      <ZoneNote ui={ui} />
    </div>
  );
});

async function AdminSettings({ ui }: { ui: Ui }) {
  const { t } = ui;
  const [keys, demo, sessions, retention, audience, allowsPrivate, statusPages, tags] = await Promise.all([
    listKeys({ limit: 1_000 }),
    demoState(),
    activeSessions(),
    readRetention(),
    readAudience(),
    allowsPrivateAddresses(),
    listStatusPages({ limit: MAX_STATUS_PAGES }),
    listTags(),
  ]);
  return (
    <>
      <section className="panel p-4">
        <h2>{t('settings.keys')}</h2>
        <p className="text-muted">
          {t('settings.keysText')}{' '}
          <a href="/api/docs" className="link underline">
            {t('settings.api')}
          </a>
        </p>
        <KeyTable ui={ui} keys={keys.data} revoke={revokeKeyAction} />
        <div className="mt-4 border-line border-t pt-4">
          <ActionForm action={createKeyAction} submit={t('settings.create')}>
            <div className="grid gap-3 sm:grid-cols-2">
              <NameField label={t('settings.keyName')} placeholder={t('settings.keyNamePlaceholder')} />
              <SelectField
                name="scope"
                label={t('settings.scope')}
                value="read"
                options={optionsOf(KeyScope.options, (value) => t(`settings.scopes.${value}`))}
              />
            </div>
          </ActionForm>
        </div>
      </section>
      <StatusPages
        ui={ui}
        pages={statusPages.data}
        tags={tags}
        create={createStatusPageAction}
        remove={deleteStatusPageAction}
      />
      <section className="panel p-4 [&>aside]:mb-0" aria-labelledby="demo-title">
        <h2 id="demo-title" className="mb-2">
          {t('settings.demo')}
        </h2>
        {demo.present ? <DemoNotice /> : <p className="text-muted">{t('settings.noDemo')}</p>}
      </section>
      <section className="panel p-4">
        <h2>{t('settings.retention')}</h2>
        <p className="text-muted">{t('settings.retentionText')}</p>
        <RetentionForm ui={ui} retention={retention} change={changeRetentionAction} />
      </section>
      <section className="panel p-4" aria-labelledby="private-title">
        <h2 id="private-title">{t('settings.private')}</h2>
        <p className="mb-2 text-muted">{t('settings.privateText')}</p>
        <PrivateForm ui={ui} allowed={allowsPrivate} />
      </section>
      <section className="panel p-4" aria-labelledby="audience-title">
        <h2 id="audience-title">{t('advice.audience')}</h2>
        <p className="text-muted">{t('advice.audienceText')}</p>
        <AudienceForm ui={ui} audience={audience} />
      </section>
      <Account ui={ui} sessions={sessions} />
    </>
  );
}

/** The administrator's password, and the browsers that are signed in with it. */
function Account({ ui, sessions }: { ui: Ui; sessions: ActiveSession[] }) {
  const { t } = ui;
  return (
    <>
      <section className="panel p-4" aria-labelledby="password-title">
        <h2 id="password-title">{t('settings.password')}</h2>
        <p className="mb-3 text-muted">{t('settings.passwordText')}</p>
        <ActionForm action={changePasswordAction} submit={t('settings.changePassword')}>
          <div className="grid gap-x-3 gap-y-2 sm:grid-cols-3">
            <TextField
              name="currentPassword"
              type="password"
              autoComplete="current-password"
              label={t('settings.currentPassword')}
            />
            <TextField
              name="newPassword"
              type="password"
              autoComplete="new-password"
              label={t('settings.newPassword')}
              help={t('settings.passwordHelp', { min: PASSWORD_MIN })}
              maxLength={PASSWORD_MAX}
            />
            <TextField
              name="repeatedPassword"
              type="password"
              autoComplete="new-password"
              label={t('settings.repeatedPassword')}
              maxLength={PASSWORD_MAX}
            />
          </div>
        </ActionForm>
      </section>
      <section className="panel p-4">
        <h2>{t('settings.sessions')}</h2>
        <p className="text-muted">{t('settings.sessionsText')}</p>
        <SessionTable ui={ui} sessions={sessions} />
        <div className="mt-3 flex flex-wrap gap-2">
          <form action="/sign-out" method="post">
            <button type="submit" className="btn">
              {t('settings.signOutHere')}
            </button>
          </form>
          <Confirm
            ui={ui}
            id="sign-out-everywhere"
            label={t('settings.signOutEverywhere')}
            text={t('settings.signOutEverywhereConfirm')}
            action={signOutEverywhereAction}
          />
        </div>
      </section>
    </>
  );
}

/** Whether private addresses are allowed: a box, or where the environment fixes it, what it says. */
function PrivateForm({ ui: { t }, allowed }: { ui: Ui; allowed: boolean }) {
  if (privateAddressesByEnvironment() !== null)
    return (
      <p>
        {t(allowed ? 'settings.privateAllowed' : 'settings.privateRefused')}{' '}
        <span className="text-muted">{t('settings.fixedByEnvironment')}</span>
      </p>
    );
  return (
    <ActionForm action={changePrivateAddressesAction} submit={t('common.save')}>
      <CheckField name="allowed" label={t('settings.privateAllow')} checked={allowed} />
    </ActionForm>
  );
}

/** How much each region and carrier counts, a line each. */
function AudienceForm({ ui: { t }, audience }: { ui: Ui; audience: Audience }) {
  return (
    <ActionForm
      action={changeAudienceAction}
      submit={t('common.save')}
      others={[{ name: 'reset', label: t('advice.audienceDefaults') }]}
    >
      <div className="mt-2 grid gap-3 sm:grid-cols-2">
        <AreaField
          name="regions"
          label={t('advice.audienceRegions')}
          help={t('advice.audienceRegionsHelp')}
          defaultValue={linesOf(audience.regions)}
          rows={6}
        />
        <AreaField
          name="carriers"
          label={t('advice.audienceCarriers')}
          help={t('advice.audienceCarriersHelp')}
          defaultValue={linesOf(audience.carriers)}
          rows={6}
        />
      </div>
    </ActionForm>
  );
}

const linesOf = (weights: Record<string, number>): string =>
  Object.entries(weights)
    .map(([name, weight]) => `${name} ${weight}`)
    .join('\n');
