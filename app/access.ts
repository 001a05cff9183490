import type { Metadata } from 'next';
import { cookies, headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { cache, type ReactNode } from 'react';
import type { ActiveSession } from '#contract/session.ts';
import type { Ui } from '#i18n/ui.ts';
import { ownCookie } from '#server/access/cookies.ts';
import { findSession, listSessions, SESSION_COOKIE, type SessionRef, sessionScope } from '#server/access/session.ts';
import { environment } from '#server/environment/environment.ts';
import { noteFiguresRead } from '#server/monitoring/watching.ts';
import { PATH_HEADER } from './local-path.ts';
import { pageOrTrouble, valueOrTrouble } from './page-trouble.tsx';
import { requestUi } from './request-ui.ts';

// The caller is authorised first: every page, title and server action of this folder is made by one of these wrappers, so that
// nothing of theirs runs before (tests/unit/app-access.test.ts looks at each file). Routes go through server/http/http.ts.

export type Reader = 'admin' | 'read' | null;

/** Who reads: the administrator, anybody where the dashboard is public, or none. */
export const requestReader = cache(async (): Promise<Reader> => sessionScope(await sessionCookie()));

/** What a session that cannot be read for so long (ms) counts as unread for the frame of a page. */
const FRAME_PATIENCE_MS = 4_000;

/**
 * For whom the frame of a page is: it holds no more than names of pages. Where the session cannot be read, a reader with a cookie
 * of one is not shown the frame of somebody signed out.
 */
export async function frameReader(): Promise<Reader> {
  const brings = (await sessionCookie())?.startsWith('rts_') ?? false;
  return valueOrTrouble(requestReader(), brings ? 'admin' : null, FRAME_PATIENCE_MS);
}

/** A page for anybody who has its address. */
export function openPage<P>(render: (props: P) => Promise<ReactNode>) {
  return (props: P): Promise<ReactNode> => pageOrTrouble(() => render(props));
}

/** A page for those who may read; others are sent to sign in, and back here with the query they came with. */
export function readerPage<P>(render: (props: P, reader: Exclude<Reader, null>) => Promise<ReactNode>) {
  return (props: P): Promise<ReactNode> =>
    pageOrTrouble(async () => {
      const reader = (await requestReader()) ?? (await signInFirst());
      noteFiguresRead();
      return render(props, reader);
    });
}

/** A page for those who may change things. */
export function adminPage<P>(render: (props: P) => Promise<ReactNode>) {
  return (props: P): Promise<ReactNode> =>
    pageOrTrouble(async () => {
      if ((await requestReader()) !== 'admin') await signInFirst();
      return render(props);
    });
}

/** A page's title, for its readers alone: Next asks for it before the page has sent anybody away. */
export function readerTitle<P>(title: (ui: Ui, props: P) => string | Promise<string>) {
  const read = async (props: P): Promise<Metadata> =>
    (await requestReader()) === null ? {} : { title: await title(await requestUi(), props) };
  return (props: P): Promise<Metadata> => valueOrTrouble(read(props), {});
}

/** A server action of the administrator's; a button that was hidden is no protection. */
export function adminAction<Args extends unknown[], R>(act: (...args: Args) => Promise<R>) {
  return async (...args: Args): Promise<R> => {
    if ((await requestReader()) !== 'admin') await signInFirst();
    return act(...args);
  };
}

async function sessionCookie(): Promise<string | undefined> {
  const jar = await cookies();
  return ownCookie((name) => jar.get(name)?.value, SESSION_COOKIE);
}

/** The session that asks, where it is one. */
export async function requestSession(): Promise<SessionRef | null> {
  return findSession(await sessionCookie());
}

/** The browsers that are signed in, this one first. */
export async function activeSessions(): Promise<ActiveSession[]> {
  return listSessions((await requestSession())?.id ?? null);
}

async function signInFirst(): Promise<never> {
  const path = (await headers()).get(PATH_HEADER) ?? '/';
  redirect(`/login?next=${encodeURIComponent(path)}`);
}

/** The server's public address, else the one that the reader's browser used, such as `https://status.example.org`. */
export async function requestOrigin(): Promise<string> {
  const { ROUNDTRIP_PUBLIC_URL: publicUrl } = environment();
  if (publicUrl !== undefined) return new URL(publicUrl).origin;
  const head = await headers();
  const host = head.get('x-forwarded-host') ?? head.get('host') ?? 'localhost';
  return `${head.get('x-forwarded-proto') ?? 'http'}://${host}`;
}
