import '@fontsource-variable/inter/wght.css';
import './globals.css';
import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { ConnectionNotice } from '#components/shell/connection-notice.tsx';
import { ErrorTextsProvider } from '#components/shell/error-notice.tsx';
import { Header } from '#components/shell/header.tsx';
import type { Ui } from '#i18n/ui.ts';
import { requestReader } from './access.ts';
import { openIncidentCount } from './open-incidents.ts';
import { requestUi } from './request-ui.ts';
import { signOutAction } from './session-actions.ts';

export async function generateMetadata(): Promise<Metadata> {
  const { t } = await requestUi();
  return {
    title: { default: t('app.name'), template: `%s · ${t('app.name')}` },
    description: t('app.tagline'),
    icons: { icon: '/icon.svg' },
  };
}

// Before anything is drawn: the zone of this browser, for times that the server writes from the next page on.
const REMEMBER_ZONE =
  "document.cookie.includes('tz=')||(document.cookie='tz='+encodeURIComponent(Intl.DateTimeFormat().resolvedOptions().timeZone)+';path=/;max-age=31536000;samesite=lax')";

/** The frame of every page. */
export default async function RootLayout({ children }: { children: ReactNode }) {
  const [ui, reader] = await Promise.all([requestUi(), requestReader()]);
  const openIncidents = reader === null ? 0 : await openIncidentCount();
  return (
    <html lang={ui.locale} data-theme={ui.theme} suppressHydrationWarning>
      <head>
        <script>{REMEMBER_ZONE}</script>
      </head>
      <body>
        <a href="#content" className="skip btn">
          {ui.t('app.skip')}
        </a>
        <Header ui={ui} reader={reader} openIncidents={openIncidents} signOut={signOutAction} />
        <ConnectionNotice texts={connectionTexts(ui)} zone={ui.timeZone} />
        <main id="content" className="mx-auto max-w-[1440px] px-4 py-4">
          <ErrorTextsProvider texts={errorTexts(ui)}>{children}</ErrorTextsProvider>
        </main>
      </body>
    </html>
  );
}

const errorTexts = ({ t }: Ui) => ({
  title: t('error.title'),
  text: t('error.text'),
  retry: t('error.retry'),
  digest: t('error.digest'),
});

// Times are the browser's to fill in.
const connectionTexts = ({ t }: Ui) => ({
  lost: t('connection.lost', { since: '{since}' }),
  lostFigures: t('connection.lostFigures', { since: '{since}', figures: '{figures}' }),
});
