import type { Readiness } from '#contract/health.ts';
import { findSealProblem } from '#server/access/sealed-rows.ts';
import { getPool } from '#server/database/database.ts';
import { within } from '#server/database/faults.ts';
import { NEWEST_MIGRATION } from '#server/database/schema-version.ts';
import { log } from '#server/environment/log.ts';

/** How often the jobs process says that it lives, and after how long a silence it is taken for dead. */
export const HEARTBEAT_MS = 5_000;
const SILENT_MS = 30_000;

/** Rows of `heartbeat`: the jobs live; the jobs live, and cannot open what is stored sealed. */
const JOBS = 'jobs';
const JOBS_CANNOT_UNSEAL = 'jobs cannot unseal';
const JOBS_LACK_SECRET =
  'a jobs process cannot open what is stored encrypted, and sends no message: its ROUNDTRIP_SECRET must be that of the web process';

/** Within this time, ms, it is known whether all is ready, whatever the database does. */
const ANSWER_MS = 1_000;

/** Of all, or of the web process alone. Never throws: a database that does not answer is an answer. */
export async function checkReady(part?: 'web'): Promise<Readiness> {
  try {
    return await within(ANSWER_MS, findReadiness(part));
  } catch (error) {
    return notReady(`the database does not answer: ${error instanceof Error ? error.message : error}`);
  }
}

/** Whether the database answers within a second. Never throws. */
export async function databaseAnswers(): Promise<boolean> {
  return within(ANSWER_MS, getPool().query('select 1')).then(
    () => true,
    () => false,
  );
}

const notReady = (reason: string): Readiness => ({ ready: false, reason });

async function findReadiness(part?: 'web'): Promise<Readiness> {
  if (!(await isMigrated())) return notReady('a migration of the database is pending: run `roundtrip migrate`');
  const [sealed, jobs] = await Promise.all([findSealProblem(), findJobs()]);
  // Jobs that can open nothing do not start until the secret is put right, on the pages, which must serve for that.
  const mayLackJobs = part === 'web' || (sealed !== null && sealed.kind !== 'partly');
  if (jobs.missing !== null && !mayLackJobs) return notReady(jobs.missing);
  const degraded = [...partOf('secrets', sealed?.reason ?? jobs.cannotUnseal), ...partOf('jobs', jobs.missing)];
  return { ready: true, reason: null, ...(degraded.length > 0 ? { degraded } : {}) };
}

type DegradedPart = NonNullable<Readiness['degraded']>[number];

const partOf = (part: DegradedPart['part'], reason: string | null): DegradedPart[] =>
  reason === null ? [] : [{ part, reason }];

/** Why no jobs run, and why those that run can send nothing; null where it is not so. */
async function findJobs(): Promise<{ missing: string | null; cannotUnseal: string | null }> {
  const { rows } = await getPool().query<{ name: string; age: number }>(
    `select name, (extract(epoch from now() - beat_at) * 1000)::float8 as age from heartbeat where name = any($1)`,
    [[JOBS, JOBS_CANNOT_UNSEAL]],
  );
  const ageOf = (name: string) => rows.find((row) => row.name === name)?.age ?? Infinity;
  const age = ageOf(JOBS);
  const silence =
    age === Infinity
      ? 'the jobs process has not started yet'
      : `the jobs process has been silent for ${Math.round(age / 1_000)} s`;
  return {
    missing: age > SILENT_MS ? silence : null,
    cannotUnseal: ageOf(JOBS_CANNOT_UNSEAL) > SILENT_MS ? null : JOBS_LACK_SECRET,
  };
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

let lastSealProblem: string | null = null;

/** Says that the jobs process lives, and whether it can open what is stored sealed, which may come while it runs. */
export async function beatHeart(): Promise<void> {
  await beat(JOBS);
  const reason = (await findSealProblem())?.reason ?? null;
  if (reason !== null) await beat(JOBS_CANNOT_UNSEAL);
  if (reason !== null && reason !== lastSealProblem) log.error(`no message is sent: ${reason}`);
  lastSealProblem = reason;
}

async function beat(name: string): Promise<void> {
  await getPool().query(
    `insert into heartbeat (name, beat_at) values ($1, now())
      on conflict (name) do update set beat_at = excluded.beat_at`,
    [name],
  );
}
