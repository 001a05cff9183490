import type { Pool } from 'pg';
import { getPool } from '#server/database/database.ts';
import { LATE_DAYS } from '#server/targets/former.ts';
import type { AuthenticatedProber } from '#server/vantages/probers.ts';

/** Ids of the targets that each vantage of a prober measures, or lately did: a removed check stays for LATE_DAYS. */
export type Assigned = ReadonlyMap<string, ReadonlySet<string>>;

/** What was assigned stays so for weeks, so only what is missing can be out of date: then it is asked for anew. */
const FRESH_MS = 60_000;
const MAX_PROBERS = 1_000;
type Entry = { at: number; assigned: Promise<Assigned> };
const caches = new WeakMap<Pool, Map<string, Entry>>();

/** The checks of a prober, at most a minute old, and never older than `since` (ms since 1970). */
export function assignedChecks(prober: AuthenticatedProber, since = 0): Promise<Assigned> {
  const pool = getPool();
  const cache = caches.get(pool) ?? new Map<string, Entry>();
  caches.set(pool, cache);
  const cached = cache.get(prober.id);
  if (cached && Date.now() - cached.at < FRESH_MS && cached.at >= since) return cached.assigned;
  const assigned = load(pool, prober.vantageIds);
  if (cache.size >= MAX_PROBERS) cache.clear();
  cache.set(prober.id, { at: Date.now(), assigned });
  assigned.catch(() => cache.delete(prober.id));
  return assigned;
}

async function load(pool: Pool, vantageIds: string[]): Promise<Assigned> {
  const { rows } = await pool.query<{ vantage: string; targets: string[] }>(
    `select vantage_id as vantage, array_agg(target_id::text) as targets from "check"
      where vantage_id = any($1::uuid[]) and (deleted_at is null or deleted_at > now() - make_interval(days => $2::int))
      group by vantage_id`,
    [vantageIds, LATE_DAYS],
  );
  return new Map(rows.map(({ vantage, targets }) => [vantage, new Set(targets)]));
}
