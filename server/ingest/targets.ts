import type { Pool } from 'pg';
import { getPool } from '../database.ts';

/** What ingest has to know of a target. */
export type KnownTarget = { id: string; demo: boolean; deleted: boolean };
type Targets = ReadonlyMap<string, KnownTarget>;

const FRESH_MS = 3_000;
const caches = new WeakMap<Pool, { at: number; targets: Promise<Targets> }>();

/** Every target by id, at most three seconds old, and never older than `since` (ms since 1970). */
export function knownTargets(since = 0): Promise<Targets> {
  const pool = getPool();
  const cached = caches.get(pool);
  if (cached && Date.now() - cached.at < FRESH_MS && cached.at >= since) return cached.targets;
  const targets = load(pool);
  caches.set(pool, { at: Date.now(), targets });
  targets.catch(() => caches.delete(pool));
  return targets;
}

async function load(pool: Pool): Promise<Targets> {
  const { rows } = await pool.query<KnownTarget>('select id, demo, deleted_at is not null as deleted from target');
  return new Map(rows.map((row) => [row.id, row]));
}
