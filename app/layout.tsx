import '@fontsource-variable/inter/wght.css';
import './globals.css';
import type { Metadata } from 'next';
import { headers } from 'next/headers';
import type { ReactNode } from 'react';
import { ConnectionNotice } from '#components/shell/connection-notice.tsx';
import { ErrorTextsProvider } from '#components/shell/error-notice.tsx';
import { Header } from '#components/shell/header.tsx';
import type { Ui } from '#i18n/ui.ts';
import { nonceOf } from '#server/http/security-headers.ts';
import { countOpenIncidents } from '#server/incidents/incidents.ts';
import { frameReader } from './access.ts';
import { valueOrTrouble } from './page-trouble.tsx';
import { requestUi } from './request-ui.ts';

export async function generateMetadata(): Promise<Metadata> {
  const { t } = await requestUi();
  return {
    title: { default: t('app.name'), template: `%s · ${t('app.name')}` },
    description: t('app.tagline'),
  };
}

// The zone of this browser, for times that the server writes from the next page on. Asking for it takes 50 ms: not before all is drawn.
const REMEMBER_ZONE =
  "document.cookie.includes('tz=')||addEventListener('load',()=>{document.cookie='tz='+encodeURIComponent(Intl.DateTimeFormat().resolvedOptions().timeZone)+';path=/;max-age=31536000;samesite=lax'})";

/** The frame of every page. It shows those who may not read no more than the product's name. */
export default async function RootLayout({ children }: { children: ReactNode }) {
  // First, because it is where a build learns that nothing here can be made ahead.
  const ui = await requestUi();
  const nonce = nonceOf((await headers()).get('content-security-policy'));
  const reader = await frameReader();
  const openIncidents = reader === null ? 0 : await openIncidentCount();
  return (
    <html lang={ui.locale} data-theme={ui.theme} suppressHydrationWarning>
      <head>
        {/* Not by metadata, which may come after the page: a browser that has no icon by then asks for /favicon.ico. */}
        <link rel="icon" href="/icon.svg" type="image/svg+xml" />
        <script nonce={nonce} suppressHydrationWarning>
          {REMEMBER_ZONE}
        </script>
      </head>
      <body>
        <a href="#content" className="skip btn">
          {ui.t('app.skip')}
        </a>
        <Header ui={ui} reader={reader} openIncidents={openIncidents} />
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
  slow: t('connection.slow', { since: '{since}' }),
  slowFigures: t('connection.slowFigures', { since: '{since}', figures: '{figures}' }),
  lost: t('connection.lost', { since: '{since}' }),
  lostFigures: t('connection.lostFigures', { since: '{since}', figures: '{figures}' }),
  unsent: t('connection.unsent'),
});

/** A page does not wait longer (ms) for the number. */
const PATIENCE_MS = 1_000;
let last = 0;

/** The number in the navigation; the last one known where the database is slow or away. */
async function openIncidentCount(): Promise<number> {
  const counted = countOpenIncidents().then((count) => {
    last = count;
    return count;
  });
  return valueOrTrouble(counted, last, PATIENCE_MS);
}
