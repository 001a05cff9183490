import { statfs } from 'node:fs/promises';
import {
  RETENTION_CLASS_NAMES,
  RETENTION_CLASSES,
  type RetainedClass,
  type Retention,
  type RetentionClass,
} from '#contract/retention.ts';
import { getPool } from './database.ts';
import { PARTITIONED } from './partitions.ts';
import { lengthOf } from './retention.ts';
import { readSetting } from './settings.ts';

// What each class of data takes on disk, and how long the disk lasts at the present lengths.

const DAY_MS = 86_400_000;
/** A day's size is the mean over so many of the newest whole days. */
const RATED_DAYS = 7;

/** Tables that are not partitioned, the class of each, and the column that says how old a row is. */
const WHOLE_TABLES = [
  { table: 'incident', name: 'incidentDays', age: 'opened_at' },
  { table: 'incident_event', name: 'incidentDays', age: 'at' },
  { table: 'detection', name: 'detectionDays', age: 'at' },
  { table: 'incident_detection', name: 'detectionDays', age: null },
  { table: 'delivery', name: 'deliveryDays', age: 'created_at' },
  { table: 'delivery_attempt', name: 'deliveryDays', age: 'at' },
] as const satisfies { table: string; name: RetentionClass; age: string | null }[];

/** Every class with its length and size, as of `now`, ms since 1970. */
export async function readRetention(now = Date.now()): Promise<Retention> {
  const [setting, parts, tables, database, freeBytes] = await Promise.all([
    readSetting('retention'),
    readPartitions(),
    readTables(),
    readDatabase(),
    readFree(),
  ]);
  const rawDays = lengthOf('rawDays', setting).days;
  const classOf = ({ name, start }: Part) =>
    name === 'oddDays' && start + DAY_MS > now - rawDays * DAY_MS ? 'rawDays' : name;
  const classes = RETENTION_CLASS_NAMES.map((name): RetainedClass => {
    const own = parts.filter((part) => classOf(part) === name);
    const { bytes, bytesPerDay } = own.length > 0 ? ratedByPartitions(own, now) : ratedByAge(tables, name, now);
    const { days, setBy } = lengthOf(name, setting);
    const bytesWhenFull = bytesPerDay === null ? null : bytesPerDay * daysBeyond(name, days, rawDays);
    return { name, days, defaultDays: RETENTION_CLASSES[name].default, setBy, bytes, bytesPerDay, bytesWhenFull };
  });
  const filling = classes.map((each) => ({ ...each, days: daysBeyond(each.name, each.days, rawDays) }));
  return { classes, databaseBytes: database, freeBytes, fullInDays: daysUntilFull(filling, freeBytes) };
}

/** For how many days a class holds something: as long as there are all results, the odd ones are among them. */
const daysBeyond = (name: RetentionClass, days: number, rawDays: number) =>
  name === 'oddDays' ? Math.max(0, days - rawDays) : days;

/**
 * Days until `freeBytes` are used up where each class grows by its rate until it is as old as its length; null where they
 * suffice, or are not known.
 */
export function daysUntilFull(
  classes: Pick<RetainedClass, 'days' | 'bytes' | 'bytesPerDay'>[],
  freeBytes: number | null,
): number | null {
  if (freeBytes === null) return null;
  const growing = classes.flatMap(({ days, bytes, bytesPerDay }) =>
    bytesPerDay === null || bytesPerDay <= 0 ? [] : [{ rate: bytesPerDay, left: bytesPerDay * days - bytes }],
  );
  let free = freeBytes;
  let day = 0;
  // Between two instants at which a class is full the sum grows by the same each day.
  for (;;) {
    const still = growing.filter(({ left }) => left > 0);
    if (still.length === 0) return null;
    const rate = still.reduce((sum, each) => sum + each.rate, 0);
    const next = Math.min(...still.map((each) => each.left / each.rate));
    if (rate * next > free) return Math.floor(day + free / rate);
    free -= rate * next;
    day += next;
    for (const each of still) each.left -= each.rate * next;
    for (const each of still) if (each.left < 1) each.left = 0; // less than a byte is rounding
  }
}

type Part = {
  name: RetentionClass;
  unit: 'day' | 'month';
  /** ms since 1970. */
  start: number;
  bytes: number;
  filled: boolean;
  /** Whether it holds the results of a day in the form in which they are kept. */
  sealed: boolean;
  /** Of rollups: the oldest bucket that the statistics know. */
  oldest: Date | null;
};

