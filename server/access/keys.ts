import { v7 as uuid } from 'uuid';
import type { ApiKey, ApiKeyCreated, KeyCreate } from '#contract/key.ts';
import { KeyScope as KeyScopeSchema } from '#contract/key.ts';
import type { Page } from '#contract/problem.ts';
import type { PageQuery } from '#contract/query.ts';
import type { ApiKey as Row } from '#prisma/generated/client.ts';
import { getPrisma } from '#server/database/database.ts';
import { pageOfRows, pageRange } from '#server/database/page.ts';
import { ServiceError } from '#server/environment/errors.ts';
import { log } from '#server/environment/log.ts';
import { bearerSecret, hashSecret, mintSecret } from './secrets.ts';

/** Makes an API key. The answer alone holds the key itself. */
export async function createKey(input: KeyCreate): Promise<ApiKeyCreated> {
  const key = mintSecret('rt');
  const row = await getPrisma().apiKey.create({
    data: { id: uuid(), ...input, prefix: key.slice(0, 9), keyHash: hashSecret(key) },
  });
  return { ...present(row), key };
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
  if (count === 0)
    throw new ServiceError('not_found', `There is no API key ${id}.`, [{ field: 'id', message: 'is unknown' }]);
}

const USE_NOTED_MS = 60_000;

/** The key of an `Authorization` header, or null where it is none that works. Notes its use, at most once a minute. */
export async function authenticateKey(header: string | null): Promise<Pick<ApiKey, 'id' | 'name' | 'scope'> | null> {
  const secret = bearerSecret(header, 'rt');
  if (!secret) return null;
  const row = await getPrisma().apiKey.findUnique({ where: { keyHash: hashSecret(secret) } });
  if (!row || row.revokedAt) return null;
  const now = Date.now();
  if (!row.lastUsedAt || now - row.lastUsedAt.getTime() > USE_NOTED_MS) {
    await noteUse(row.id, new Date(now));
  }
  return { id: row.id, name: row.name, scope: KeyScopeSchema.parse(row.scope) };
}

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
