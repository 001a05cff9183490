import type { Pool } from 'pg';
import { getPool } from '#server/database/database.ts';
import { LATE_DAYS, lateMeasured } from '#server/targets/former.ts';
import type { AuthenticatedProber } from '#server/vantages/probers.ts';

// What ingest holds results against, kept in memory for a while. Whoever finds something missing asks for it anew.

type Entry<Value> = { at: number; value: Promise<Value> };

/** A value that is read again where it is older than `freshMs`, or than the caller allows (`since`, ms since 1970). */
function kept<Value>(
  cache: Map<string, Entry<Value>>,
  key: string,
  freshMs: number,
  since: number,
  read: () => Promise<Value>,
) {
  const found = cache.get(key);
  if (found && Date.now() - found.at < freshMs && found.at >= since) return found.value;
  const value = read();
  if (cache.size >= MAX_KEPT) cache.clear();
  cache.set(key, { at: Date.now(), value });
  value.catch(() => cache.delete(key));
  return value;
}
const MAX_KEPT = 1_000;

function cacheOf<Value>(caches: WeakMap<Pool, Map<string, Entry<Value>>>): Map<string, Entry<Value>> {
  const pool = getPool();
  const cache = caches.get(pool) ?? new Map<string, Entry<Value>>();
  caches.set(pool, cache);
  return cache;
}

/** What ingest has to know of a target: its URLs and shortest period, now and lately (server/targets/former.ts). */
export type KnownTarget = { id: string; demo: boolean; deleted: boolean; urls: string[]; periodSeconds: number };
type Targets = ReadonlyMap<string, KnownTarget>;
type TargetRow = Omit<KnownTarget, 'urls'> & { url: string; former: unknown };

const TARGETS_FRESH_MS = 3_000;
const targets = new WeakMap<Pool, Map<string, Entry<Targets>>>();

/** Every target by id, at most three seconds old, and never older than `since` (ms since 1970). */
export const knownTargets = (since = 0): Promise<Targets> =>
  kept(cacheOf(targets), 'all', TARGETS_FRESH_MS, since, readTargets);

async function readTargets(): Promise<Targets> {
  const { rows } = await getPool().query<TargetRow>(
    `select id, demo, deleted_at is not null as deleted, url, period_seconds as "periodSeconds", former from target`,
  );
  return new Map(rows.map(({ id, demo, deleted, ...row }) => [id, { id, demo, deleted, ...lateMeasured(row) }]));
}

/** Ids of the targets that each vantage of a prober measures, or lately did: a removed check stays for LATE_DAYS. */
export type Assigned = ReadonlyMap<string, ReadonlySet<string>>;

/** What was assigned stays so for weeks, so only what is missing can be out of date. */
const ASSIGNED_FRESH_MS = 60_000;
const assigned = new WeakMap<Pool, Map<string, Entry<Assigned>>>();

/** The checks of a prober, at most a minute old, and never older than `since` (ms since 1970). */
export const assignedChecks = ({ id, vantageIds }: AuthenticatedProber, since = 0): Promise<Assigned> =>
  kept(cacheOf(assigned), id, ASSIGNED_FRESH_MS, since, () => readAssigned(vantageIds));

async function readAssigned(vantageIds: string[]): Promise<Assigned> {
  const { rows } = await getPool().query<{ vantage: string; targets: string[] }>(
    `select vantage_id as vantage, array_agg(target_id::text) as targets from "check"
      where vantage_id = any($1::uuid[]) and (deleted_at is null or deleted_at > now() - make_interval(days => $2::int))
      group by vantage_id`,
    [vantageIds, LATE_DAYS],
  );
  return new Map(rows.map(({ vantage, targets: ids }) => [vantage, new Set(ids)]));
}
