import {
  MEASUREMENT_TIMEOUT_MS,
  type MeasurementAnswers,
  type MeasurementReport,
  type MeasurementTask,
  type MeasurementTasks,
  TASKS_HELD_SECONDS,
} from '#contract/measurement.ts';
import { Result } from '#contract/result.ts';
import { ProbeSettings } from '#contract/target.ts';
import { allowsPrivateAddresses } from '#server/access/private-addresses.ts';
import { getPool } from '#server/database/database.ts';
import { ServiceError } from '#server/environment/errors.ts';
import { normalise } from '#server/ingest/normalise.ts';
import { noteContact } from '#server/vantages/contact.ts';
import { type VantageLabels, vantageLabels, vantageRef } from '#server/vantages/labels.ts';
import type { AuthenticatedProber } from '#server/vantages/probers.ts';
import { announceAnswers, IS_DUE, untilTasks, waitsEnded } from './wake.ts';

/** Least time (ms) that must be left for a task to be given out. */
const LEAST_LEFT_MS = 1_000;

/**
 * Gives a prober the tasks of its vantages, and takes back those of cancelled measurements; while there are neither, waits up to `heldMs`,
 * unless its request is aborted.
 */
export async function takeTasks(
  prober: AuthenticatedProber,
  signal: AbortSignal,
  heldMs: number = TASKS_HELD_SECONDS * 1_000,
): Promise<MeasurementTasks> {
  await noteContact(prober.id);
  const until = performance.now() + heldMs;
  for (;;) {
    // An answer to a request that has ended would lose the tasks.
    if (signal.aborted || waitsEnded()) return { data: [], cancelled: [] };
    const leftMs = Math.max(0, until - performance.now());
    const enough = new AbortController();
    // Waits from before it asks: tasks that are created meanwhile wake it.
    const more = untilTasks(prober.vantageIds, leftMs, AbortSignal.any([signal, enough.signal]));
    try {
      const tasks = await take(prober, new Date());
      if (tasks.data.length + tasks.cancelled.length > 0 || leftMs === 0) return tasks;
      await more;
    } finally {
      enough.abort();
    }
  }
}

type TaskRow = {
  measurementId: string;
  vantageId: string;
  url: string;
  settings: unknown;
  demo: boolean;
  endsAt: Date;
  cancelled: boolean;
};

/** One statement: a task that is taken gets the time, one that is taken back loses it, so that its prober is notified once. */
async function take(prober: AuthenticatedProber, now: Date): Promise<MeasurementTasks> {
  const { rows } = await getPool().query<TaskRow>(
    `update measurement_vantage v set taken_at = case when m.cancelled_at is null then $2::timestamptz end from measurement m
      where m.id = v.measurement_id and m.ends_at > $3 and v.vantage_id = any($1::uuid[]) and ${IS_DUE}
      returning v.measurement_id as "measurementId", v.vantage_id as "vantageId", m.url, m.settings, m.demo, m.ends_at as "endsAt",
        m.cancelled_at is not null as cancelled`,
    [prober.vantageIds, now, new Date(now.getTime() + LEAST_LEFT_MS)],
  );
  if (rows.length === 0) return { data: [], cancelled: [] };
  const [labels, allowPrivate] = await Promise.all([vantageLabels(), allowsPrivateAddresses()]);
  const cancelled = rows.filter((row) => row.cancelled);
  const data = rows.flatMap((row) => {
    const vantage = labels.get(row.vantageId);
    return vantage && !row.cancelled ? [presentTask(row, vantage, { now, allowPrivate })] : [];
  });
  return { data, cancelled: [...new Set(cancelled.map(({ measurementId }) => measurementId))] };
}

function presentTask(
  row: TaskRow,
  vantage: VantageLabels,
  { now, allowPrivate }: { now: Date; allowPrivate: boolean },
): MeasurementTask {
  const settings = ProbeSettings.parse(row.settings);
  const phases = Object.values(settings.timeouts).reduce((sum, timeout) => sum + timeout, 0);
  return {
    measurementId: row.measurementId,
    url: row.url,
    vantage: vantageRef(vantage),
    demo: row.demo,
    timeoutMs: Math.min(phases, MEASUREMENT_TIMEOUT_MS, row.endsAt.getTime() - now.getTime()),
    settings,
    allowPrivate: row.demo || allowPrivate,
  };
}

type Rejection = MeasurementReport['rejected'][number];

/**
 * Stores Results of a measurement, the first of each vantage; also late ones, while it is kept. Invalid ones are named, and cost the
 * others nothing. Throws `not_found`.
 */
export async function storeAnswers(
  prober: AuthenticatedProber,
  { measurementId: id, results }: MeasurementAnswers,
  now: Date = new Date(),
): Promise<MeasurementReport> {
  const found = await getPool().query<{ url: string; demo: boolean; vantageIds: string[] }>(
    `select m.url, m.demo, array_agg(v.vantage_id::text) as "vantageIds"
      from measurement m join measurement_vantage v on v.measurement_id = m.id
      where m.id = $1 and m.expires_at > $2 and v.vantage_id = any($3::uuid[]) group by m.id`,
    [id, now, prober.vantageIds],
  );
  const [measurement] = found.rows;
  if (!measurement) throw new ServiceError('not_found', `No vantage of this prober is in a measurement ${id}.`);
  const labels = await vantageLabels();
  const valid: Result[] = [];
  const rejected: Rejection[] = [];
  for (const [index, sent] of results.entries()) {
    const parsed = Result.safeParse(normalise(sent, prober.vantageIds, labels));
    const fault = parsed.success ? faultOf(parsed.data, measurement) : issueOf(parsed.error.issues[0]);
    if (fault || !parsed.data) rejected.push({ index, ...(fault ?? { field: null, message: 'is not a result' }) });
    else valid.push({ ...parsed.data, targetId: null, demo: measurement.demo });
  }
  const accepted = valid.length === 0 ? 0 : await store(id, valid, now);
  if (accepted > 0) announceAnswers(id);
  return { accepted, duplicates: valid.length - accepted, rejected };
}

const issueOf = (issue: { path: PropertyKey[]; message: string } | undefined) => ({
  field: issue?.path.join('.') || null,
  message: issue?.message ?? 'is not a result',
});

function faultOf(
  result: Result,
  { url, vantageIds }: { url: string; vantageIds: string[] },
): Omit<Rejection, 'index'> | null {
  if (!result.vantage || !vantageIds.includes(result.vantage.id.toLowerCase()))
    return { field: 'vantage.id', message: 'is not a vantage of this prober in this measurement' };
  if (result.url !== url) return { field: 'url', message: 'is not the URL of the measurement' };
  if (result.variant !== 'main') return { field: 'variant', message: 'must be main' };
  return null;
}

/** Stores one Result of each vantage, and returns how many are new. */
async function store(id: string, results: Result[], now: Date): Promise<number> {
  const { rowCount } = await getPool().query(
    `update measurement_vantage v set answered_at = $2, taken_at = coalesce(v.taken_at, $2), ok = sent.ok, result = sent.result::jsonb
      from unnest($3::uuid[], $4::boolean[], $5::text[]) as sent(vantage_id, ok, result)
      where v.measurement_id = $1 and v.vantage_id = sent.vantage_id and v.answered_at is null
        and exists (select from measurement m where m.id = v.measurement_id and m.cancelled_at is null)`,
    [
      id,
      now,
      results.map(({ vantage }) => vantage?.id ?? null),
      results.map(({ ok }) => ok),
      results.map((result) => JSON.stringify(result)),
    ],
  );
  return rowCount ?? 0;
}
