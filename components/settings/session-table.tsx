import type { ActiveSession } from '#contract/session.ts';
import type { Ui } from '#i18n/ui.ts';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';

/** The browsers that are signed in. */
export function SessionTable({ ui, sessions }: { ui: Ui; sessions: ActiveSession[] }) {
  const { t } = ui;
  return (
    <Table
      label={t('settings.sessions')}
      className="mt-2"
      rows={sessions}
      rowKey={({ id }) => id}
      columns={[
        {
          key: 'browser',
          head: t('settings.browser'),
          cell: ({ userAgent, current }) => (
            <>
              {browserName(userAgent) ?? t('settings.unknownBrowser')}
              {current ? <span className="badge ml-2">{t('settings.thisBrowser')}</span> : null}
            </>
          ),
          rowHead: true,
          title: ({ userAgent }) => userAgent,
        },
        { key: 'address', head: t('settings.address'), cell: ({ address }) => address, className: 'font-mono' },
        {
          key: 'signedIn',
          head: t('settings.signedIn'),
          cell: ({ createdAt }) => <Time ui={ui} at={createdAt} detail="minute" />,
        },
        {
          key: 'lastSeen',
          head: t('settings.lastSeen'),
          cell: ({ lastSeenAt }) => <Time ui={ui} at={lastSeenAt} detail="minute" />,
        },
      ]}
    />
  );
}

/** Each names itself after those further down as well. */
const BROWSERS = [/(Edg)\w*\/(\d+)/, /(Firefox)\/(\d+)/, /(Chrome)\/(\d+)/, /Version\/(\d+).*(Safari)/];
const SYSTEMS = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS X', 'Linux'];

/** «Chrome 140, Windows», or null for what is no browser that is known. */
function browserName(userAgent: string): string | null {
  const found = BROWSERS.map((pattern) => pattern.exec(userAgent)?.slice(1)).find((parts) => parts);
  if (!found) return null;
  const name = found.toSorted((a, b) => Number(/^\d/.test(a)) - Number(/^\d/.test(b))).join(' ');
  const system = SYSTEMS.find((each) => userAgent.includes(each));
  return [name.replace('Edg ', 'Edge '), system?.replace('Mac OS X', 'macOS')].filter(Boolean).join(', ');
}