async function readPartitions(): Promise<Part[]> {
  const { rows } = await getPool().query<{
    parent: string;
    part: string;
    bytes: number;
    filled: boolean;
    oldest: Date | null;
  }>(
    `select parent.relname as parent, part.relname as part,
        pg_total_relation_size(part.oid)::float8 as bytes, pg_relation_size(part.oid) > 0 as filled,
        (select least((histogram_bounds::text::timestamptz[])[1],
          (select min(value) from unnest(most_common_vals::text::timestamptz[]) as value))
          from pg_stats where schemaname = current_schema() and tablename = part.relname and attname = 'bucket') as oldest
      from pg_inherits join pg_class part on part.oid = inhrelid join pg_class parent on parent.oid = inhparent
      where inhparent = any($1::text[]::regclass[])`,
    [PARTITIONED.map(({ table }) => table)],
  );
  return rows.flatMap(({ parent, part, bytes, filled, oldest }) => {
    const of = PARTITIONED.find(({ table }) => table === parent);
    const date = /_p(\d{4})(\d{2})(\d{2})$/.exec(part);
    if (!of || !date) return [];
    const start = Date.UTC(Number(date[1]), Number(date[2]) - 1, Number(date[3]));
    return [{ name: of.keep, unit: of.unit, start, bytes, filled, sealed: 'later' in of, oldest }];
  });
}

type Rated = { bytes: number; bytesPerDay: number | null };

function ratedByPartitions(own: Part[], now: number): Rated {
  const bytes = sum(own.map((part) => part.bytes));
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  if (own[0]?.unit === 'month') return { bytes, bytesPerDay: ratedByMonth(own, now) };
  const newest = Math.min(today, Math.max(...own.map(({ start }) => start)) + DAY_MS);
  const whole = own.filter(({ start, filled }) => filled && start < today && start >= newest - RATED_DAYS * DAY_MS);
  const sealed = new Set(whole.flatMap((part) => (part.sealed ? part.start : [])));
  // A day that is not sealed yet takes ten times what it will.
  const rated = sealed.size === 0 ? whole : whole.filter(({ start }) => sealed.has(start));
  const days = new Set(rated.map(({ start }) => start)).size;
  return { bytes, bytesPerDay: days === 0 ? null : sum(rated.map((part) => part.bytes)) / days };
}

/** By the newest month's partition, and how long ago its oldest bucket was by PostgreSQL's statistics. */
function ratedByMonth(own: Part[], now: number): number | null {
  const [newest] = own.filter((part) => part.filled).sort((a, b) => b.start - a.start);
  if (!newest?.oldest) return null;
  const date = new Date(newest.start);
  const end = Math.min(now, Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1));
  const days = (end - newest.oldest.getTime()) / DAY_MS;
  return days < 1 ? null : newest.bytes / days;
}

type Whole = { table: string; bytes: number; oldest: Date | null };

async function readTables(): Promise<Whole[]> {
  const reads = WHOLE_TABLES.map(
    ({ table, age }) =>
      `select '${table}' as table, pg_total_relation_size('${table}')::float8 as bytes,
        ${age === null ? 'null::timestamptz' : `(select min(${age}) from ${table})`} as oldest`,
  );
  const { rows } = await getPool().query<Whole>(reads.join(' union all '));
  return rows;
}

function ratedByAge(tables: Whole[], name: RetentionClass, now: number): Rated {
  const names = WHOLE_TABLES.filter((each) => each.name === name).map(({ table }) => String(table));
  const own = tables.filter(({ table }) => names.includes(table));
  const bytes = sum(own.map((each) => each.bytes));
  const oldest = Math.min(...own.map((each) => each.oldest?.getTime() ?? Number.POSITIVE_INFINITY));
  const days = (now - oldest) / DAY_MS;
  return { bytes, bytesPerDay: days >= 1 && Number.isFinite(days) ? bytes / days : null };
}

async function readDatabase(): Promise<number> {
  const { rows } = await getPool().query<{ bytes: number }>(
    'select pg_database_size(current_database())::float8 as bytes',
  );
  return rows[0]?.bytes ?? 0;
}

/** Free bytes of the disk that PostgreSQL's data lie on, where it runs on this machine and says where; else null. */
async function readFree(): Promise<number | null> {
  const { rows } = await getPool().query<{ folder: string | null; local: boolean }>(
    `select (select setting from pg_settings where name = 'data_directory') as folder,
      coalesce(inet_server_addr() <<= '127.0.0.0/8'::inet or inet_server_addr() = '::1'::inet, true) as local`,
  );
  const folder = rows[0]?.local ? rows[0].folder : null;
  if (!folder) return null;
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return null; // a forwarded port of another machine, or a folder that this account may not see
  }
}

const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);
