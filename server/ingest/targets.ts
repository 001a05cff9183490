import type { Pool } from 'pg';
import { getPool } from '#server/database/database.ts';
import { lateMeasured } from '#server/targets/former.ts';

/** What ingest has to know of a target: its URLs and shortest period, now and lately (server/targets/former.ts). */
export type KnownTarget = { id: string; demo: boolean; deleted: boolean; urls: string[]; periodSeconds: number };
type Targets = ReadonlyMap<string, KnownTarget>;
type Row = Omit<KnownTarget, 'urls'> & { url: string; former: unknown };

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
  const { rows } = await pool.query<Row>(
    `select id, demo, deleted_at is not null as deleted, url, period_seconds as "periodSeconds", former from target`,
  );
  return new Map(rows.map(({ id, demo, deleted, ...row }) => [id, { id, demo, deleted, ...lateMeasured(row) }]));
}
