import type { ActiveSession } from '#contract/session.ts';
import type { Ui } from '#i18n/ui.ts';
import { ScrollBox } from '../ui/scroll-box.tsx';
import { Time } from '../ui/time.tsx';

/** The browsers that are signed in. */
export function SessionTable({ ui, sessions }: { ui: Ui; sessions: ActiveSession[] }) {
  const { t } = ui;
  return (
    <ScrollBox label={t('settings.sessions')} className="mt-2">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{t('settings.browser')}</th>
            <th scope="col">{t('settings.address')}</th>
            <th scope="col">{t('settings.signedIn')}</th>
            <th scope="col">{t('settings.lastSeen')}</th>
          </tr>
        </thead>
        <tbody>
          {sessions.map((session) => (
            <tr key={session.id}>
              <th scope="row" title={session.userAgent}>
                {browserName(session.userAgent) ?? t('settings.unknownBrowser')}
                {session.current ? <span className="badge ml-2">{t('settings.thisBrowser')}</span> : null}
              </th>
              <td className="font-mono">{session.address}</td>
              <td>
                <Time ui={ui} at={session.createdAt} detail="minute" />
              </td>
              <td>
                <Time ui={ui} at={session.lastSeenAt} detail="minute" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
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
