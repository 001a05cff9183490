import { getPool } from '#server/database/database.ts';

// Up to when each prober has delivered: `until` of its last batch says that all of its runs that began before are stored. The detector
// goes up to the least of these, so that it neither waits a minute for results that are there, nor goes past any that are on their way.
// A prober that lags (a spool, a lost connection) is left out: its results are late, and the process that stores them notes that.

/** Longest that results are waited for, seconds: of probers that have not said yet how far they are. */
export const GRACE_SECONDS = 60;
/** What is younger is left for later, seconds: probes that time out are over in the end, clocks differ a little. */
export const MARGIN_SECONDS = 3;
/** A prober whose word is older than this is left out, seconds. */
const LEFT_OUT_SECONDS = 40;
/** The same where a batch comes in: the difference is for what lies between the look at the clock and the end of the transaction. */
const LAGGING_SECONDS = 25;
/** A prober that has not said how far it is counts as there for so long after it was heard, and where a batch of it comes in. */
const HEARD_SECONDS = 75;
const HEARD_AT_INGEST_SECONDS = 45;
/** Longest promise of a prober with nothing to do, ms. */
const LONGEST_PROMISE_MS = 3_600_000;

/** Up to which instant the detector may look at `now`, both in ms since 1970: at most `MARGIN_SECONDS` and at least `GRACE_SECONDS` ago. */
export async function watermarkAt(now: number): Promise<number> {
  const { rows } = await getPool().query<{ until: number | null; silent: boolean }>(
    `select (extract(epoch from min(delivered_until)) * 1000)::float8 as until,
        coalesce(bool_or(delivered_until is null), false) as silent
      from prober p
      where (delivered_until > $1::timestamptz - $2::int * interval '1 second'
          or (delivered_until is null and last_seen_at > $1::timestamptz - $3::int * interval '1 second'))
        and exists (select from vantage v join "check" c on c.vantage_id = v.id
          where v.prober_id = p.id and v.deleted_at is null and c.deleted_at is null)`,
    [new Date(now), LEFT_OUT_SECONDS, HEARD_SECONDS],
  );
  const { until = null, silent = false } = rows[0] ?? {};
  const oldest = now - GRACE_SECONDS * 1_000;
  if (until === null || silent) return oldest;
  return Math.max(oldest, Math.min(until, now - MARGIN_SECONDS * 1_000));
}

/**
 * Results of this prober that were taken before may already be behind the detector (ms since 1970): it lagged, or breaks its word.
 * To be asked before anything of a batch is stored, its contact included. Null: those older than the usual wait alone.
 */
export async function passedBefore(proberId: string, now: number): Promise<number | null> {
  const { rows } = await getPool().query<{ until: Date | null; seen: Date | null }>(
    'select delivered_until as until, last_seen_at as seen from prober where id = $1',
    [proberId],
  );
  const { until = null, seen = null } = rows[0] ?? {};
  const agoSeconds = (at: Date) => (now - at.getTime()) / 1_000;
  if (until !== null) return agoSeconds(until) < LAGGING_SECONDS ? until.getTime() : now;
  return seen !== null && agoSeconds(seen) < HEARD_AT_INGEST_SECONDS ? null : now;
}

/** Keeps a prober's word, once what it speaks of is stored. */
export async function noteDelivered(proberId: string, until: string, now: number): Promise<void> {
  const at = Math.min(Date.parse(until), now + LONGEST_PROMISE_MS);
  await getPool().query('update prober set delivered_until = $2 where id = $1', [proberId, new Date(at)]);
}
