import type { Metadata } from 'next';
import { redirect } from 'next/navigation';
import type { SearchParams } from '#components/filters/filter.ts';
import { LoginForm } from '#components/shell/login-form.tsx';
import { requestReader } from '../access.ts';
import { requestUi } from '../request-ui.ts';
import { signInAction } from '../session-actions.ts';

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await requestUi()).t('login.title') };
}

export default async function LoginPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  if ((await requestReader()) === 'admin') redirect('/');
  const { t } = await requestUi();
  const { next } = await searchParams;
  return (
    <div className="panel mx-auto mt-[8vh] max-w-sm p-6">
      <h1>{t('login.title')}</h1>
      <p className="mt-1 mb-4 text-muted">{t('login.intro')}</p>
      <LoginForm
        action={signInAction}
        next={typeof next === 'string' ? next : '/'}
        texts={{ password: t('login.password'), submit: t('login.submit') }}
      />
    </div>
  );
}
