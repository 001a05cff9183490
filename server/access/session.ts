import { v7 as uuid } from 'uuid';
import type { ActiveSession } from '#contract/session.ts';
import { getPool } from '#server/database/database.ts';
import { environment } from '#server/environment/environment.ts';
import { ServiceError } from '#server/environment/errors.ts';
import { log } from '#server/environment/log.ts';
import { ACQUAINTANCES, matchingHash, STRANGERS, setAdminPassword, storedHash } from './admin.ts';
import { siteOf } from './client-address.ts';
import { browserCookie, knownBrowser } from './known-browser.ts';
import { countGuess, forgiveGuesses, type Guesser } from './login-limit.ts';
import { hashSecret, mintSecret } from './secrets.ts';
import { redeemSignInLink } from './sign-in-link.ts';

// A session is a row: the cookie holds a secret that only finds it. So signing out ends it for every copy of the
// cookie, and all of them can be ended at once.

/** The cookie of a signed-in administrator (cookies.ts has its whole name). */
export const SESSION_COOKIE = 'rt_session';
/** How long a session lasts, in seconds: a fortnight. */
const SESSION_SECONDS = 14 * 86_400;
/** More sessions than anybody has browsers; with one more the oldest ends. */
const MOST_SESSIONS = 500;
/** `last_seen_at` is right to this. */
const SEEN_SECONDS = 60;
const USER_AGENT_MAX = 200;

/** A live session. */
export type SessionRef = { id: string };

/** Where somebody signs in from. */
export type SignInFrom = {
  address: string;
  /** What its guesses are counted by (http/client-address.ts). */
  network: string;
  userAgent: string;
  /** The value of the cookie that tells a browser that signed in before. */
  browser: string | undefined;
};

/** What a browser keeps of a sign-in. */
export type SignedIn = { cookies: { name: string; value: string; maxAge: number }[] };

/** The live session that the cookie's value is the secret of. Notes that it was seen, at most once a minute. */
export async function findSession(cookie: string | undefined): Promise<SessionRef | null> {
  if (!cookie?.startsWith('rts_') || cookie.length > 100) return null;
  const { rows } = await getPool().query<SessionRef & { stale: boolean }>(
    `select id, last_seen_at < now() - interval '${SEEN_SECONDS} seconds' as stale
       from session where token_hash = $1 and expires_at > now()`,
    [hashSecret(cookie)],
  );
  const [row] = rows;
  if (!row) return null;
  if (row.stale) await noteSeen(row.id);
  return { id: row.id };
}

/** A database that cannot be written, its disk full, can still be read by those who are signed in. */
async function noteSeen(id: string): Promise<void> {
  try {
    await getPool().query('update session set last_seen_at = now() where id = $1', [id]);
  } catch (error) {
    log.warn({ err: error }, 'when a session was seen could not be noted');
  }
}

/** What a caller with this cookie may see: everything, the public dashboard alone, or nothing. */
export async function sessionScope(cookie: string | undefined): Promise<'admin' | 'read' | null> {
  if (await findSession(cookie)) return 'admin';
  return environment().ROUNDTRIP_PUBLIC_DASHBOARD ? 'read' : null;
}

/**
 * Checks the password and begins a session.
 * Throws `unauthorised` for a wrong password and `rate_limited` after too many of them.
 */
export async function signIn(password: string, from: SignInFrom): Promise<SignedIn> {
  const known = knownBrowser(from.browser);
  const guesser: Guesser = known ? { kind: 'browser', id: known } : { kind: 'network', id: from.network };
  await countGuess(guesser);
  const gate = known ? ACQUAINTANCES : STRANGERS;
  const hash = await matchingHash(password, gate, known ?? siteOf(from.network) ?? from.network);
  if (hash === null) {
    log.warn({ address: from.address, known: known !== null }, 'wrong password at sign-in');
    throw wrong('password', 'is wrong');
  }
  await forgiveGuesses(guesser);
  return await beginSession(hash, from);
}

/**
 * Begins a session by a link of `roundtrip sign-in`, which is over with it. Wrong passwords do not count here, from any sender.
 * Throws `unauthorised` for a link that is none, was used or is too old.
 */
export async function signInByLink(token: string, from: SignInFrom): Promise<SignedIn> {
  const hash = (await redeemSignInLink(token)) ? await storedHash() : null;
  if (hash === null) throw wrong('token', 'is unknown, was used or has expired');
  log.info({ address: from.address }, 'signed in by a link');
  return await beginSession(hash, from);
}

