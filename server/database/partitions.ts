import type { Pool } from 'pg';
import type { RetentionClass } from '#contract/retention.ts';
import { isCluster } from './cluster.ts';
import { getPool, openDatabase } from './database.ts';
import { noteDeleted, readRetentionDays } from './retention.ts';

type Partitioned = { table: string; unit: 'day' | 'month'; keep: RetentionClass; later?: true };

/**
 * Every partitioned table, the span of its partitions (UTC), and which retention it falls under; `later`: made when a day is
 * sealed. Of results all but the odd ones go before that (server/blocks/rare-results.ts).
 */
export const PARTITIONED = [
  { table: 'result', unit: 'day', keep: 'oddDays' },
  { table: 'result_evidence', unit: 'day', keep: 'oddDays' },
  { table: 'result_block', unit: 'day', keep: 'oddDays', later: true },
  { table: 'rollup_minute', unit: 'day', keep: 'minuteDays' },
  { table: 'staple_minute', unit: 'day', keep: 'minuteDays' },
  { table: 'rollup_ten', unit: 'month', keep: 'tenMinuteDays' },
  { table: 'rollup_hour', unit: 'month', keep: 'hourDays' },
  { table: 'rollup_day', unit: 'month', keep: 'dayDays' },
] as const satisfies Partitioned[];

const DAY_MS = 86_400_000;
/** How many days ahead partitions are made. */
const DAYS_AHEAD = 3;

type Table = (typeof PARTITIONED)[number]['table'];

// Which partitions are known to be there, by table and day, so that ingest asks once a day and not once a batch.
const known = new WeakMap<object, Set<string>>();

/** Makes the partitions that rows of these instants (ms since 1970) need, in these tables or in all. */
export async function ensurePartitions(instants: Iterable<number>, tables?: readonly Table[]): Promise<void> {
  const pool = getPool();
  const there = known.get(openDatabase()) ?? new Set<string>();
  known.set(openDatabase(), there);
  const wanted = new Set<number>();
  for (const instant of instants) wanted.add(Math.floor(instant / DAY_MS));
  const asked = PARTITIONED.filter(({ table, ...rest }) => !('later' in rest) && (tables?.includes(table) ?? true));
  for (const day of wanted) {
    for (const partitioned of asked) {
      const key = `${partitioned.table} ${day}`;
      if (!there.has(key)) await ensure(pool, partitioned, new Date(day * DAY_MS));
      there.add(key);
    }
  }
}

/** Forgets what is known to be there; for a caller that finds a partition gone. */
export function forgetPartitions(): void {
  known.delete(openDatabase());
}

/** Makes the partitions of the days ahead. */
export async function makePartitionsAhead(now: number): Promise<void> {
  await ensurePartitions(Array.from({ length: DAYS_AHEAD + 1 }, (_, ahead) => now + ahead * DAY_MS));
}

/** Drops the partitions past their retention and returns them. One process does it at a time. */
export async function dropOldPartitions(now: number): Promise<string[]> {
  const retention = await readRetentionDays();
  // Where days are not sealed, odd results cannot be told from the others.
  retention.oddDays = (await isCluster()) ? retention.rawDays : Math.max(retention.rawDays, retention.oddDays);
  const dropped: string[] = [];
  for (const partitioned of PARTITIONED) {
    const oldest = new Date(now - retention[partitioned.keep] * DAY_MS);
    dropped.push(...(await dropBefore(partitioned, oldest)));
  }
  return dropped;
}

async function ensure(pool: Pool, { table, unit }: Partitioned, day: Date): Promise<void> {
  const [lower, upper] = boundsOf(day, unit);
  await pool.query('select ensure_partition($1, $2, $3)', [table, lower, upper]);
}

function boundsOf(day: Date, unit: Partitioned['unit']): [Date, Date] {
  const year = day.getUTCFullYear();
  const month = day.getUTCMonth();
  if (unit === 'month') return [new Date(Date.UTC(year, month, 1)), new Date(Date.UTC(year, month + 1, 1))];
  const date = day.getUTCDate();
  return [new Date(Date.UTC(year, month, date)), new Date(Date.UTC(year, month, date + 1))];
}

/** Longest that a drop waits for a reader: then the next run goes on from there. */
const DROP_WAITS_MS = 3_000;

/** A partition by its name; `detaching` where an earlier run had begun, null where it had come to its end but for the drop. */
type Past = { name: string; detaching: boolean | null };

/**
 * Dropping is instant whatever the size. The partition is detached first, which neither waits for those who use the table nor
 * makes them wait: they no longer see it. Citus cannot: there the drop waits for readers, as long as a drop may.
 */
async function dropBefore({ table, unit, keep }: Partitioned, oldest: Date): Promise<string[]> {
  const { rows } = await getPool().query<Past>(
    `select relname as name, inhdetachpending as detaching from pg_class
      left join pg_inherits on inhrelid = pg_class.oid and inhparent = to_regclass($1)
      where relkind = 'r' and relnamespace = to_regnamespace(current_schema()) and relname ~ ('^' || $1 || '_p[0-9]{8}$')
      order by inhdetachpending desc nulls last, relname`, // a table detaches one at a time: first what was begun
    [table],
  );
  const past = rows.filter(({ name }) => endOf(name, unit) <= oldest.getTime());
  if (past.length > 0) {
    // With the odd results go those that nobody thinned out.
    await noteDeleted(keep === 'oddDays' ? 'rawDays' : keep, Math.max(...past.map(({ name }) => endOf(name, unit))));
    await dropAll(table, past);
  }
  return past.map(({ name }) => name);
}

async function dropAll(table: string, partitions: Past[]): Promise<void> {
  const client = await getPool().connect();
  try {
    await client.query(`set lock_timeout = ${DROP_WAITS_MS}`);
    const detaches = !(await isCluster());
    for (const { name, detaching } of partitions) {
      const how = detaching ? 'finalize' : 'concurrently';
      if (detaches && detaching !== null) await client.query(`alter table ${table} detach partition "${name}" ${how}`);
      await client.query(`drop table if exists "${name}"`);
    }
  } finally {
    forgetPartitions(); // what comes late makes them again
    client.release(true); // its limits are its own
  }
}

/** Where the partition `table_pYYYYMMDD` ends, in ms; never for a name that is not of this form. */
function endOf(name: string, unit: Partitioned['unit']): number {
  const date = /_p(\d{4})(\d{2})(\d{2})$/.exec(name);
  if (!date) return Number.POSITIVE_INFINITY;
  return boundsOf(new Date(Date.UTC(Number(date[1]), Number(date[2]) - 1, Number(date[3]))), unit)[1].getTime();
}
