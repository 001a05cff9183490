import { createHmac, hkdfSync, randomUUID, timingSafeEqual } from 'node:crypto';
import { webSecret } from '#server/environment/environment.ts';

// A browser that signed in once keeps a signed cookie. It opens nothing: with it, wrong passwords are counted for this
// browser alone, so that the guesses of others cannot keep its owner out.

export const BROWSER_COOKIE = 'rt_browser';
/** A year, in seconds; every sign-in restarts it. */
const BROWSER_SECONDS = 365 * 86_400;

/** The id of a browser that signed in within a year, or null for a cookie that is missing, forged or too old. */
export function knownBrowser(cookie: string | undefined): string | null {
  const [id = '', at = '', signature = ''] = cookie?.split('.') ?? [];
  const expected = Buffer.from(sign(id, at));
  const given = Buffer.from(signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  return Number(at) + BROWSER_SECONDS > Date.now() / 1_000 ? id : null;
}

/** The cookie for a browser that has signed in just now: under its own id, or a new one. */
export function browserCookie(known: string | null): { name: string; value: string; maxAge: number } {
  const id = known ?? randomUUID();
  const at = String(Math.floor(Date.now() / 1_000));
  return { name: BROWSER_COOKIE, value: `${id}.${at}.${sign(id, at)}`, maxAge: BROWSER_SECONDS };
}

function sign(id: string, at: string): string {
  const key = Buffer.from(hkdfSync('sha256', webSecret(), '', 'roundtrip known browsers', 32));
  return createHmac('sha256', key).update(`${id}.${at}`).digest('base64url');
}