async function beginSession(passwordHash: string, from: SignInFrom): Promise<SignedIn> {
  const known = knownBrowser(from.browser);
  const token = mintSecret('rts');
  if (!(await insertSession(token, passwordHash, from))) throw wrong('password', 'was changed just now');
  return { cookies: [{ name: SESSION_COOKIE, value: token, maxAge: SESSION_SECONDS }, browserCookie(known)] };
}

/** Writes the session unless the password was changed since it was looked at; says whether it did. */
async function insertSession(token: string, passwordHash: string, from: SignInFrom): Promise<boolean> {
  const { rowCount } = await getPool().query(
    `insert into session (id, token_hash, address, user_agent, expires_at)
       select $1, $2, $3, $4, now() + $5 * interval '1 second'
         from (select 1 from setting where key = 'admin' and value->>'passwordHash' = $6 for share) unchanged`,
    [
      uuid(),
      hashSecret(token),
      from.address,
      from.userAgent.slice(0, USER_AGENT_MAX).toWellFormed().replaceAll('\0', ''),
      SESSION_SECONDS,
      passwordHash,
    ],
  );
  await getPool().query(
    'delete from session where id in (select id from session order by created_at desc, id desc offset $1)',
    [MOST_SESSIONS],
  );
  return rowCount === 1;
}

/** Ends the session of this cookie, if it is one. */
export async function signOut(cookie: string | undefined): Promise<void> {
  if (cookie) await getPool().query('delete from session where token_hash = $1', [hashSecret(cookie)]);
}

/** Ends every session and says how many there were. */
export async function signOutEverywhere(): Promise<number> {
  const { rowCount } = await getPool().query('delete from session');
  log.info({ sessions: rowCount }, 'signed out everywhere');
  return rowCount ?? 0;
}

/** The live sessions, that of `current` first, then the latest seen. */
export async function listSessions(current: string | null): Promise<ActiveSession[]> {
  const { rows } = await getPool().query<Record<'created' | 'seen' | 'expires', Date> & { [name: string]: string }>(
    `select id, address, user_agent as "userAgent", created_at as created, last_seen_at as seen, expires_at as expires
       from session where expires_at > now() order by (id is not distinct from $1::uuid) desc, last_seen_at desc, id`,
    [current],
  );
  return rows.map(({ id = '', address = '', userAgent = '', created, seen, expires }) => ({
    id,
    address,
    userAgent,
    createdAt: created.toISOString(),
    lastSeenAt: seen.toISOString(),
    expiresAt: expires.toISOString(),
    current: id === current,
  }));
}

/** Who changes the password: a session, which has to know the present one and goes on; or a holder of an admin key. */
export type PasswordChanger = { session: SessionRef | null; currentPassword: string | undefined };

/**
 * Changes the administrator's password and ends all other sessions.
 * Throws `invalid` for a present password that is missing or wrong, and `rate_limited` after too many wrong ones.
 */
export async function changePassword(
  newPassword: string,
  { session, currentPassword }: PasswordChanger,
): Promise<void> {
  if (session) await checkPresent(session, currentPassword);
  const ended = await setAdminPassword(newPassword, session?.id);
  log.info({ by: session ? 'session' : 'key', sessionsEnded: ended }, 'the password was changed');
}

/** Guesses in a browser that was left open are limited too. */
async function checkPresent({ id }: SessionRef, password: string | undefined): Promise<void> {
  if (password === undefined) throw wrong('currentPassword', 'is required', 'invalid');
  const guesser: Guesser = { kind: 'session', id };
  await countGuess(guesser);
  if ((await matchingHash(password, ACQUAINTANCES)) === null) throw wrong('currentPassword', 'is wrong', 'invalid');
  await forgiveGuesses(guesser);
}

/** Housekeeping: deletes the sessions that are over and says how many. */
export async function dropOldSessions(): Promise<number> {
  const { rowCount } = await getPool().query('delete from session where expires_at < now()');
  return rowCount ?? 0;
}

function wrong(field: string, message: string, code: 'unauthorised' | 'invalid' = 'unauthorised'): ServiceError {
  return new ServiceError(code, `${field} ${message}`, [{ field, message }]);
}
