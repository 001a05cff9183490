// Who asks, and what they may do. Every request comes here first: `identify` finds the caller by an API key (`keys.ts`), by a
// session's cookie (`session.ts`), or as anonymous; `authorise` then holds the caller's scope (read < write < admin) against
// what the operation needs, and refuses a cookie that another site sent along (`origin.ts`).
//
// A session begins with the administrator's password (`admin.ts`, argon2id). `login-limit.ts` counts wrong guesses by
// network and `known-browser.ts` lets a browser that signed in before past the crowd. `client-address.ts` says from which
// address a request came behind proxies. Secrets at rest: `secrets.ts` mints and hashes those that only have to be
// recognised, `sealing.ts` encrypts those that must be read again, `secret-settings.ts` masks those in a target's settings.

import type { KeyScope } from '#contract/key.ts';
import { environment } from '#server/environment/environment.ts';
import { ServiceError } from '#server/environment/errors.ts';
import { networkOf } from './client-address.ts';
import { cookieName, ownCookie } from './cookies.ts';
import { authenticateKey, rememberedKey } from './keys.ts';
import { BROWSER_COOKIE } from './known-browser.ts';
import { refuseCrossOrigin } from './origin.ts';
import type { Viewer } from './secret-settings.ts';
import { bearerSecret } from './secrets.ts';
import { findSession, SESSION_COOKIE, type SessionRef, type SignedIn, type SignInFrom } from './session.ts';

/**
 * Who asks, told from a key, a session cookie or nothing; `refused` showed a key that does not work. `scope` null may
 * not even read. Requests are limited by `limitBy`.
 */
export type Caller = {
  kind: 'key' | 'session' | 'anonymous' | 'refused';
  scope: KeyScope | null;
  limitBy: string;
  /** The key's. */
  name?: string;
  /** The session's, where it is one. */
  session: SessionRef | null;
};

const RANK = { read: 1, write: 2, admin: 3 } as const;

/** Never refuses by itself: guesses at keys are to count against the limit first. */
export async function identify(request: Request): Promise<Caller> {
  const limitBy = limitByAddress(request);
  const header = request.headers.get('authorization');
  if (header !== null) {
    const key = await authenticateKey(header);
    return key
      ? { kind: 'key', scope: key.scope, limitBy: `key:${key.id}`, name: key.name, session: null }
      : { kind: 'refused', scope: null, limitBy, session: null };
  }
  const session = await findSession(cookieOf(request, SESSION_COOKIE));
  if (session) return { kind: 'session', scope: 'admin', limitBy, session };
  return anonymous(limitBy);
}

/** As `identify` while the database is away: a key that worked here lately still does, anybody else is anonymous. */
export function identifyFromMemory(request: Request): Caller {
  const key = rememberedKey(request.headers.get('authorization'));
  if (key === null) return anonymous(`address:${networkOf(addressOf(request))}`);
  return { kind: 'key', scope: key.scope, limitBy: `key:${key.id}`, name: key.name, session: null };
}

function anonymous(limitBy: string): Caller {
  const scope = environment().ROUNDTRIP_PUBLIC_DASHBOARD ? 'read' : null;
  return { kind: 'anonymous', scope, limitBy, session: null };
}

/** Throws `unauthorised` for a caller whose key does not work, even where no key was needed. */
export function refuseBadKey(caller: Caller): void {
  if (caller.kind === 'refused') throw new ServiceError('unauthorised', 'The API key is unknown or was revoked.');
}

/** Throws `unauthorised` or `forbidden` unless the caller has at least this scope. */
export function authorise(caller: Caller, needed: KeyScope, request: Request): void {
  if (caller.scope === null || (caller.kind === 'anonymous' && RANK[needed] > RANK[caller.scope])) {
    throw new ServiceError('unauthorised', 'Send an API key as «Authorization: Bearer rt_...», or sign in.');
  }
  if (RANK[caller.scope] < RANK[needed]) {
    throw new ServiceError('forbidden', `This needs the scope ${needed}; the key has ${caller.scope}.`);
  }
  if (caller.kind === 'session') refuseCrossOrigin(request);
}

/** Who did something, as timelines and lists name them: a key by its name, else `dashboard`. */
export function nameOf({ name }: Caller): string {
  return name ?? 'dashboard';
}

/** A caller who may change a target sees more of its settings than a mere reader. */
export function viewerOf({ scope }: Caller): Viewer {
  return scope !== null && RANK[scope] >= RANK.write ? 'editor' : 'reader';
}

/** Whence a request came: the one address that arrival.ts has left in this header. */
function addressOf({ headers }: Request): string {
  return headers.get('x-forwarded-for') ?? 'unknown';
}

/** What requests without a key are counted by. */
export const limitByAddress = (request: Request) => `address:${networkOf(addressOf(request))}`;

/** Where a sign-in by this request would come from. */
export function signInFrom(request: Request): SignInFrom {
  const address = addressOf(request);
  const userAgent = request.headers.get('user-agent') ?? '';
  return { address, network: networkOf(address), userAgent, browser: cookieOf(request, BROWSER_COOKIE) };
}

/** The request's session cookie. */
export const sessionCookieOf = (request: Request) => cookieOf(request, SESSION_COOKIE);

/** The secret by which a caller with a key or a session is known. */
export const credentialOf = (request: Request): string =>
  bearerSecret(request.headers.get('authorization'), 'rt') ?? sessionCookieOf(request) ?? '';

/**
 * Sets the cookies of a sign-in, or takes the session's away. Over https they are `Secure` and named so that no other host and
 * no plain HTTP can set them.
 */
export function setCookies(headers: Headers, signedIn: SignedIn | null, request: Request): void {
  const cookies = signedIn?.cookies ?? [{ name: SESSION_COOKIE, value: '', maxAge: 0 }];
  for (const { name, value, maxAge } of cookies) {
    const secure = isSecure(request);
    const attributes = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAge}${secure ? '; Secure' : ''}`;
    headers.append('set-cookie', `${cookieName(name, secure)}=${value}; ${attributes}`);
  }
}

/** Whether the caller's side of the connection is https: a proxy says so. */
function isSecure(request: Request): boolean {
  return (request.headers.get('x-forwarded-proto') ?? new URL(request.url).protocol).startsWith('https');
}

function cookieOf(request: Request, name: string): string | undefined {
  const pairs = (request.headers.get('cookie')?.split(';') ?? []).map((pair) => pair.trim());
  return ownCookie((full) => pairs.find((pair) => pair.startsWith(`${full}=`))?.slice(full.length + 1), name);
}
