import { getPool, getPrisma } from '#server/database/database.ts';
import { notFound } from '#server/environment/errors.ts';
import { hashSecret, mintSecret, type SecretKind } from './secrets.ts';

/**
 * What a link can show to people who cannot sign in, with the kind of its tokens: a table of this name, in whose `share_hash` is the hash
 * of the token.
 */
const TOKENS = { comparison: 'rtc', measurement: 'rtm', status_page: 'rto' } as const satisfies Record<
  string,
  SecretKind
>;
type Shareable = keyof typeof TOKENS;

/** Makes the link of a row; an earlier one ends. The answer alone holds its token. Throws `not_found`. */
export async function makeLink(of: Shareable, id: string): Promise<{ path: string }> {
  const { path, hash } = mintLink(of);
  await setHash(of, id, hash);
  return { path };
}

/** A link, and the hash that is to be kept of it. */
export function mintLink(of: Shareable): { path: string; hash: Uint8Array<ArrayBuffer> } {
  const token = mintSecret(TOKENS[of]);
  return { path: `/shared/${token}`, hash: hashSecret(token) };
}

/** Ends the link of a row, where there is one. Throws `not_found`. */
export const endLink = (of: Shareable, id: string): Promise<void> => setHash(of, id, null);

async function setHash(of: Shareable, id: string, hash: Uint8Array | null): Promise<void> {
  const sql = `update ${of} set share_hash = $2::bytea where id = $1::uuid`;
  if ((await getPrisma().$executeRawUnsafe(sql, id, hash)) === 0) throw notFound(of, id);
}

/** The id of the row that a link leads to; null for a token that is none of this kind, or whose link has ended. */
export async function linkedId(of: Shareable, token: string): Promise<string | null> {
  if (!new RegExp(`^${TOKENS[of]}_[\\w-]{43}$`).test(token)) return null;
  const { rows } = await getPool().query<{ id: string }>(`select id from ${of} where share_hash = $1`, [
    hashSecret(token),
  ]);
  return rows[0]?.id ?? null;
}
