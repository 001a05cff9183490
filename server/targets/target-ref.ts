import type { Target } from '#prisma/generated/client.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { notFound, ServiceError } from '#server/environment/errors.ts';

/** A target as charts need it. */
export type WatchedTarget = { id: string; demo: boolean };

/** The target of a name, or of an id. Throws `not_found`, and `conflict` where several have the name. */
export async function targetNamed(name: string): Promise<WatchedTarget> {
  const { rows } = await getPool().query<WatchedTarget>(
    'select id, demo from target where (name = $1 or id::text = $1) and deleted_at is null limit 2',
    [name],
  );
  const [target, second] = rows;
  if (!target)
    throw new ServiceError('not_found', `There is no target “${name}”.`, [{ field: 'target', message: 'is unknown' }]);
  if (second) throw new ServiceError('conflict', `Several targets are named “${name}”: give the id.`);
  return target;
}

/** The oldest target with the origin of this URL; its settings as they are stored. */
export async function targetOfOrigin(url: string): Promise<Target | undefined> {
  const { origin } = new URL(url);
  const rows = await getPrisma().target.findMany({
    where: { deletedAt: null, url: { startsWith: origin } },
    orderBy: { id: 'asc' },
  });
  return rows.find((each) => new URL(each.url).origin === origin);
}

/** The target, unless it is unknown or deleted: then `not_found`, which blames the parameter that named it. */
export async function targetRef(id: string, field: 'target' | 'id' = 'target'): Promise<WatchedTarget> {
  const { rows } = await getPool().query<WatchedTarget>(
    'select id, demo from target where id = $1 and deleted_at is null',
    [id],
  );
  const [target] = rows;
  if (!target) throw notFound('target', id, field);
  return target;
}
