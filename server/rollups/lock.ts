import type { PoolClient } from 'pg';

// One process at a time computes or deletes the rollups of a target. Without it two could compute one bucket from
// different states of the results, and the older might be written last. Both locks last until the transaction ends.

const KEY = `hashtext('rollup'), hashtext($1)`;

/** Locks a target's rollups, unless another does. */
export async function tryLockTarget(client: PoolClient, targetId: string): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(`select pg_try_advisory_xact_lock(${KEY}) as locked`, [
    targetId,
  ]);
  return rows[0]?.locked ?? false;
}

/** Locks a target's rollups, once whoever computes them is done. */
export async function lockTarget(client: PoolClient, targetId: string): Promise<void> {
  await client.query(`select pg_advisory_xact_lock(${KEY})`, [targetId]);
}
