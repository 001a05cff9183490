import { getPool } from '#server/database/database.ts';
import { NEWEST_MIGRATION } from '#server/database/schema-version.ts';

/** How often the jobs process says that it lives, and after how long a silence it is taken for dead. */
export const HEARTBEAT_MS = 5_000;
const SILENT_MS = 30_000;

/** Whether the whole can do its work; `reason` is a sentence to show where not. */
export type Readiness = { ready: boolean; reason: string | null };

/** Whoever asks whether all is ready has the answer within this time, ms, whatever the database does. */
const ANSWER_MS = 1_000;

/** Never throws: a database that does not answer is an answer. */
export async function checkReady(): Promise<Readiness> {
  const patience = Promise.withResolvers<never>();
  const timer = setTimeout(() => patience.reject(new Error(`nothing within ${ANSWER_MS / 1_000} s`)), ANSWER_MS);
  try {
    const reason = await Promise.race([findReason(), patience.promise]);
    return { ready: reason === null, reason };
  } catch (error) {
    return { ready: false, reason: `the database does not answer: ${error instanceof Error ? error.message : error}` };
  } finally {
    clearTimeout(timer);
  }
}

async function findReason(): Promise<string | null> {
  if (!(await isMigrated())) return 'a migration of the database is pending: run `roundtrip migrate`';
  const { rows } = await getPool().query<{ age: number }>(
    `select (extract(epoch from now() - beat_at) * 1000)::float8 as age from heartbeat where name = 'jobs'`,
  );
  const age = rows[0]?.age;
  if (age === undefined) return 'the jobs process has not started yet';
  return age > SILENT_MS ? `the jobs process has been silent for ${Math.round(age / 1_000)} s` : null;
}

async function isMigrated(): Promise<boolean> {
  const pool = getPool();
  const table = await pool.query<{ there: boolean }>(`select to_regclass('_prisma_migrations') is not null as there`);
  if (!table.rows[0]?.there) return false;
  const { rowCount } = await pool.query(
    `select from _prisma_migrations
      where migration_name = $1 and finished_at is not null and rolled_back_at is null`,
    [NEWEST_MIGRATION],
  );
  return rowCount === 1;
}

/** Says that the jobs process lives. */
export async function beatHeart(): Promise<void> {
  await getPool().query(
    `insert into heartbeat (name, beat_at) values ('jobs', now())
      on conflict (name) do update set beat_at = excluded.beat_at`,
  );
}
