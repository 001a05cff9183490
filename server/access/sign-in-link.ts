import { getPool } from '#server/database/database.ts';
import { writeSetting } from '#server/database/settings.ts';
import { hashSecret, mintSecret } from './secrets.ts';

// A way in for the operator of the server's machine, whatever strangers do at the login page: `roundtrip sign-in`.

/** How long a link works, in minutes. */
export const LINK_MINUTES = 10;

/** Makes the token of a link that works once; an earlier link ends. Only its hash is kept. */
export async function createSignInLink(now = Date.now()): Promise<string> {
  const token = mintSecret('rtl');
  const expiresAt = new Date(now + LINK_MINUTES * 60_000).toISOString();
  await writeSetting('signInLink', { tokenHash: hexOf(token), expiresAt });
  return token;
}

/** Whether the token is that of the link, which is over with it: of several that use it at once one does. */
export async function redeemSignInLink(token: string): Promise<boolean> {
  if (!/^rtl_[\w-]{43}$/.test(token)) return false;
  const { rowCount } = await getPool().query(
    `delete from setting where key = 'signInLink' and value->>'tokenHash' = $1
       and (value->>'expiresAt')::timestamptz > clock_timestamp()`,
    [hexOf(token)],
  );
  return rowCount === 1;
}

const hexOf = (token: string) => Buffer.from(hashSecret(token)).toString('hex');
