import { getPool, runAs } from './database.ts';

/** What is known of the standby of `DATABASE_REPLICA_URL`. `lagSeconds` is null where it cannot be reached. */
export type Replica = { lagSeconds: number | null };

/**
 * How far the standby is behind, null where exports read the database itself. A standby that has replayed all that it received
 * is not behind, however long nothing was written, as long as it is connected to its primary.
 */
export async function replicaState(): Promise<Replica | null> {
  if (!process.env.DATABASE_REPLICA_URL) return null;
  try {
    const { rows } = await runAs('exports', () =>
      getPool().query<{ lag: number }>(
        `select case when not pg_is_in_recovery() then 0
          when exists (select from pg_stat_wal_receiver) and pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then 0
          else coalesce(extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()), 0) end::float8 as lag`,
      ),
    );
    return { lagSeconds: rows[0]?.lag ?? null };
  } catch {
    return { lagSeconds: null };
  }
}
