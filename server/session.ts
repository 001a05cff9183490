import { sealData, unsealData } from 'iron-session';
import { isAdminPassword } from './admin.ts';
import { environment, sessionSecret } from './environment.ts';
import { ServiceError } from './errors.ts';
import { countLogin, forgiveLogin } from './login-limit.ts';

/** The cookie of a signed-in administrator. Its value is sealed: the browser can neither read nor forge it. */
export const SESSION_COOKIE = 'rt_session';
/** How long a session lasts, in seconds: a fortnight. */
export const SESSION_SECONDS = 14 * 86_400;

type Sealed = { admin?: boolean };

/** Says whether the cookie's value is a live session of the administrator. */
export async function isSession(cookie: string | undefined): Promise<boolean> {
  if (!cookie) return false;
  try {
    const { admin } = await unsealData<Sealed>(cookie, { password: sessionSecret(), ttl: SESSION_SECONDS });
    return admin === true;
  } catch {
    return false;
  }
}

/** What whoever brings this cookie may see: everything, the public dashboard alone, or nothing. */
export async function sessionScope(cookie: string | undefined): Promise<'admin' | 'read' | null> {
  if (await isSession(cookie)) return 'admin';
  return environment().ROUNDTRIP_PUBLIC_DASHBOARD ? 'read' : null;
}

/**
 * Checks the password and seals a session. `address` is whence the guess came.
 * Throws `unauthorised` for a wrong password and `rate_limited` after too many attempts.
 */
export async function signIn(password: string, address: string): Promise<string> {
  await countLogin(address);
  if (!(await isAdminPassword(password))) {
    throw new ServiceError('unauthorised', 'password is wrong', [{ field: 'password', message: 'is wrong' }]);
  }
  await forgiveLogin(address);
  return sealData({ admin: true } satisfies Sealed, { password: sessionSecret(), ttl: SESSION_SECONDS });
}

/** The `Set-Cookie` value for a sealed session, or for none. `secure` where the page came over https. */
export function sessionCookie(sealed: string | null, secure: boolean): string {
  const age = sealed === null ? 0 : SESSION_SECONDS;
  return `${SESSION_COOKIE}=${sealed ?? ''}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${age}${secure ? '; Secure' : ''}`;
}
