import { cookies, headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { cache } from 'react';
import { ServiceError } from '#server/errors.ts';
import { SESSION_COOKIE, sessionScope } from '#server/session.ts';

export type Reader = 'admin' | 'read' | null;

/** Who reads: the administrator, anybody where the dashboard is public, or nobody. */
export const requestReader = cache(
  async (): Promise<Reader> => sessionScope((await cookies()).get(SESSION_COOKIE)?.value),
);

/** For every page: sends those who may not read to the login page, and back here after it. */
export async function openPage(path: string): Promise<Exclude<Reader, null>> {
  const reader = await requestReader();
  return reader ?? redirect(`/login?next=${encodeURIComponent(path)}`);
}

/** For pages that change something. */
export async function openAdminPage(path: string): Promise<void> {
  if ((await requestReader()) !== 'admin') redirect(`/login?next=${encodeURIComponent(path)}`);
}

/** For every server action that changes something; a button that was hidden is no protection. */
export async function requireAdmin(): Promise<void> {
  if ((await requestReader()) !== 'admin') throw new ServiceError('unauthorised', 'sign in first');
}

/** The address that the reader's browser used for this server, such as `https://status.example.org`. */
export async function requestOrigin(): Promise<string> {
  const head = await headers();
  const host = head.get('x-forwarded-host') ?? head.get('host') ?? 'localhost';
  return `${head.get('x-forwarded-proto') ?? 'http'}://${host}`;
}
