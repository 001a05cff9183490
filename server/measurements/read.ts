import {
  type ListedMeasurement,
  type Measurement,
  type MeasurementCounts,
  MeasurementSettings,
  type MeasurementVantage,
} from '#contract/measurement.ts';
import type { Page } from '#contract/problem.ts';
import type { PageQuery } from '#contract/query.ts';
import type { Result } from '#contract/result.ts';
import { shownFinding, shownText, shownUrl } from '#server/access/secret-parameters.ts';
import type { Viewer } from '#server/access/secret-settings.ts';
import { getPool, queryRows } from '#server/database/database.ts';
import { pageOfRows, pageRange } from '#server/database/page.ts';
import { notFound } from '#server/environment/errors.ts';
import { type VantageLabels, vantageRef } from '#server/vantages/labels.ts';

type Row = {
  id: string;
  url: string;
  settings: unknown;
  demo: boolean;
  createdBy: string;
  createdAt: Date;
  endsAt: Date;
  expiresAt: Date;
  cancelledAt: Date | null;
  shared: boolean;
  total: number;
  done: number;
  failed: number;
  away: number;
};

/** A measurement's row with how many vantages answered, and which are not awaited. */
const SELECT = `select m.id, m.url, m.settings, m.demo, m.created_by as "createdBy", m.created_at as "createdAt",
    m.ends_at as "endsAt", m.expires_at as "expiresAt", m.cancelled_at as "cancelledAt", m.share_hash is not null as shared, c.*
  from measurement m cross join lateral (
    select count(*)::int as total, count(*) filter (where ok)::int as done, count(*) filter (where not ok)::int as failed,
      count(*) filter (where away and answered_at is null)::int as away
    from measurement_vantage v where v.measurement_id = m.id) c
  where m.expires_at > $1::timestamptz`;

/** A state is never stored: what has not answered reads as pending or failed by the time. */
export type Progress = { id: string; over: boolean; cancelled: boolean; finished: boolean; counts: MeasurementCounts };

function progressOf(row: Row, now: Date): Progress {
  const { id, total, done, failed, away } = row;
  const cancelled = row.cancelledAt !== null;
  const over = cancelled || now >= row.endsAt;
  const open = total - done - failed;
  const pending = over ? 0 : open - away;
  const failures = { failed: failed + open - pending, cancelled: cancelled ? open - away : 0 };
  return {
    id,
    over,
    cancelled,
    finished: pending === 0,
    counts: { total, pending, done, ...failures },
  };
}

/** Lists the measurements that are kept, newest first, as this viewer may see them. Throws `invalid` for an invalid cursor. */
export async function listMeasurements(
  query: PageQuery,
  viewer: Viewer,
  now: Date = new Date(),
): Promise<Page<ListedMeasurement>> {
  const { take, after } = pageRange(query);
  const { rows } = await getPool().query<Row>(
    `${SELECT} and ($3::uuid is null or m.id < $3) order by m.id desc limit $2`,
    [now, take, after ?? null],
  );
  return pageOfRows(rows, query, (row) => present(row, progressOf(row, now), viewer));
}

function present(row: Row, { finished, counts }: Pick<Progress, 'finished' | 'counts'>, viewer: Viewer) {
  return {
    id: row.id,
    url: viewer === 'reader' ? shownUrl(row.url) : row.url,
    demo: row.demo,
    createdBy: row.createdBy,
    createdAt: row.createdAt.toISOString(),
    endsAt: row.endsAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    cancelledAt: row.cancelledAt?.toISOString() ?? null,
    shared: row.shared,
    finished,
    counts,
  };
}

