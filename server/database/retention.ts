import type { PoolClient } from 'pg';
import {
  RETENTION_CLASS_NAMES,
  RETENTION_CLASSES,
  type RetentionClass,
  type RetentionPatch,
} from '#contract/retention.ts';
import { invalidField } from '#server/environment/errors.ts';
import { getPool } from './database.ts';
import { readSetting } from './settings.ts';
import { TimedCache } from './timed-cache.ts';

/** How long each class of data is kept, in days. */
export type RetentionDays = Record<RetentionClass, number>;

const kept = new TimedCache<RetentionDays>('retention', { freshMs: 60_000 });

/** As `readRetentionDays`, looked up once a minute. */
export const getRetention = (): Promise<RetentionDays> => kept.get('', readRetentionDays);

/** Defaults, overridden by the Setting `retention`, overridden by the environment: for callers that delete, which is for good. */
export async function readRetentionDays(): Promise<RetentionDays> {
  const setting = await readSetting('retention');
  return Object.fromEntries(RETENTION_CLASS_NAMES.map((name) => [name, lengthOf(name, setting).days])) as RetentionDays;
}

const DAY_MS = 86_400_000;

/**
 * From when on there are all results of what was measured since `since`, ms since 1970. Of days past their retention there are the
 * odd ones alone: by these a target would seem to fail always.
 */
export async function wholeSince(since: number, now: number): Promise<number> {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  if (since >= today - DAY_MS) return since; // a day is the shortest retention
  return Math.max(since, await keptSince(['rawDays'], now));
}

/** Of what rollups are computed: results, and each other. Days are of none other. */
const SUMMED: readonly RetentionClass[] = ['rawDays', 'minuteDays', 'tenMinuteDays', 'hourDays'];
/** Results that come now are in rollups after so long at the most, ms. */
const SUMMED_WITHIN_MS = 6 * 3_600_000;

/**
 * From when on results may be added that are not of now, ms since 1970. Earlier rollups would be computed again of a part of what they
 * were computed of, which takes away the rest for good.
 */
export const fillableSince = (now: number): Promise<number> => keptSince(SUMMED, now + SUMMED_WITHIN_MS);

/** From when on all of these classes are there as a whole; a retention that was made longer brings nothing back. */
async function keptSince(names: readonly RetentionClass[], now: number): Promise<number> {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const [days, deleted] = await Promise.all([readRetentionDays(), readSetting('deleted_until')]);
  return Math.max(...names.flatMap((name) => [today - days[name] * DAY_MS, deleted?.[name] ?? 0]));
}

/** Notes that data of a class up to an instant, ms since 1970, is deleted; in the transaction that does so, or before. */
export async function noteDeleted(
  name: RetentionClass,
  until: number,
  db: Pick<PoolClient, 'query'> = getPool(),
): Promise<void> {
  await db.query(
    `insert into setting (key, value, updated_at) values ('deleted_until', jsonb_build_object($1::text, $2::float8), now())
      on conflict (key) do update set value = setting.value || excluded.value, updated_at = excluded.updated_at
      where coalesce((setting.value ->> $1)::float8, 0) < $2`,
    [name, until],
  );
}

/** How long a class is kept, and who says so. */
export function lengthOf(
  name: RetentionClass,
  setting: Record<string, number> | null,
): { days: number; setBy: 'default' | 'setting' | 'environment' } {
  const { variable, default: usual } = RETENTION_CLASSES[name];
  const fixed = process.env[variable];
  if (fixed) return { days: Number(fixed), setBy: 'environment' };
  const days = setting?.[name];
  return days === undefined ? { days: usual, setBy: 'default' } : { days, setBy: 'setting' };
}

/**
 * Changes lengths; null: the default again. Throws `invalid` for a class that the environment fixes. Other processes see it
 * within a minute; what is older is deleted by the next housekeeping.
 */
export async function changeRetention(patch: RetentionPatch): Promise<void> {
  for (const name of RETENTION_CLASS_NAMES) {
    const { variable } = RETENTION_CLASSES[name];
    if (patch[name] !== undefined && process.env[variable])
      throw invalidField(name, `is fixed by the environment variable ${variable}`);
  }
  await getPool().query(
    `insert into setting (key, value, updated_at) values ('retention', jsonb_strip_nulls($1::jsonb), now())
      on conflict (key) do update set value = jsonb_strip_nulls(setting.value || $1::jsonb), updated_at = now()`,
    [JSON.stringify(patch)],
  );
  kept.forget();
}
