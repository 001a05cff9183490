import Link from 'next/link';
import { LOCALES } from '#i18n/locale.ts';
import { languageName } from '#i18n/translator.ts';
import type { Ui } from '#i18n/ui.ts';
import { NavLink } from './nav-link.tsx';
import { ThemeToggle } from './theme-toggle.tsx';

type Props = {
  ui: Ui;
  reader: 'admin' | 'read' | null;
  /** How many incidents wait for somebody. */
  openIncidents: number;
};

/** The bar on top of every page: where one can go, and how one wants to read. */
export function Header({ ui, reader, openIncidents }: Props) {
  const { t } = ui;
  return (
    <header className="border-line border-b bg-surface">
      <div className="mx-auto flex min-h-12 max-w-[1440px] flex-wrap items-center gap-x-4 gap-y-1 px-4 py-1.5">
        <Link href="/" prefetch={false} className="flex items-center gap-2 font-semibold text-[1.05rem] tracking-tight">
          <Logo />
          {t('app.name')}
        </Link>
        {reader ? (
          <nav
            aria-label={t('nav.main')}
            className="order-last -mx-2 flex w-full items-center overflow-x-auto sm:order-none sm:mx-0 sm:w-auto sm:gap-1"
          >
            <NavLink href="/" also={['/targets']} label={t('nav.overview')} />
            <NavLink
              href="/incidents"
              also={['/regressions']}
              label={t('nav.incidents')}
              count={{ n: openIncidents, label: t('nav.openIncidents', { n: openIncidents }) }}
            />
            <NavLink href="/comparisons" label={t('nav.changes')} />
            {reader === 'admin' ? <NavLink href="/probe" label={t('nav.probe')} /> : null}
            <NavLink href="/rules" also={['/silences', '/webhooks']} label={t('nav.alerting')} />
            <NavLink href="/vantages" label={t('nav.vantages')} />
            <NavLink href="/settings" label={t('nav.settings')} />
          </nav>
        ) : null}
        <div className="ml-auto flex items-center gap-2">
          {reader === 'admin' ? <ProbeField label={t('nav.probeField')} /> : null}
          <LanguageLinks ui={ui} />
          <ThemeToggle
            theme={ui.theme}
            label={t('theme.label')}
            names={{ system: t('theme.system'), light: t('theme.light'), dark: t('theme.dark') }}
          />
          <Session ui={ui} reader={reader} />
        </div>
      </div>
    </header>
  );
}

/** Opens the form of a measurement with what was typed; where there is room for it. */
function ProbeField({ label }: { label: string }) {
  return (
    <form action="/probe" className="hidden xl:block print:hidden">
      <input
        name="url"
        inputMode="url"
        aria-label={label}
        placeholder={label}
        required
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        className="field w-44"
      />
    </form>
  );
}

function Session({ ui, reader }: Omit<Props, 'openIncidents'>) {
  if (reader === 'admin') {
    return (
      <form action="/sign-out" method="post" className="hidden sm:block">
        <button type="submit" className="btn">
          {ui.t('nav.signOut')}
        </button>
      </form>
    );
  }
  if (reader === null) return null;
  return (
    <Link href="/login" prefetch={false} className="btn">
      {ui.t('nav.signIn')}
    </Link>
  );
}

function LanguageLinks({ ui }: { ui: Ui }) {
  return (
    <nav aria-label={ui.t('nav.language')} className="segments text-[0.86rem]">
      {LOCALES.map((locale) => (
        <a
          key={locale}
          href={`/preferences?lang=${locale}`}
          hrefLang={locale}
          lang={locale}
          aria-current={locale === ui.locale ? 'true' : undefined}
        >
          {languageName(locale)}
        </a>
      ))}
    </nav>
  );
}

function Logo() {
  return (
    <svg width="22" height="22" viewBox="0 0 22 22" aria-hidden="true" className="text-accent">
      <rect width="22" height="22" rx="6" fill="currentColor" />
      <path
        d="M4 8h11l-3-3M18 14H7l3 3"
        fill="none"
        stroke="var(--accent-ink)"
        strokeWidth="1.8"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
