import { getPool } from '#server/database/database.ts';
import { TimedCache } from '#server/database/timed-cache.ts';
import { LATE_DAYS, lateMeasured } from '#server/targets/former.ts';
import { type VantageLabels, vantageLabels } from '#server/vantages/labels.ts';
import type { AuthenticatedProber } from '#server/vantages/probers.ts';

// What ingest holds results against, kept in memory for a while. A caller that finds something missing asks for it again.

/** What ingest has to know of a target: its URLs and shortest period, now and lately (server/targets/former.ts). */
export type KnownTarget = { id: string; demo: boolean; deleted: boolean; urls: string[]; periodSeconds: number };
type Targets = ReadonlyMap<string, KnownTarget>;
type TargetRow = Omit<KnownTarget, 'urls'> & { url: string; former: unknown };

const targets = new TimedCache<Targets>('targets', { freshMs: 3_000 });

/** Every target by id, at most three seconds old, and never older than `since` (ms since 1970). */
export const knownTargets = (since = 0): Promise<Targets> => targets.get('all', readTargets, since);

async function readTargets(): Promise<Targets> {
  const { rows } = await getPool().query<TargetRow>(
    `select id, demo, deleted_at is not null as deleted, url, period_seconds as "periodSeconds", former from target`,
  );
  return new Map(rows.map(({ id, demo, deleted, ...row }) => [id, { id, demo, deleted, ...lateMeasured(row) }]));
}

/** Ids of the targets that each vantage of a prober measures, or lately did: a removed check stays for LATE_DAYS. */
export type Assigned = ReadonlyMap<string, ReadonlySet<string>>;

/** What was assigned stays so for weeks, so only what is missing can be out of date. */
const assigned = new TimedCache<Assigned>('assigned', { freshMs: 60_000 });

/** The checks of a prober, at most a minute old, and never older than `since` (ms since 1970). */
export const assignedChecks = ({ id, vantageIds }: AuthenticatedProber, since = 0): Promise<Assigned> =>
  assigned.get(id, () => readAssigned(vantageIds), since);

async function readAssigned(vantageIds: string[]): Promise<Assigned> {
  const { rows } = await getPool().query<{ vantage: string; targets: string[] }>(
    `select vantage_id as vantage, array_agg(target_id::text) as targets from "check"
      where vantage_id = any($1::uuid[]) and (deleted_at is null or deleted_at > now() - make_interval(days => $2::int))
      group by vantage_id`,
    [vantageIds, LATE_DAYS],
  );
  return new Map(rows.map(({ vantage, targets: ids }) => [vantage, new Set(ids)]));
}

type Vantages = ReadonlyMap<string, VantageLabels>;

const vantages = new TimedCache<Vantages>('vantages', { freshMs: 30_000 });

/** The labels of every vantage by id, at most 30 seconds old, and never without those of this prober. */
export async function knownVantages({ vantageIds }: AuthenticatedProber): Promise<Vantages> {
  const found = await vantages.get('all', vantageLabels);
  return vantageIds.every((id) => found.has(id)) ? found : await vantages.get('all', vantageLabels, Date.now());
}
