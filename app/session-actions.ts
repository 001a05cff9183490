'use server';

import { cookies, headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { ServiceError } from '#server/errors.ts';
import { addressOf } from '#server/http/caller.ts';
import { SESSION_COOKIE, SESSION_SECONDS, signIn } from '#server/session.ts';
import { requestOrigin } from './access.ts';
import { requestUi } from './request-ui.ts';

/** Signs the administrator in and goes on to where they wanted to be; says what was wrong otherwise. */
export async function signInAction(_before: string | null, form: FormData): Promise<string | null> {
  const { t } = await requestUi();
  const address = addressOf({ headers: await headers() });
  try {
    const sealed = await signIn(String(form.get('password') ?? ''), address);
    const secure = (await requestOrigin()).startsWith('https:');
    (await cookies()).set(SESSION_COOKIE, sealed, {
      httpOnly: true,
      sameSite: 'lax',
      path: '/',
      maxAge: SESSION_SECONDS,
      secure,
    });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return t(error.code === 'rate_limited' ? 'login.limited' : 'login.wrong');
  }
  redirect(localPath(form.get('next')));
}

export async function signOutAction(): Promise<void> {
  (await cookies()).delete(SESSION_COOKIE);
  redirect('/login');
}

/** Only paths of this server: a login must not send anybody elsewhere. */
function localPath(next: FormDataEntryValue | null): string {
  return typeof next === 'string' && /^\/(?![/\\])/.test(next) ? next : '/';
}
