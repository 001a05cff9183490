import type { Metadata } from 'next';
import { redirect } from 'next/navigation';
import type { SearchParams } from '#components/filters/filter.ts';
import { LinkForm, LoginForm } from '#components/shell/login-form.tsx';
import type { Ui } from '#i18n/ui.ts';
import { requestReader } from '../access.ts';
import { localPath } from '../local-path.ts';
import { valueOrTrouble } from '../page-trouble.tsx';
import { requestUi } from '../request-ui.ts';

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await requestUi()).t('login.title') };
}

/** The command that sets a new password (cli/password.ts). */
const RESET = 'npx roundtrip password';
/** The command that prints a link (cli/sign-in.ts). */
const BY_LINK = 'npx roundtrip sign-in';

/** Open to anybody, and shows nothing that is kept. */
export default async function LoginPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const search = await searchParams;
  const next = localPath(typeof search.next === 'string' ? search.next : null);
  if ((await valueOrTrouble(requestReader(), null)) === 'admin') redirect(next);
  const { t } = await requestUi();
  const { token } = search;
  const frame = 'panel mx-auto mt-[8vh] max-w-sm p-6';
  if (typeof token === 'string') {
    return (
      <div className={frame}>
        <h1>{t('login.title')}</h1>
        <p className="mt-1 mb-4 text-muted">{t('login.linkIntro')}</p>
        <LinkForm token={token} next={next} submit={t('login.submit')} />
      </div>
    );
  }
  return (
    <div className={frame}>
      <h1>{t('login.title')}</h1>
      <p className="mt-1 mb-4 text-muted">{t('login.intro')}</p>
      <LoginForm
        next={next}
        problem={problemOf(t, search)}
        texts={{ password: t('login.password'), submit: t('login.submit') }}
      />
      <p className="mt-4 text-[0.86rem] text-muted">
        {t('login.forgotten')} <code className="whitespace-nowrap font-mono">{RESET}</code>
      </p>
      <p className="mt-1 text-[0.86rem] text-muted">
        {t('login.byLink')} <code className="whitespace-nowrap font-mono">{BY_LINK}</code>
      </p>
    </div>
  );
}

/** What was wrong with the last attempt (sign-in/route.ts). */
function problemOf(t: Ui['t'], { problem, seconds }: SearchParams): string | null {
  if (problem === 'wrong') return t('login.wrong');
  if (problem === 'link') return t('login.linkOver');
  if (problem === 'away') return t('formError.unavailable');
  if (problem !== 'limited') return null;
  const wait = Number(seconds) || 1;
  return wait < 60 ? t('login.limitedSeconds', { n: wait }) : t('login.limited', { n: Math.ceil(wait / 60) });
}