/** Reads a measurement with the answers so far, as this viewer may see them. Throws `not_found`. */
export async function getMeasurement(id: string, viewer: Viewer, now: Date = new Date()): Promise<Measurement> {
  const row = await readRow(id, now);
  const { vantages } = await readVantages(progressOf(row, now), viewer);
  const count = (...states: MeasurementVantage['state'][]) =>
    vantages.filter(({ state }) => states.includes(state)).length;
  // Counted here: more may have answered since the row was read.
  const pending = count('pending', 'taken');
  const cancelled = vantages.filter(({ reason }) => reason === 'cancelled').length;
  const counts = { total: vantages.length, pending, done: count('done'), failed: count('failed'), cancelled };
  const settings = MeasurementSettings.parse(row.settings);
  return { ...present(row, { finished: pending === 0, counts }, viewer), settings, vantages };
}

/** The newest measurement of a target's URL that the dashboard made since an instant; null where there is none. */
export async function newestOfTarget(targetId: string, since: Date, now: Date = new Date()): Promise<string | null> {
  const { rows } = await getPool().query<{ id: string }>(
    `select m.id from measurement m join target t on t.url = m.url
      where t.id = $1 and m.created_by = 'dashboard' and m.created_at >= $2 and m.expires_at > $3
      order by m.id desc limit 1`,
    [targetId, since, now],
  );
  return rows[0]?.id ?? null;
}

/** How far a measurement has come. Throws `not_found`. */
export async function readMeasurement(id: string, now: Date = new Date()): Promise<Progress> {
  return progressOf(await readRow(id, now), now);
}

async function readRow(id: string, now: Date): Promise<Row> {
  const [row] = await queryRows<Row>(`${SELECT} and m.id = $2::uuid`, [now, id]);
  if (row) return row;
  throw notFound('measurement', id);
}

type VantageRow = VantageLabels & {
  takenAt: Date | null;
  answeredAt: Date | null;
  away: boolean;
  ok: boolean | null;
  result: Result | null;
};

/**
 * Reads the vantages of a measurement in order of region and carrier, and when the latest of them answered; with `answeredFrom` those
 * alone that answered from then on, or that are `over` without an answer.
 */
export async function readVantages(
  { id, over, cancelled }: Pick<Progress, 'id' | 'over' | 'cancelled'>,
  viewer: Viewer,
  answeredFrom: Date | null = null,
): Promise<{ vantages: MeasurementVantage[]; latest: Date | null }> {
  const rows = await queryRows<VantageRow>(
    `select v.id, v.name, v.country, v.region, v.city, v.carrier, v.asn::float8 as asn, v.access,
        m.taken_at as "takenAt", m.answered_at as "answeredAt", m.away, m.ok, m.result
      from measurement_vantage m join vantage v on v.id = m.vantage_id
      where m.measurement_id = $1::uuid
        and ($2::timestamptz is null or m.answered_at >= $2 or m.answered_at is null and $3::boolean)
      order by v.region, v.carrier, v.name, v.id`,
    [id, answeredFrom, over],
  );
  const times = rows.flatMap(({ answeredAt }) => answeredAt?.getTime() ?? []);
  const vantages = rows.map((row): MeasurementVantage => {
    const vantage = vantageRef(row);
    // A Result was parsed when it came.
    if (row.result)
      return { vantage, state: row.ok ? 'done' : 'failed', reason: null, result: shownResult(row.result, viewer) };
    const missing = { vantage, result: null };
    if (row.away) return { ...missing, state: 'failed', reason: 'prober_away' };
    if (!over) return { ...missing, state: row.takenAt ? 'taken' : 'pending', reason: null };
    const reason = cancelled ? 'cancelled' : row.takenAt ? 'no_answer' : 'not_taken';
    return { ...missing, state: 'failed', reason };
  });
  return { vantages, latest: times.length > 0 ? new Date(Math.max(...times)) : null };
}

/** A Result without the secret parameters of URLs in it where the viewer may not see them. */
function shownResult(result: Result, viewer: Viewer): Result {
  if (viewer === 'editor') return result;
  const { url, failure, http, findings } = result;
  return {
    ...result,
    url: shownUrl(url),
    failure: failure && { ...failure, message: shownText(failure.message) },
    http: http?.location ? { ...http, location: shownUrl(http.location) } : http,
    findings: findings.map(shownFinding),
  };
}
