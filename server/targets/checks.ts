import { Prisma } from '#prisma/generated/client.ts';
import { getPrisma } from '#server/database/database.ts';
import { lock } from '#server/database/lock.ts';
import { LATE_DAYS } from './former.ts';

/** What has changed: all targets on these vantages, all vantages of these targets. */
export type CheckScope = { targetIds?: string[]; vantageIds?: string[] };

/** Whether target `t` selects vantage `v`. */
const SELECTED = Prisma.sql`v.demo = t.demo and v.deleted_at is null and not v.imported
        and (t.vantages->'regions' = '[]' or t.vantages->'regions' ? v.region)
        and (t.vantages->'carriers' = '[]' or t.vantages->'carriers' ? v.carrier)
        and (t.vantages->'vantageIds' = '[]' or t.vantages->'vantageIds' ? v.id::text)`;

/**
 * Brings the checks of the changed targets or vantages in line with what they now are: enabled target x vantage that it
 * selects, both demo or neither, and secrets only where they may be held. All of them take one new revision, also where only their settings changed.
 * Call it last in the transaction of the change.
 */
export async function syncChecks(tx: Prisma.TransactionClient, scope: CheckScope): Promise<void> {
  const targetIds = scope.targetIds ?? [];
  const vantageIds = scope.vantageIds ?? [];
  // Revisions become visible in their order: a prober that has seen one has seen all below it.
  await lock(tx, 'check_revision');
  await tx.$executeRaw`
    with revision as materialized (select nextval('check_revision') as number),
    wanted as (
      select t.id as target_id, v.id as vantage_id
      from target t
      join vantage v on ${SELECTED} and (t.secrets is null or v.may_hold_secrets)
      where t.enabled and t.deleted_at is null
        and (t.id = any(${targetIds}::uuid[]) or v.id = any(${vantageIds}::uuid[]))
    ),
    removed as (
      update "check" c set deleted_at = now(), revision = (select number from revision)
      where c.deleted_at is null
        and (c.target_id = any(${targetIds}::uuid[]) or c.vantage_id = any(${vantageIds}::uuid[]))
        and not exists (
          select from wanted w where w.target_id = c.target_id and w.vantage_id = c.vantage_id
        )
    )
    insert into "check" (id, target_id, vantage_id, revision)
    select gen_random_uuid(), target_id, vantage_id, (select number from revision) from wanted
    on conflict (target_id, vantage_id)
      do update set revision = excluded.revision, deleted_at = null`;
  await forgetRemoved(tx);
}

/** Names of vantages that a target selects, and that do not probe it because they may not hold its secrets. */
export async function vantagesWithoutSecrets(targetId: string): Promise<string[]> {
  const rows = await getPrisma().$queryRaw<{ name: string }[]>`
    select v.name from target t join vantage v on ${SELECTED} and not v.may_hold_secrets
      where t.id = ${targetId}::uuid and t.secrets is not null order by v.name, v.id`;
  return rows.map(({ name }) => name);
}

/**
 * Drops what was removed long ago (until then a prober that was away learns of it, and may hand in what it measured) and
 * notes up to which revision: a prober that asks from below gets everything.
 */
async function forgetRemoved(tx: Prisma.TransactionClient): Promise<void> {
  await tx.$executeRaw`
    with gone as (
      delete from "check" where deleted_at < now() - make_interval(days => ${LATE_DAYS}::int) returning revision
    ), highest as (select max(revision) as revision from gone)
    insert into setting (key, value, updated_at)
    select 'checksForgotten', jsonb_build_object('revision', revision), now() from highest where revision is not null
    on conflict (key) do update set value = excluded.value, updated_at = now()
      where (setting.value->>'revision')::bigint < (excluded.value->>'revision')::bigint`;
}
