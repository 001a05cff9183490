import type { BusyProber } from '#analysis/detection/detection.ts';
import type { ProberReport } from '#contract/ingest.ts';
import type { ProberActivity } from '#contract/vantage.ts';
import { getPool } from '#server/database/database.ts';

/** Reports are kept so long: pages tell of the last hour and day. */
const KEPT_HOURS = 48;

const RUNS = ['started', 'missed', 'retaken', 'unclean', 'dropped', 'rejected'] as const;
/** Levels, of which the last one counts: column and field of a report. */
const LEVELS = {
  checks: 'checks',
  threads: 'threads',
  quarantined: 'quarantined',
  quarantine_bytes: 'quarantineBytes',
} as const;
const COLUMNS = [...Object.keys(LEVELS), ...RUNS];
const FIELDS = [...Object.values(LEVELS), ...RUNS];

/** That a prober was heard, and its clock minus ours (ms) where it said what time it is. */
export type Contact = { proberId: string; at: Date; skewMs: number | null };

/**
 * Keeps what a prober said of its work, and in the same statement that it was heard. Says whether the report is new: one sent
 * again, by its `since`, takes the place of the first, so that nothing counts twice. That of a prober that is gone is not kept.
 */
export async function storeReport({ proberId, at, skewMs }: Contact, report: ProberReport): Promise<boolean> {
  const { rows } = await getPool().query<{ fresh: boolean }>(
    `with contact as (
        update prober set last_seen_at = $2, clock_skew_ms = coalesce($3, clock_skew_ms) where id = $1 returning id)
      insert into prober_report (prober_id, since, received_at, ${COLUMNS.join(', ')})
      select id, $4, now(), ${COLUMNS.map((_, index) => `$${index + 5}`).join(', ')} from contact
      on conflict (prober_id, since) do update
      set received_at = now(), ${COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')}
      returning xmax = 0 as fresh`,
    [proberId, at, skewMs, new Date(report.since), ...FIELDS.map((field) => report[field] ?? 0)],
  );
  return rows[0]?.fresh ?? false;
}

type Level = (typeof LEVELS)[keyof typeof LEVELS];
type Row = { proberId: string; reportedAt: Date } & Record<Level, number> & Record<string, unknown>;

/**
 * What these probers, or all, did over the last hour and day, by the server's clock; one that reported nothing is not
 * there.
 */
export async function proberActivities(proberIds?: string[]): Promise<Map<string, ProberActivity>> {
  if (proberIds?.length === 0) return new Map();
  const { rows } = await getPool().query<Row>(
    `select prober_id as "proberId", max(received_at) as "reportedAt",
        ${Object.entries(LEVELS).map(latestOf).join(', ')},
        ${RUNS.flatMap((name) => [sumOf(name, 'hour'), sumOf(name, 'day')]).join(', ')}
      from prober_report where ($1::uuid[] is null or prober_id = any($1)) and received_at > now() - interval '${KEPT_HOURS} hours'
      group by prober_id`,
    [proberIds === undefined ? null : [...new Set(proberIds)]],
  );
  return new Map(rows.map((row) => [row.proberId, activityOf(row)]));
}

const latestOf = ([column, field]: [string, Level]) =>
  `(array_agg(${column} order by received_at desc))[1]::float8 as "${field}"`;

const sumOf = (column: string, span: 'hour' | 'day') =>
  `coalesce(sum(${column}) filter (where received_at > now() - interval '1 ${span}'), 0)::float8 as ${column}_${span}`;

function activityOf(row: Row): ProberActivity {
  const runs = (span: 'hour' | 'day') => ({
    started: Number(row[`started_${span}`]),
    missed: Number(row[`missed_${span}`]),
    retaken: Number(row[`retaken_${span}`]),
    unclean: Number(row[`unclean_${span}`]),
    dropped: Number(row[`dropped_${span}`]),
    rejected: Number(row[`rejected_${span}`]),
  });
  return {
    reportedAt: row.reportedAt.toISOString(),
    checks: row.checks,
    threads: row.threads,
    lastHour: runs('hour'),
    lastDay: runs('day'),
    quarantined: row.quarantined,
    quarantineBytes: row.quarantineBytes,
  };
}

/** Housekeeping: deletes reports that nothing shows any more and says how many. */
export async function dropOldReports(): Promise<number> {
  const { rowCount } = await getPool().query(
    `delete from prober_report where received_at < now() - interval '${KEPT_HOURS} hours'`,
  );
  return rowCount ?? 0;
}

/** Notes when the probers of vantages were busy last, as the detector found it; seconds since 1970. */
export async function noteBusy(busy: readonly BusyProber[]): Promise<void> {
  if (busy.length === 0) return;
  await getPool().query(
    `update vantage set busy_since = to_timestamp(b.since), busy_until = to_timestamp(b.until)
      from unnest($1::uuid[], $2::float8[], $3::float8[]) as b (id, since, until)
      where vantage.id = b.id and (vantage.busy_since, vantage.busy_until) is distinct from (to_timestamp(b.since), to_timestamp(b.until))`,
    [busy.map(({ vantage }) => vantage), busy.map(({ since }) => since), busy.map(({ until }) => until)],
  );
}
