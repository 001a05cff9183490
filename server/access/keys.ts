import { v7 as uuid } from 'uuid';
import type { ApiKey, ApiKeyCreated, KeyCreate } from '#contract/key.ts';
import { KeyScope as KeyScopeSchema } from '#contract/key.ts';
import type { Page } from '#contract/problem.ts';
import type { PageQuery } from '#contract/query.ts';
import type { ApiKey as Row } from '#prisma/generated/client.ts';
import { getPrisma } from '#server/database/database.ts';
import { pageOfRows, pageRange } from '#server/database/page.ts';
import { notFound } from '#server/environment/errors.ts';
import { log } from '#server/environment/log.ts';
import { onceAProcess } from '#server/environment/once-a-process.ts';
import { bearerSecret, hashSecret, mintSecret } from './secrets.ts';

/** Makes an API key. The answer alone holds the key itself. */
export async function createKey(input: KeyCreate): Promise<ApiKeyCreated> {
  const key = mintSecret('rt');
  const data = { id: uuid(), ...input, prefix: key.slice(0, 9), keyHash: hashSecret(key) };
  return await getPrisma().$transaction(async (tx) => ({ ...present(await tx.apiKey.create({ data })), key }));
}

/** The keys that work, oldest first. Throws `invalid` for a made-up cursor. */
export async function listKeys(query: PageQuery): Promise<Page<ApiKey>> {
  const { take, after } = pageRange(query);
  const rows = await getPrisma().apiKey.findMany({
    where: { revokedAt: null, id: { gt: after } },
    orderBy: { id: 'asc' },
    take,
  });
  return pageOfRows(rows, query, present);
}

/** Ends a key. Throws `not_found` where there is none, or it has ended. */
export async function revokeKey(id: string): Promise<void> {
  const { count } = await getPrisma().apiKey.updateMany({
    where: { id, revokedAt: null },
    data: { revokedAt: new Date() },
  });
  for (const [hash, { known }] of rememberedKeys()) if (known.id === id) rememberedKeys().delete(hash);
  if (count === 0) throw notFound('API key', id);
}

const USE_NOTED_MS = 60_000;

type KnownKey = Pick<ApiKey, 'id' | 'name' | 'scope'>;

/** The key of an `Authorization` header, or null where it is none that works. Notes its use, at most once a minute. */
export async function authenticateKey(header: string | null): Promise<KnownKey | null> {
  const secret = bearerSecret(header, 'rt');
  if (!secret) return null;
  const hash = hashSecret(secret);
  const row = await getPrisma().apiKey.findUnique({ where: { keyHash: hash } });
  if (!row || row.revokedAt) {
    rememberedKeys().delete(hashText(hash));
    return null;
  }
  const now = Date.now();
  if (!row.lastUsedAt || now - row.lastUsedAt.getTime() > USE_NOTED_MS) {
    await noteUse(row.id, new Date(now));
  }
  const known = { id: row.id, name: row.name, scope: KeyScopeSchema.parse(row.scope) };
  remember(hashText(hash), { known, at: now });
  return known;
}

/** A key that worked in this process is remembered so long, ms: what a scrape during an outage of the database is checked against. */
export const REMEMBERED_MS = 86_400_000;
/** Keys that are remembered; the one that was not used for longest goes first. */
export const MOST_REMEMBERED = 100;

type Remembered = { known: KnownKey; at: number };

/** A key that worked for the API has worked for /metrics. */
const rememberedKeys = onceAProcess('remembered-keys', () => new Map<string, Remembered>());

function remember(hash: string, entry: Remembered): void {
  const keys = rememberedKeys();
  keys.delete(hash);
  keys.set(hash, entry);
  for (const oldest of keys.keys()) {
    if (keys.size <= MOST_REMEMBERED) return;
    keys.delete(oldest);
  }
}

/**
 * The key of an `Authorization` header that worked here within `REMEMBERED_MS` and has not been refused since; null for any other. Asks
 * no database: for what is answered without one. `now` in ms since 1970.
 */
export function rememberedKey(header: string | null, now = Date.now()): KnownKey | null {
  const secret = bearerSecret(header, 'rt');
  const entry = secret && rememberedKeys().get(hashText(hashSecret(secret)));
  return entry && now - entry.at < REMEMBERED_MS ? entry.known : null;
}

const hashText = (hash: Uint8Array) => Buffer.from(hash).toString('base64');

/** A database that cannot be written, its disk full, can still be read. */
async function noteUse(id: string, lastUsedAt: Date): Promise<void> {
  try {
    await getPrisma().apiKey.updateMany({ where: { id }, data: { lastUsedAt } });
  } catch (error) {
    log.warn({ err: error }, 'when a key was used could not be noted');
  }
}

function present(row: Row): ApiKey {
  return {
    id: row.id,
    name: row.name,
    scope: KeyScopeSchema.parse(row.scope),
    prefix: row.prefix,
    createdAt: row.createdAt.toISOString(),
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  };
}
